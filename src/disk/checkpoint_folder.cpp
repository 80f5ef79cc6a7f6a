// Names, manifests and the order in which they are written.
#include "disk/checkpoint_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "atoll/error.hpp"
#include "disk/byte_writer.hpp"
#include "disk/crc32c.hpp"
#include "disk/disk_record.hpp"
#include "disk/file_fault.hpp"
#include "disk/names.hpp"
#include "disk/open_file.hpp"
#include "world/memory_limit.hpp"

namespace lagoon::atoll::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "ATOLLCKP";
// The second one has steps that could not be read; it is written where there are such only.
constexpr std::uint64_t first_version = 1, with_unread = 2;
constexpr std::size_t digits = 12, most_manifest_bytes = std::size_t{1} << 26;
constexpr std::int64_t most_piece_bytes = std::int64_t{1} << 20;  // read at a time
constexpr std::string_view new_prefix = ".new-", gone_prefix = ".gone-";
constexpr std::uint64_t most_number = std::uint64_t{1} << 62;

std::string digits_of(std::int64_t step) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*lld", static_cast<int>(digits),
                static_cast<long long>(step));
  return text;
}

/// The number that a folder's name is, as `digits_of` writes it.
std::optional<std::int64_t> step_of(std::string_view name) {
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0 || step > most_steps ||
      digits_of(step) != name)
    return std::nullopt;
  return step;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

void write_new_file(const std::string& path, std::span<const std::byte> bytes) {
  OpenFile file(path, {.creates = true, .exclusive = true, .for_others = true});
  file.write(0, bytes.data(), bytes.size());
  file.sync();
}

[[noreturn]] void throw_damaged(const std::string& path) {
  throw Error(ErrorKind::file, "checkpoint '" + path + "' is damaged", EBADMSG);
}

std::string read_file(const OpenFolder& folder, const std::string& name, std::uint64_t most) {
  const auto file = folder.file(name, {.writes = false});
  const std::int64_t length = file->length();
  if (static_cast<std::uint64_t>(length) > most) throw_damaged(file->path());
  std::string text(static_cast<std::size_t>(length), '\0');
  text.resize(file->read(0, reinterpret_cast<std::byte*>(text.data()), text.size()));
  return text;
}

/// The state that a manifest tells of. Nothing is made room for before it is known to be that: a
/// file may have any length without taking space.
std::string read_state(const OpenFolder& folder, const CheckpointManifest& manifest) {
  const auto file = folder.file("state", {.writes = false});
  const std::int64_t length = file->length();
  if (static_cast<std::uint64_t>(length) != manifest.state_bytes) throw_damaged(folder.path());
  if (const MemoryLimit limit = memory_limit(); manifest.state_bytes > limit.bytes)
    throw Error(ErrorKind::memory, "the state of checkpoint '" + folder.path() + "' has " +
                                       std::to_string(length) + " bytes, more than the " +
                                       std::to_string(limit.bytes) + " of " + limit.whose);
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(length, most_piece_bytes)));
  std::uint32_t checksum = 0;
  for (std::int64_t at = 0; at < length;) {
    const std::size_t bytes = file->read(at, piece.data(), piece.size());
    if (bytes == 0) throw_damaged(folder.path());
    checksum = crc32c(std::span(piece).first(bytes), checksum);
    at += static_cast<std::int64_t>(bytes);
  }
  if (checksum != manifest.state_checksum) throw_damaged(folder.path());
  std::string state(static_cast<std::size_t>(length), '\0');
  state.resize(file->read(0, reinterpret_cast<std::byte*>(state.data()), state.size()));
  return state;
}

CheckpointManifest read_manifest(const OpenFolder& folder, std::int64_t step) {
  const std::string bytes = read_file(folder, "manifest", most_manifest_bytes);
  auto manifest = decode_manifest(bytes_of(bytes));
  if (!manifest || manifest->step != step) throw_damaged(folder.path());
  return *std::move(manifest);
}

/// Whether it was not there before.
bool make_folder(const std::string& path, bool may_be_there) {
  std::error_code error;
  bool made = false;
  if (const FileFault fault = fault_of(FileCall::open); fault.error != 0)
    error.assign(fault.error, std::generic_category());
  else if (made = fs::create_directory(path, error); !made && !error && !may_be_there)
    error = std::make_error_code(std::errc::file_exists);
  if (error) throw Error::of_file(error.value(), "make the folder '" + path + "'");
  return made;
}

/// The names in a folder that is there.
std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error) throw Error::of_file(error.value(), "list '" + path + "'");
  return names;
}

}  // namespace

bool is_array_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= most_name_bytes && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

void CheckpointManifest::describe_state(const std::string& state) {
  state_bytes = state.size();
  state_checksum = crc32c(bytes_of(state));
}

bool CheckpointManifest::fits(const std::string& state) const {
  return state_bytes == state.size() && state_checksum == crc32c(bytes_of(state));
}

std::vector<std::byte> encode(const CheckpointManifest& manifest) {
  ByteWriter writer;
  const bool unread = !manifest.older_unread.empty();
  writer.text(magic).u64(unread ? with_unread : first_version);
  writer.u64(static_cast<std::uint64_t>(manifest.step));
  writer.u64(static_cast<std::uint64_t>(manifest.number));
  writer.u64(manifest.state_bytes).u32(manifest.state_checksum).u64(manifest.arrays.size());
  for (const CheckpointEntry& entry : manifest.arrays)
    writer.u8(entry.mirrored ? 1 : 0).u64(entry.name.size()).text(entry.name);
  if (unread) {
    writer.u64(manifest.older_unread.size());
    for (const UnreadStep& unread_step : manifest.older_unread)
      writer.u64(static_cast<std::uint64_t>(unread_step.step)).u64(unread_step.folder);
  }
  writer.u32(crc32c(writer.bytes()));
  return writer.bytes();
}

std::optional<CheckpointManifest> decode_manifest(std::span<const std::byte> bytes) {
  if (bytes.size() < magic.size() + 4) return std::nullopt;
  const auto content = bytes.first(bytes.size() - 4);
  if (ByteReader(bytes.last(4)).u32() != crc32c(content) ||
      std::memcmp(content.data(), magic.data(), magic.size()) != 0)
    return std::nullopt;
  ByteReader reader(content.subspan(magic.size()));
  const std::uint64_t version = reader.u64();
  if (version != first_version && version != with_unread) return std::nullopt;
  const std::uint64_t step = reader.u64(), number = reader.u64(), state_bytes = reader.u64();
  const std::uint32_t state_checksum = reader.u32();
  if (step > most_steps || number > most_number) return std::nullopt;
  CheckpointManifest manifest{static_cast<std::int64_t>(step),
                              static_cast<std::int64_t>(number),
                              state_bytes,
                              state_checksum,
                              {}};
  const std::uint64_t count = reader.u64();
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    CheckpointEntry entry{{}, reader.number(1) != 0};
    const std::uint64_t length = reader.u64();
    if (length > most_name_bytes) return std::nullopt;
    for (std::uint64_t c = 0; c < length; ++c) entry.name += static_cast<char>(reader.number(1));
    if (!is_array_name(entry.name) || !names.insert(entry.name).second) return std::nullopt;
    manifest.arrays.push_back(std::move(entry));
  }
  const std::uint64_t unread = version == with_unread ? reader.u64() : 0;
  for (std::uint64_t i = 0; i < unread && reader.ok(); ++i) {
    const std::uint64_t other = reader.u64(), folder = reader.u64();
    if (other > most_steps) return std::nullopt;
    manifest.older_unread.push_back({static_cast<std::int64_t>(other), folder});
  }
  if (!reader.ok()) return std::nullopt;
  return manifest;
}

std::string CheckpointFolder::step(std::int64_t number) const {
  return path_ + "/" + digits_of(number);
}

std::string CheckpointFolder::before(std::int64_t number) const {
  return path_ + "/" + std::string(new_prefix) + digits_of(number);
}

std::string CheckpointFolder::gone(std::int64_t number) const {
  return path_ + "/" + std::string(gone_prefix) + digits_of(number);
}

bool CheckpointFolder::exists() const {
  std::error_code error;
  return fs::exists(path_, error);
}

OpenFolder CheckpointFolder::open_step(std::int64_t number) const {
  return open_named(step(number), name_of_old(before(number)));
}

CheckpointFolder::Found CheckpointFolder::read(std::int64_t number) const {
  return while_names_move(
      [&] { return open_step(number); },
      [&](const OpenFolder& folder) {
        Found found{read_manifest(folder, number), {}, folder.path(), folder.identity()};
        found.state = read_state(folder, found.manifest);
        if (!found.manifest.fits(found.state)) throw_damaged(folder.path());
        return found;
      });
}

std::optional<CheckpointFolder::Found> CheckpointFolder::read_last() const {
  for (;;) {
    const auto step = last();
    if (!step) return std::nullopt;
    try {
      return read(*step);
    } catch (const Error& error) {
      // Newer ones may have been saved meanwhile, and this one removed: as long as there are newer.
      if (error.error_number() != ENOENT || last() == step) throw;
    }
  }
}

std::int64_t CheckpointFolder::number_of(const std::string& name) const {
  if (const auto found = step_of(name)) return *found;
  if (!name.starts_with(new_prefix) || !name.ends_with(old_suffix)) return -1;
  const std::string_view rest = std::string_view(name).substr(
      new_prefix.size(), name.size() - new_prefix.size() - old_suffix.size());
  const std::int64_t number = step_of(rest).value_or(-1);
  std::error_code error;
  return number >= 0 && !fs::exists(fs::symlink_status(step(number), error)) ? number : -1;
}

std::vector<CheckpointFolder::Listed> CheckpointFolder::list() const {
  std::vector<Listed> all;
  for (const std::string& name : names_in(path_)) {
    const std::int64_t number = number_of(name);
    struct stat status{};
    const std::string path = path_ + "/" + name;
    if (number < 0 || lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    Listed listed{number, true, 0, status.st_ino, {}, {}};
    try {
      const CheckpointManifest manifest =
          while_names_move([&] { return open_step(number); },
                           [&](const OpenFolder& folder) { return read_manifest(folder, number); });
      listed.number = manifest.number;
      listed.older_unread = manifest.older_unread;
    } catch (const Error& failure) {
      // One that is bad, or that may not be read, is not to block the others.
      listed.whole = false;
      listed.why_not = failure.message();
      if (lstat(path.c_str(), &status) != 0) continue;  // removed meanwhile: a newer one is there
    }
    all.push_back(std::move(listed));
  }
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
    return a.whole != b.whole ? a.whole : a.number < b.number;
  });
  return all;
}

std::optional<std::int64_t> CheckpointFolder::last() const {
  const std::vector<Listed> all = list();
  if (all.empty()) return std::nullopt;
  const Listed* newest = nullptr;
  std::string whole;
  for (const Listed& listed : all) {
    if (!listed.whole) continue;
    newest = &listed;
    whole += (whole.empty() ? "" : ", ") + std::to_string(listed.step);
  }
  for (const Listed& listed : all) {
    const UnreadStep unread{listed.step, listed.folder};
    if (listed.whole || (newest != nullptr && std::ranges::find(newest->older_unread, unread) !=
                                                  newest->older_unread.end()))
      continue;
    throw Error(ErrorKind::file,
                "checkpoint '" + step(listed.step) + "', which may be the last, is damaged (" +
                    listed.why_not + "); whole ones are " +
                    (whole.empty() ? "none" : "those of the steps " + whole),
                EBADMSG);
  }
  return newest->step;
}

/// Removes what runs that ended have left.
void CheckpointFolder::clean(const std::vector<std::int64_t>& under_way) const {
  for (const std::string& name : names_in(path_)) {
    if (name.starts_with(gone_prefix)) remove_tree(path_ + "/" + name);
    if (!name.starts_with(new_prefix)) continue;
    std::string_view rest = std::string_view(name).substr(new_prefix.size());
    if (rest.ends_with(old_suffix)) rest.remove_suffix(old_suffix.size());
    const auto left = step_of(rest);
    if (!left || std::find(under_way.begin(), under_way.end(), *left) != under_way.end()) continue;
    recover_name(before(*left), step(*left));
    remove_tree(path_ + "/" + name);
  }
}

FileIdentity CheckpointFolder::begin(std::int64_t number,
                                     const std::vector<std::int64_t>& under_way) const {
  if (make_folder(path_, true)) sync_name(path_);
  clean(under_way);
  make_folder(before(number), false);
  return identity_of(before(number));
}

void CheckpointFolder::finish(const CheckpointManifest& manifest, const std::string& state,
                              std::int64_t keep, FileIdentity made) const {
  const std::string folder = before(manifest.step);
  if (!(identity_of(folder) == made))
    throw Error::of_file(ESTALE, "save '" + folder + "', which another run has replaced");
  write_new_file(folder + "/state", bytes_of(state));
  write_new_file(folder + "/manifest", encode(manifest));
  OpenFile::sync_folder(folder);
  put_in_place(folder, step(manifest.step));
  remove_tree(folder);  // what was there under this number
  std::vector<Listed> all = list();
  std::erase_if(all, [](const Listed& listed) { return !listed.whole; });
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < all.size(); ++i) {
    // Out of the way first: what is half removed must not look like a checkpoint.
    remove_tree(gone(all[i].step));
    move_name(step(all[i].step), gone(all[i].step));
    remove_tree(gone(all[i].step));
  }
}

}  // namespace lagoon::atoll::detail

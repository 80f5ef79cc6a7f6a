// Making, opening and removing the files of a disk array.
#include "disk/disk_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "atoll/error.hpp"
#include "disk/crc32c.hpp"
#include "disk/file_fault.hpp"
#include "disk/hdf5_skeleton.hpp"
#include "disk/names.hpp"
#include "disk/open_folder.hpp"
#include "disk/others_metadata.hpp"
#include "disk/zarr_metadata.hpp"

namespace lagoon::atoll::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view node_mark = "{node}";

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::file, "'" + path + "' is damaged: " + why, EBADMSG);
}

void make_folder(const std::string& path) {
  std::error_code error;
  const FileFault fault = fault_of(FileCall::open);
  if (fault.error != 0) error.assign(fault.error, std::generic_category());
  if (!error && !fs::create_directory(path, error) && !error)
    error = std::make_error_code(std::errc::file_exists);
  if (error) throw Error::of_file(error.value(), "make the folder '" + path + "'");
}

std::shared_ptr<OpenFile> new_file(const std::string& path) {
  return std::make_shared<OpenFile>(
      path, OpenMode{.creates = true, .exclusive = true, .for_others = true});
}

void write_all(OpenFile& file, std::int64_t offset, std::span<const std::byte> bytes) {
  file.write(offset, bytes.data(), bytes.size());
}

std::vector<std::byte> read_all(const OpenFile& file, std::int64_t offset, std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  result.resize(file.read(offset, result.data(), bytes));
  return result;
}

void write_metadata(OpenFile& data, const DiskDescription& description) {
  const DiskLayout& layout = description.layout;
  for_each_part_of_index(layout, [&](std::int64_t offset, std::span<const std::byte> part) {
    write_all(data, offset, part);
    return true;
  });
  write_all(data, layout.user_block, hdf5_skeleton(layout, description.name));
}

std::shared_ptr<OpenFile> make_data(const DiskFolder& folder, const DiskDescription& description,
                                    bool sparse) {
  const DiskLayout& layout = description.layout;
  std::string level = folder.path + "/c";
  make_folder(level);
  for (int d = 1; d < layout.shape.size(); ++d) make_folder(level += "/0");
  auto file = new_file(folder.data(layout));
  file->resize(layout.file_bytes);
  const auto [first, last] = description.tiles_here();
  if (!sparse) file->reserve(layout.offset_of(first), layout.offset_of(last));
  write_metadata(*file, description);
  file->sync();
  for (int d = 0; d < layout.shape.size(); ++d, level.resize(level.size() - 2))
    OpenFile::sync_folder(level);
  return file;
}

constexpr const char* not_atolls =
    "it is not the file that Atoll wrote, but a shard that Zarr has put in its place; nothing was "
    "changed, Zarr reads it, and `atoll disk salvage` makes a disk array of it";

bool is_written(const OpenFile& data, const DiskDescription& description) {
  const std::vector<std::byte> skeleton = hdf5_skeleton(description.layout, description.name);
  return read_all(data, description.layout.user_block, skeleton.size()) == skeleton ||
         hdf5_has_dataset(data, description.layout, skeleton);
}

/// Whether any tile lies where Atoll has written it.
bool has_whole_tile(const OpenFile& data, const DiskDescription& description,
                    const DiskCommit& commit) {
  const DiskLayout& layout = description.layout;
  const auto [first, last] = description.tiles_here();
  for (std::int64_t tile = first; tile < last; ++tile) {
    const auto bytes =
        read_all(data, layout.offset_of(tile), static_cast<std::size_t>(layout.tile_bytes));
    if (std::ssize(bytes) == layout.tile_bytes &&
        crc32c(bytes) == commit.checksums[static_cast<std::size_t>(tile)])
      return true;
  }
  return false;
}

void check_data(const OpenFile& file, const DiskDescription& description) {
  const DiskLayout& layout = description.layout;
  const IndexKind index = index_kind(file, layout);
  if (index == IndexKind::others) damaged(file.path(), not_atolls);
  if (file.length() < layout.file_bytes)
    damaged(file.path(),
            std::to_string(file.length()) + " bytes of " + std::to_string(layout.file_bytes));
  if (index != IndexKind::atolls) damaged(file.path(), "its index of tiles");
  if (!is_written(file, description)) damaged(file.path(), "the metadata of HDF5");
}

/// The tiles lie in the array's own folder: a link there would lead to somebody else's files.
std::shared_ptr<OpenFile> open_data(const OpenFolder& folder, const DiskLayout& layout,
                                    const OpenMode& mode) {
  OpenFolder level = folder.folder("c");
  for (int d = 1; d < layout.shape.size(); ++d) level = level.folder("0");
  return level.file("0", mode);
}

/// The record of a file that is there, if any can be opened.
std::shared_ptr<OpenFile> record_in(const DiskFolder& folder) {
  try {
    return std::make_shared<OpenFile>(folder.record(), OpenMode{.writes = false});
  } catch (const Error&) {
    return nullptr;
  }
}

/// What is written to a file that somebody replaces would be lost.
void require_no_writer(const DiskFolder& folder, const char* doing) {
  if (has_writer(folder))
    throw Error::of_file(
        EBUSY, std::string(doing) + " '" + folder.path + "', which somebody has open for writing");
}

/// The folder of an array; the one that it is called where names cannot be exchanged at once.
OpenFolder find_folder(const DiskFolder& folder) {
  return open_named(folder.path, name_of_old(folder_before(folder).path));
}

std::vector<std::byte> json_in(const DiskFolder& folder) {
  std::error_code error;
  if (!fs::exists(folder.zarr(), error)) return {};
  const OpenFile file(folder.zarr(), {.writes = false});
  return read_all(file, 0, static_cast<std::size_t>(file.length()));
}

JsonKind kind_of_json_in(const DiskFolder& folder, const DiskLayout& layout) {
  const std::vector<std::byte> found = json_in(folder);
  const std::string_view text(reinterpret_cast<const char*>(found.data()), found.size());
  return json_kind(text, zarr_json(layout));
}

[[noreturn]] void another_array(const DiskFolder& folder) {
  damaged(
      folder.zarr(),
      "it is not what was written: Zarr may read another array. Somebody may want it so, and it "
      "was not changed: where it is missing, `atoll disk repair` writes it again");
}

/// What others read, from what Atoll knows; of what it does not know nothing is changed.
/// Error(file) where that is in the way.
void rewrite_data(OpenFile& data, const DiskDescription& description, const DiskCommit& commit) {
  const DiskLayout& layout = description.layout;
  const IndexKind index = index_kind(data, layout);
  if (index == IndexKind::others) damaged(data.path(), not_atolls);
  const bool written = is_written(data, description);
  if (index == IndexKind::none && !written && !has_whole_tile(data, description, commit))
    damaged(
        data.path(),
        "nothing in it is what Atoll wrote, and nothing was changed: it may be somebody else's");
  if (!written && data.length() > layout.file_bytes)
    damaged(data.path(),
            "the metadata of HDF5; it was not written again, since what others have added to the "
            "file would be lost. `atoll disk salvage` reads the elements");
  if (data.length() < layout.file_bytes) data.resize(layout.file_bytes);
  if (!written) write_all(data, layout.user_block, hdf5_skeleton(layout, description.name));
  if (index != IndexKind::atolls)
    for_each_part_of_index(layout, [&](std::int64_t offset, std::span<const std::byte> part) {
      write_all(data, offset, part);
      return true;
    });
  data.sync();
}

void rewrite_json(const DiskFolder& folder, const DiskLayout& layout) {
  const JsonKind kind = kind_of_json_in(folder, layout);
  if (kind == JsonKind::another) another_array(folder);
  if (kind == JsonKind::same) return;
  const std::string json = zarr_json(layout), fresh = folder.path + "/" + random_file_name();
  const auto metadata = new_file(fresh);
  write_all(*metadata, 0, std::as_bytes(std::span(json)));
  metadata->sync();
  move_name(fresh, folder.zarr());
  OpenFile::sync_folder(folder.path);
}

enum class Metadata { checked, rewritten, ignored };

OpenDiskArray open_in(const OpenFolder& folder, bool writes, Metadata metadata) {
  const OpenMode mode{.writes = writes};
  auto record = folder.file("atoll.record", mode);
  if (writes && !record->lock())
    throw Error::of_file(EBUSY, "open '" + folder.path() +
                                    "' for writing, which somebody has open for writing already");
  const std::vector<std::byte> bytes = read_all(*record, 0, description_bytes);
  const auto description = decode_description(bytes);
  const auto is_zero = [](std::byte byte) { return byte == std::byte{}; };
  if (!description && std::ranges::all_of(bytes, is_zero) && record->is_locked_elsewhere())
    throw Error::of_file(EAGAIN, "open '" + folder.path() + "', which is being made");
  if (const auto version = version_of(bytes); version && *version > record_version)
    throw Error(ErrorKind::unsupported,
                "'" + folder.path() + "' is of version " + std::to_string(*version) +
                    " of the format, this Atoll knows 1 to " + std::to_string(record_version) +
                    ": open it with the Atoll that made it, or a newer one");
  if (!description) damaged(record->path(), "it does not say what the array is");
  // Lengths first: nothing is made room for that cannot be there.
  const std::int64_t least = record_bytes(*description);
  if (record->length() < least)
    damaged(record->path(),
            std::to_string(record->length()) + " bytes of " + std::to_string(least));
  auto data = open_data(folder, description->layout, mode);
  auto log = std::make_shared<CommitLog>(record, *description);
  if (metadata == Metadata::checked) check_data(*data, *description);
  DiskCommit newest = log->read();
  if (metadata == Metadata::rewritten) {
    rewrite_data(*data, *description, newest);
    rewrite_json({folder.path()}, description->layout);
    check_data(*data, *description);
  }
  return {*description, std::move(newest), std::move(log), std::move(record), std::move(data)};
}

}  // namespace

std::string DiskFolder::data(const DiskLayout& layout) const {
  return path + "/" + zarr_key(layout);
}

DiskFolder folder_of(const OpenFile& data, const DiskLayout& layout) {
  const std::string& path = data.path();
  return {path.substr(0, path.size() - zarr_key(layout).size() - 1)};
}

bool has_file_on_each_node(const std::string& path) {
  return path.find(node_mark) != std::string::npos;
}

std::string path_on_node(const std::string& path, int node) {
  std::string result = path;
  for (std::size_t at = 0; (at = result.find(node_mark, at)) != std::string::npos;)
    result.replace(at, node_mark.size(), std::to_string(node));
  return result;
}

OpenDiskArray make_disk_array(const DiskFolder& folder, const DiskDescription& description,
                              bool sparse) {
  make_folder(folder.path);
  try {
    auto record = new_file(folder.record());
    if (!record->lock())
      throw Error::of_file(EBUSY, "make '" + folder.path + "', which somebody else has opened");
    if (!sparse) record->reserve(0, record_bytes(description));
    DiskCommit first{1, {}};
    first.checksums.assign(
        static_cast<std::size_t>(description.layout.tiles),
        crc32c_of_zeros(static_cast<std::uint64_t>(description.layout.tile_bytes)));
    auto log = std::make_shared<CommitLog>(record, description);
    OpenDiskArray made{description, std::move(first), std::move(log), std::move(record),
                       make_data(folder, description, sparse)};
    const std::string json = zarr_json(description.layout);
    const auto metadata = new_file(folder.zarr());
    write_all(*metadata, 0, std::as_bytes(std::span(json)));
    metadata->sync();
    made.record->resize(record_bytes(description));
    made.log->write_first(made.commit);
    write_all(*made.record, 0, encode(description));
    made.record->sync();
    OpenFile::sync_folder(folder.path);
    sync_name(folder.path);
    return made;
  } catch (...) {  // no memory, say
    std::error_code ignored;
    fs::remove_all(folder.path, ignored);
    throw;
  }
}

namespace {

/// Throws what stands there instead of a disk array, where that is something else.
void refuse_others(const DiskFolder& folder, const Error& error) {
  std::error_code ignored;
  const int number = error.error_number();
  if (number == ENOTDIR && fs::is_regular_file(folder.path, ignored))
    throw Error(ErrorKind::file,
                "'" + folder.path +
                    "' is a file, and no disk array of Atoll's, which is a folder: read files of "
                    "others with their own programs (HDF5: h5py), then atoll.from_numpy",
                ENOTDIR);
  if (number == ENOENT && fs::is_directory(folder.path, ignored) &&
      !fs::exists(folder.record(), ignored))
    throw Error(ErrorKind::file,
                "'" + folder.path +
                    "' is no disk array of Atoll's, it has no atoll.record: read files of others "
                    "with their own programs (Zarr: zarr), then atoll.from_numpy",
                ENOENT);
}

OpenDiskArray open_as(const DiskFolder& folder, bool writes, Metadata metadata) {
  try {
    return while_names_move(
        [&] { return find_folder(folder); },
        [&](const OpenFolder& found) { return open_in(found, writes, metadata); });
  } catch (const Error& error) {
    refuse_others(folder, error);
    throw;
  }
}

}  // namespace

OpenDiskArray open_disk_array(const DiskFolder& folder, bool writes) {
  return open_as(folder, writes, Metadata::checked);
}

OpenDiskArray open_damaged_disk_array(const DiskFolder& folder) {
  return open_as(folder, false, Metadata::ignored);
}

OpenDiskArray repair_disk_array(const DiskFolder& folder) {
  try {
    return open_in(find_folder(folder), true, Metadata::rewritten);
  } catch (const Error& error) {
    refuse_others(folder, error);
    throw;
  }
}

void check_zarr(const DiskFolder& folder, const DiskLayout& layout) {
  JsonKind kind = JsonKind::none;
  try {
    kind = kind_of_json_in(folder, layout);
  } catch (const Error& error) {
    damaged(folder.zarr(), error.message());
  }
  if (kind == JsonKind::another) another_array(folder);
  if (kind == JsonKind::none) damaged(folder.zarr(), "it is missing, or no JSON");
}

void remove_disk_array(const DiskFolder& folder) {
  // Only what is one: a wrong path must not cost somebody's files.
  require_no_writer(folder, "remove");
  const OpenDiskArray found = open_disk_array(folder, false);
  remove_file(folder.record());
  remove_file(found.data->path());
  remove_file(folder.zarr());
  remove_file(folder.intents());
  std::error_code error;
  std::string level = folder.path + "/c";
  for (int d = 1; d < found.description.layout.shape.size(); ++d) level += "/0";
  for (; level.size() > folder.path.size() && !error; level.resize(level.size() - 2))
    fs::remove(level, error);
  if (!error) fs::remove(folder.path, error);
  if (error) throw Error::of_file(error.value(), "remove '" + folder.path + "'");
}

DiskFolder folder_before(const DiskFolder& folder) {
  return {without_slashes(folder.path) + ".atoll-new"};
}

void make_way(const DiskFolder& before, const DiskFolder& folder) {
  // A damaged array may be replaced, what is none may not: a wrong path must not cost somebody's
  // files.
  std::error_code error;
  const auto type = [&](const std::string& path) { return fs::symlink_status(path, error).type(); };
  if (type(folder.path) != fs::file_type::not_found &&
      (type(folder.path) != fs::file_type::directory ||
       type(folder.record()) != fs::file_type::regular))
    throw Error::of_file(EEXIST, "replace '" + folder.path + "', which is no disk array");
  require_no_writer(folder, "replace");
  recover_name(before.path, without_slashes(folder.path));
  remove_tree(name_of_old(before.path));
  remove_tree(before.path);
}

void replace_disk_array(const DiskFolder& before, const DiskFolder& folder,
                        const DiskLayout& layout, const OpenFile& data, const OpenFile& record) {
  // Somebody else may have begun to write one of this name, and removed ours.
  if (!(identity_of(before.data(layout)) == data.identity()) ||
      !(identity_of(before.record()) == record.identity()))
    throw Error::of_file(ESTALE, "put '" + before.path +
                                     "', which somebody else has replaced, in " + "place of '" +
                                     folder.path + "'");
  require_no_writer(folder, "replace");
  put_in_place(before.path, without_slashes(folder.path));
  remove_tree(before.path);
}

bool has_writer(const DiskFolder& folder) {
  const auto record = record_in(folder);
  return record != nullptr && record->is_locked_elsewhere();
}

void remove_leftovers(const DiskFolder& folder) noexcept {
  try {
    const DiskFolder before = folder_before(folder);
    const std::string old = name_of_old(before.path);
    std::error_code error;
    const auto is_there = [&](const std::string& path) {
      return fs::symlink_status(path, error).type() != fs::file_type::not_found;
    };
    if (!is_there(before.path) && !is_there(old)) return;
    const auto record = record_in(before);
    // An empty folder may be one that is about to get its record.
    const bool lives = record != nullptr
                           ? record->is_locked_elsewhere()
                           : is_there(before.path) && fs::is_empty(before.path, error);
    if (lives || !is_on_local_disk(parent_of(before.path))) return;
    recover_name(before.path, without_slashes(folder.path));
    remove_tree(old);
    if (!is_there(before.path)) return;
    // Out of the way first: somebody may have begun another one just now.
    const std::string gone = parent_of(before.path) + "/" + random_file_name();
    move_name(before.path, gone);
    const auto moved = record_in({gone});
    if (moved != nullptr && moved->is_locked_elsewhere())
      move_name(gone, before.path);
    else
      remove_tree(gone);
  } catch (const std::exception&) {
    // Somebody else removes it.
  }
}

}  // namespace lagoon::atoll::detail

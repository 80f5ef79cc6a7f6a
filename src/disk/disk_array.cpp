// DiskArray: collective calls around the pieces that do the work.
#include "atoll/disk_array.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "disk/common_file.hpp"
#include "disk/disk_folder.hpp"
#include "disk/section.hpp"
#include "disk/tile_mover.hpp"

namespace lagoon::atoll {

namespace {

using detail::OpenFile;

detail::DiskDescription describe(const Index& shape, ElementType type,
                                 const DiskArrayOptions& options) {
  if (options.name.empty() || options.name.size() > detail::most_name_bytes ||
      options.name == "." || options.name.find_first_of(std::string("/\0", 2)) != std::string::npos)
    throw Error(ErrorKind::value, "options.name is '" + options.name +
                                      "', expected a name of 1 to 200 bytes without '/'");
  if (shape.empty()) throw Error(ErrorKind::value, "a disk array has at least one dimension");
  if (!options.request.empty() && options.request.size() != shape.size())
    throw Error(ErrorKind::value, "options.request is " + options.request.to_string() +
                                      " for an array of shape " + shape.to_string());
  const Index tile =
      options.tile.empty() ? detail::choose_tile(type, shape, options.request) : options.tile;
  return {detail::DiskLayout(type, shape, tile), options.name};
}

std::uint64_t hash_of_name(const std::string& text) {
  return detail::hash_of(std::string_view(text));
}

/// Error(index) for a patch outside, Error(value) for steps.
void check_section(const Patch& patch, const Index& shape, const std::string& what) {
  bool inside = patch.lo.size() == shape.size() && patch.hi.size() == shape.size();
  for (int d = 0; inside && d < shape.size(); ++d)
    inside = patch.lo[d] >= 0 && patch.lo[d] <= patch.hi[d] && patch.hi[d] <= shape[d];
  if (!inside)
    throw Error(ErrorKind::index, "patch " + patch.to_string() + " lies outside " + what);
  for (const std::int64_t step : patch.step)
    if (step != 1)
      throw Error(ErrorKind::value, "patch " + patch.to_string() +
                                        " has steps; disk arrays are "
                                        "moved in whole ranges");
}

}  // namespace

struct DiskArray::State {
  Group group;
  detail::DiskFolder folder;
  detail::DiskDescription description;
  detail::DiskCommit commit;  // the same on all ranks
  std::shared_ptr<OpenFile> data;
  std::shared_ptr<OpenFile> record;  // on the first rank
  Durability durability;
  bool writes;

  /// Opens on all ranks what `first` makes or finds on the first one. Collective.
  static std::unique_ptr<State> open(const Group& group, const std::string& path,
                                     const char* operation, std::uint64_t hash, bool writes,
                                     Durability durability,
                                     const std::function<detail::OpenDiskArray()>& first);

  const detail::DiskLayout& layout() const noexcept { return description.layout; }
  std::string text() const {
    return "disk array '" + folder.path + "' of shape " + layout().shape.to_string();
  }
  /// Before the collective frame: an array that is gone has no group.
  void require_ranks_of(const AnyArray& array, const char* operation) const;
  void check(const AnyArray& array, const Patch& array_patch, const Patch& patch,
             Transpose transpose) const;
  /// Where this rank's share of so many tiles begins, and where that of rank `rank` does.
  std::int64_t first_of(std::int64_t tiles, int rank) const {
    const std::int64_t size = group.size();
    return tiles / size * rank + tiles % size * rank / size;
  }
  /// Runs what may fail on one rank: then it fails on all. Collective.
  void together(const char* operation, const std::function<void()>& step) const {
    detail::enter_collective(group, operation, 1, step);
  }
  void publish(const char* operation, const detail::Section& section,
               const std::vector<detail::WrittenTile>& written);
};

std::unique_ptr<DiskArray::State> DiskArray::State::open(
    const Group& group, const std::string& path, const char* operation, std::uint64_t hash,
    bool writes, Durability durability, const std::function<detail::OpenDiskArray()>& first) {
  std::optional<detail::OpenDiskArray> found;
  auto data = detail::open_together(
      group, operation, hash,
      [&] {
        if (path.empty() || path.find('\0') != std::string::npos)
          throw Error(ErrorKind::value, "path is '" + path + "', expected the name of a folder");
        if (group.rank() == 0) found = first();
        return found ? found->data : nullptr;
      },
      writes);
  // Everybody learns what the first rank knows.
  std::vector<std::byte> bytes(detail::description_bytes);
  if (found) bytes = detail::encode(found->description);
  group.broadcast(std::span(bytes), 0);
  const auto description = detail::decode_description(bytes);
  if (!description)
    throw Error(ErrorKind::communication, "what the first rank sent is not in order")
        .during(operation);
  detail::DiskCommit commit{0, {}};
  if (found) commit = found->commit;
  commit.checksums.resize(static_cast<std::size_t>(description->layout.tiles));
  group.broadcast(std::span(commit.checksums), 0);
  group.broadcast(std::span(&commit.generation, 1), 0);
  return std::make_unique<State>(State{group,
                                       {path},
                                       *description,
                                       std::move(commit),
                                       std::move(data),
                                       found ? found->record : nullptr,
                                       durability,
                                       writes});
}

void DiskArray::State::require_ranks_of(const AnyArray& array, const char* operation) const {
  detail::require_alive(array, operation);
  if (!detail::same_members(group, array.mirrored() ? array.whole_group() : array.group()))
    throw Error(ErrorKind::value,
                detail::description(array) + " and " + text() + " live on different groups")
        .during(operation);
}

void DiskArray::State::check(const AnyArray& array, const Patch& array_patch, const Patch& patch,
                             Transpose transpose) const {
  if (array.type() != layout().type)
    throw Error(ErrorKind::type, detail::description(array) + " holds " +
                                     std::string(name_of(array.type())) + ", " + text() +
                                     " holds " + std::string(name_of(layout().type)));
  check_section(patch, layout().shape, text());
  check_section(array_patch, array.shape(), detail::description(array));
  Index shape = array_patch.shape();
  if (transpose == Transpose::yes) std::reverse(shape.begin(), shape.end());
  if (shape != patch.shape())
    throw Error(ErrorKind::value,
                "patch " + array_patch.to_string() + " of " + detail::description(array) +
                    " and patch " + patch.to_string() + " of " + text() + " have different shapes");
}

/// The tiles that all ranks have written become the array's.
void DiskArray::State::publish(const char* operation, const detail::Section& section,
                               const std::vector<detail::WrittenTile>& written) {
  std::vector<std::int64_t> checksums(static_cast<std::size_t>(section.tiles()));
  const std::int64_t mine = first_of(section.tiles(), group.rank());
  for (std::size_t i = 0; i < written.size(); ++i)
    checksums[static_cast<std::size_t>(mine) + i] = written[i].checksum;
  group.reduce(std::span(checksums));
  detail::DiskCommit next = commit;
  for (std::int64_t i = 0; i < section.tiles(); ++i)
    next.checksums[static_cast<std::size_t>(section.tile(i))] =
        static_cast<std::uint32_t>(checksums[static_cast<std::size_t>(i)]);
  ++next.generation;
  together(operation, [&] {
    if (record == nullptr) return;
    detail::write_commit(*record, layout(), next);
    if (durability == Durability::in_place) record->sync();
  });
  commit = std::move(next);
}

DiskArray DiskArray::create(const Group& group, const std::string& path, const Index& shape,
                            ElementType type, const DiskArrayOptions& options) {
  const std::uint64_t hash = detail::hash_of(
      std::string_view(path), shape, static_cast<std::uint64_t>(type), options.request,
      options.tile, std::string_view(options.name), static_cast<std::uint64_t>(options.durability));
  bool made = false;
  try {
    return DiskArray(
        State::open(group, path, "create disk array", hash, true, options.durability, [&] {
          auto result = detail::make_disk_array({path}, describe(shape, type, options));
          made = true;
          return result;
        }));
  } catch (const Error&) {
    // Another rank could not open it.
    std::error_code ignored;
    if (made) std::filesystem::remove_all(path, ignored);
    throw;
  }
}

DiskArray DiskArray::open(const Group& group, const std::string& path, bool writes,
                          Durability durability) {
  const std::uint64_t hash =
      detail::hash_of(std::string_view(path), static_cast<std::uint64_t>(writes),
                      static_cast<std::uint64_t>(durability));
  return DiskArray(State::open(group, path, "open disk array", hash, writes, durability,
                               [&] { return detail::open_disk_array({path}, writes); }));
}

void DiskArray::remove(const std::string& path) {
  try {
    detail::remove_disk_array({path});
  } catch (const Error& error) {
    throw error.during("remove disk array");
  }
}

DiskArray::DiskArray(std::unique_ptr<State> state) : state_(std::move(state)) {}
DiskArray::DiskArray(DiskArray&&) noexcept = default;
DiskArray& DiskArray::operator=(DiskArray&&) noexcept = default;
DiskArray::~DiskArray() = default;

DiskArray::State& DiskArray::state() const {
  if (state_ == nullptr) throw Error(ErrorKind::state, "the disk array is closed");
  return *state_;
}

void DiskArray::write(const AnyArray& array) {
  detail::require_alive(array, "write disk array");
  write(array, whole(array.shape()), whole(shape()));
}

void DiskArray::read(AnyArray& array) const {
  detail::require_alive(array, "read disk array");
  read(array, whole(array.shape()), whole(shape()));
}

void DiskArray::write(const AnyArray& array, const Patch& array_patch, const Patch& patch,
                      Transpose transpose) {
  constexpr const char* operation = "write disk array";
  State& s = state();
  s.require_ranks_of(array, operation);
  const std::uint64_t hash = detail::hash_of(std::string_view(s.folder.path), array, array_patch,
                                             patch, static_cast<std::uint64_t>(transpose));
  detail::enter_collective(s.group, operation, hash, [&] {
    s.check(array, array_patch, patch, transpose);
    if (!s.writes) throw Error(ErrorKind::state, s.text() + " is open for reading only");
  });
  const detail::Section section(s.layout(), patch, array_patch, transpose == Transpose::yes);
  std::vector<detail::WrittenTile> written;
  s.together(operation, [&] {
    const int rank = s.group.rank();
    detail::TileMover mover(s.layout(), s.data, s.commit.checksums);
    written = mover.write(section, s.first_of(section.tiles(), rank),
                          s.first_of(section.tiles(), rank + 1), array);
    if (s.durability == Durability::in_place && !written.empty()) s.data->sync();
  });
  s.publish(operation, section, written);
}

void DiskArray::read(AnyArray& array, const Patch& array_patch, const Patch& patch,
                     Transpose transpose) const {
  constexpr const char* operation = "read disk array";
  State& s = state();
  detail::require_writable(array, operation);
  s.require_ranks_of(array, operation);
  const std::uint64_t hash = detail::hash_of(std::string_view(s.folder.path), array, array_patch,
                                             patch, static_cast<std::uint64_t>(transpose));
  detail::enter_collective(s.group, operation, hash, [&] {
    s.check(array, array_patch, patch, transpose);
    if (array.mirrored())
      throw Error(ErrorKind::unsupported,
                  detail::description(array) + " is mirrored: read into a distributed array");
  });
  const detail::Section section(s.layout(), patch, array_patch, transpose == Transpose::yes);
  s.together(operation, [&] {
    const int rank = s.group.rank();
    detail::TileMover mover(s.layout(), s.data, s.commit.checksums);
    mover.read(section, s.first_of(section.tiles(), rank), s.first_of(section.tiles(), rank + 1),
               array);
  });
  detail::leave_collective(s.group);
}

void DiskArray::verify() const {
  constexpr const char* operation = "verify disk array";
  State& s = state();
  detail::enter_collective(s.group, operation, hash_of_name(s.folder.path), nullptr);
  const int rank = s.group.rank();
  const std::int64_t tiles = s.layout().tiles;
  std::int64_t damaged = 0, first = std::numeric_limits<std::int64_t>::max();
  s.together(operation, [&] {
    detail::TileMover mover(s.layout(), s.data, s.commit.checksums);
    for (std::int64_t tile = s.first_of(tiles, rank); tile < s.first_of(tiles, rank + 1); ++tile) {
      if (mover.is_whole(tile)) continue;
      ++damaged;
      first = std::min(first, tile);
    }
  });
  damaged = s.group.reduce(damaged);
  first = s.group.reduce(first, Reduction::minimum);
  if (damaged > 0)
    throw Error(ErrorKind::file,
                std::to_string(damaged) + " of " + std::to_string(tiles) + " tiles of " + s.text() +
                    " are damaged, the first is " + s.layout().patch_of(first).to_string(),
                EBADMSG)
        .during(operation);
}

void DiskArray::close() {
  const std::unique_ptr<State> gone = std::move(state_);
  if (gone == nullptr) throw Error(ErrorKind::state, "the disk array is closed");
  detail::enter_collective(gone->group, "close disk array", hash_of_name(gone->folder.path),
                           nullptr);
}

const std::string& DiskArray::path() const { return state().folder.path; }
const std::string& DiskArray::name() const { return state().description.name; }
ElementType DiskArray::type() const { return state().layout().type; }
const Index& DiskArray::shape() const { return state().layout().shape; }
const Index& DiskArray::tile() const { return state().layout().tile; }
std::uint64_t DiskArray::generation() const { return state().commit.generation - 1; }

}  // namespace lagoon::atoll

// DiskArray: the public calls, thin over DiskArrayState.
#include "atoll/disk_array.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "array/frame.hpp"
#include "atoll/error.hpp"
#include "disk/disk_array_state.hpp"

namespace lagoon::atoll {

namespace {

using detail::Direction;
using detail::DiskArrayState;
using detail::SectionJob;

detail::DiskDescription describe(const Index& shape, ElementType type,
                                 const DiskArrayOptions& options) {
  if (!detail::is_dataset_name(options.name))
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

void transfer(DiskArrayState& disk, Direction direction, const AnyArray& array,
              const Patch& array_patch, const Patch& patch, Transpose transpose) {
  const auto begun = disk.begin(direction, array, array_patch, patch, transpose);
  disk.end(*begun, [&](SectionJob& job) { job.run_here(); });
}

DiskRequest transfer_async(const std::shared_ptr<DiskArrayState>& disk, Direction direction,
                           const AnyArray& array, const Patch& array_patch, const Patch& patch,
                           Transpose transpose) {
  auto begun = disk->begin(direction, array, array_patch, patch, transpose);
  begun->job->run_aside();
  return {disk, std::move(begun)};
}

}  // namespace

DiskArray DiskArray::create(const Group& group, const std::string& path, const Index& shape,
                            ElementType type, const DiskArrayOptions& options) {
  constexpr const char* operation = "create disk array";
  const std::uint64_t hash = detail::hash_of(
      std::string_view(path), shape, static_cast<std::uint64_t>(type), options.request,
      options.tile, std::string_view(options.name), static_cast<std::uint64_t>(options.durability),
      std::uint64_t{options.sparse});
  const bool replaces = options.durability == Durability::checkpoint;
  const bool each_node = detail::has_file_on_each_node(path);
  std::string made;  // what is to go again
  try {
    auto state = DiskArrayState::open(
        {group, path, operation, hash, true, false, options.sparse, options.durability,
         [&](detail::DiskFolder folder) {
           detail::DiskDescription description = describe(shape, type, options);
           if (each_node) {
             description.nodes = group.nodes();
             description.node = group.node();
           }
           if (replaces && each_node)
             throw Error(ErrorKind::unsupported,
                         "durability is checkpoint and the array has a file on each node: they "
                         "cannot take the place of others all at once");
           if (replaces) {
             const detail::DiskFolder before = detail::folder_before(folder);
             detail::make_way(before, folder);
             folder = before;
           }
           auto result = detail::make_disk_array(folder, description, options.sparse);
           made = folder.path;
           return result;
         }});
    if (replaces) state->folder = detail::folder_before({path});
    return DiskArray(std::move(state));
  } catch (const Error&) {
    // Another rank could not open it.
    std::error_code ignored;
    if (!made.empty()) std::filesystem::remove_all(made, ignored);
    throw;
  }
}

DiskArray DiskArray::open(const Group& group, const std::string& path, bool writes,
                          Durability durability) {
  const std::uint64_t hash =
      detail::hash_of(std::string_view(path), static_cast<std::uint64_t>(writes),
                      static_cast<std::uint64_t>(durability));
  return DiskArray(DiskArrayState::open({group, path, "open disk array", hash, writes, true, true,
                                         durability, [&](const detail::DiskFolder& folder) {
                                           if (durability == Durability::checkpoint)
                                             throw Error(ErrorKind::value,
                                                         "durability is checkpoint, which only new "
                                                         "arrays have: expected in_place or "
                                                         "scratch");
                                           return detail::open_disk_array(folder, writes);
                                         }}));
}

DiskArray DiskArray::open_damaged(const Group& group, const std::string& path) {
  return DiskArray(DiskArrayState::open(
      {group, path, "open disk array", detail::hash_of(std::string_view(path)), false, true, true,
       Durability::scratch,
       [](const detail::DiskFolder& folder) { return detail::open_damaged_disk_array(folder); }}));
}

void DiskArray::repair(const Group& group, const std::string& path) {
  const auto state = DiskArrayState::open(
      {group, path, "repair disk array", detail::hash_of(std::string_view(path)), true, true, false,
       Durability::in_place,
       [](const detail::DiskFolder& folder) { return detail::repair_disk_array(folder); }});
  state->take_over_intents();
  state->verify();
}

void DiskArray::remove(const std::string& path) {
  try {
    detail::remove_disk_array({path});
  } catch (const Error& error) {
    throw error.during("remove disk array");
  }
}

bool DiskArray::is_open_for_writing(const std::string& path) { return detail::has_writer({path}); }

DiskArray::DiskArray(std::shared_ptr<DiskArrayState> state) : state_(std::move(state)) {}
DiskArray::DiskArray(DiskArray&&) noexcept = default;
DiskArray& DiskArray::operator=(DiskArray&&) noexcept = default;
DiskArray::~DiskArray() = default;

DiskArrayState& DiskArray::state() const {
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
  transfer(state(), Direction::write, array, array_patch, patch, transpose);
}

void DiskArray::read(AnyArray& array, const Patch& array_patch, const Patch& patch,
                     Transpose transpose) const {
  detail::require_writable(array, "read disk array");
  transfer(state(), Direction::read, array, array_patch, patch, transpose);
}

DiskRequest DiskArray::write_async(const AnyArray& array) {
  detail::require_alive(array, "write disk array");
  return write_async(array, whole(array.shape()), whole(shape()));
}

DiskRequest DiskArray::read_async(AnyArray& array) const {
  detail::require_alive(array, "read disk array");
  return read_async(array, whole(array.shape()), whole(shape()));
}

DiskRequest DiskArray::write_async(const AnyArray& array, const Patch& array_patch,
                                   const Patch& patch, Transpose transpose) {
  (void)state();
  return transfer_async(state_, Direction::write, array, array_patch, patch, transpose);
}

DiskRequest DiskArray::read_async(AnyArray& array, const Patch& array_patch, const Patch& patch,
                                  Transpose transpose) const {
  (void)state();
  detail::require_writable(array, "read disk array");
  return transfer_async(state_, Direction::read, array, array_patch, patch, transpose);
}

void DiskArray::sync() {
  constexpr const char* operation = "sync disk array";
  DiskArrayState& s = state();
  detail::enter_collective(s.group, operation, detail::hash_of(std::string_view(s.path)), nullptr);
  if (const std::exception_ptr failure = s.end_all()) std::rethrow_exception(failure);
  s.sync(operation);
}

void DiskArray::verify() const { state().verify(); }

void DiskArray::refresh() {
  constexpr const char* operation = "refresh disk array";
  DiskArrayState& s = state();
  detail::enter_collective(s.group, operation, detail::hash_of(std::string_view(s.path)), nullptr);
  (void)s.refresh(operation);
}

void DiskArray::close() {
  const std::shared_ptr<DiskArrayState> gone = std::move(state_);
  if (gone == nullptr) throw Error(ErrorKind::state, "the disk array is closed");
  detail::enter_collective(gone->group, "close disk array",
                           detail::hash_of(std::string_view(gone->path)), nullptr);
  // A checkpoint that lacks a write is none.
  std::exception_ptr failure = gone->end_all();
  try {
    if (failure == nullptr) gone->finish();
  } catch (...) {
    failure = std::current_exception();
  }
  gone->close();
  if (failure != nullptr) std::rethrow_exception(failure);
}

const std::string& DiskArray::path() const { return state().path; }
const std::string& DiskArray::name() const { return state().name(); }
ElementType DiskArray::type() const { return state().layout().type; }
const Index& DiskArray::shape() const { return state().layout().shape; }
const Index& DiskArray::tile() const { return state().layout().tile; }
std::uint64_t DiskArray::generation() const { return state().generation(); }

}  // namespace lagoon::atoll

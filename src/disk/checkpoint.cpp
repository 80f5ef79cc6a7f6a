// Saving and opening checkpoints: collective calls around CheckpointFolder and DiskArray.
#include "atoll/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>

#include "array/frame.hpp"
#include "atoll/disk_array.hpp"
#include "atoll/error.hpp"
#include "disk/checkpoint_folder.hpp"
#include "disk/checkpoint_save.hpp"
#include "disk/names.hpp"
#include "disk/open_file.hpp"
#include "disk/unfinished_saves.hpp"

namespace lagoon::atoll {

namespace detail {

struct CheckpointState {
  Group group;
  std::string folder;  // of the step
  FileIdentity identity;
  std::int64_t step;
  std::string state;
  std::vector<CheckpointEntry> arrays;

  const CheckpointEntry& entry(const std::string& name) const {
    const auto found = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const CheckpointEntry& one) { return one.name == name; });
    if (found != arrays.end()) return *found;
    std::string names;
    for (const CheckpointEntry& one : arrays) names += (names.empty() ? "" : ", ") + one.name;
    throw Error(ErrorKind::value, "checkpoint '" + folder + "' has no array '" + name +
                                      "', it has: " + (names.empty() ? "none" : names));
  }
};

}  // namespace detail

CheckpointRequest::CheckpointRequest(std::shared_ptr<detail::CheckpointSave> save) noexcept
    : save_(std::move(save)) {}
CheckpointRequest::CheckpointRequest(CheckpointRequest&&) noexcept = default;
CheckpointRequest& CheckpointRequest::operator=(CheckpointRequest&&) noexcept = default;
CheckpointRequest::~CheckpointRequest() = default;
void CheckpointRequest::wait() { save_->wait(); }
bool CheckpointRequest::test() { return save_->test(); }
std::int64_t CheckpointRequest::step() const { return save_->step(); }

CheckpointRequest save_checkpoint_async(const Group& group, const std::string& folder,
                                        std::span<const NamedArray> arrays,
                                        const std::string& state,
                                        const CheckpointOptions& options) {
  auto save = std::make_shared<detail::CheckpointSave>(group, folder, arrays, state, options);
  detail::finish_at_end(save);
  return CheckpointRequest(std::move(save));
}

void save_checkpoint(const Group& group, const std::string& folder,
                     std::span<const NamedArray> arrays, const std::string& state,
                     const CheckpointOptions& options) {
  CheckpointOptions without_copies = options;
  without_copies.snapshot = false;  // nobody changes them meanwhile
  save_checkpoint_async(group, folder, arrays, state, without_copies).wait();
}

std::vector<std::int64_t> checkpoint_steps(const std::string& folder) {
  std::vector<std::int64_t> steps;
  for (const auto& listed : detail::CheckpointFolder(folder).list())
    if (listed.whole) steps.push_back(listed.step);
  return steps;
}

Checkpoint Checkpoint::open(const Group& group, const std::string& folder, std::int64_t step) {
  constexpr const char* operation = "open checkpoint";
  const detail::CheckpointFolder all(folder);
  detail::CheckpointFolder::Found found{};
  detail::enter_collective(
      group, operation, detail::hash_of(std::string_view(folder), static_cast<std::uint64_t>(step)),
      [&] {
        if (group.rank() != 0) return;
        if (step >= 0) {
          found = all.read(step);
          return;
        }
        auto last = all.read_last();
        if (!last) throw Error::of_file(ENOENT, "find a checkpoint in '" + folder + "'");
        found = *std::move(last);
      });
  // What the others are told is what was read: the bytes of a manifest, checked again.
  std::string bytes;
  if (group.rank() == 0) {
    const auto encoded = encode(found.manifest);
    bytes.assign(reinterpret_cast<const char*>(encoded.data()), encoded.size());
  }
  group.broadcast(bytes, 0);
  std::uint64_t state_bytes = found.state.size();
  group.broadcast(std::span(&state_bytes, 1), 0);
  detail::enter_collective(group, operation, 1, [&] { found.state.resize(state_bytes); });
  group.broadcast(std::span<char>(found.state), 0);
  group.broadcast(found.folder, 0);
  const auto manifest = detail::decode_manifest(std::as_bytes(std::span(bytes)));
  if (!manifest || !manifest->fits(found.state))
    throw Error(ErrorKind::communication, "what the first rank sent is not in order")
        .during(operation);
  return Checkpoint(std::make_unique<detail::CheckpointState>(
      detail::CheckpointState{group, std::move(found.folder), found.identity, manifest->step,
                              std::move(found.state), manifest->arrays}));
}

Checkpoint::Checkpoint(std::unique_ptr<detail::CheckpointState> state) noexcept
    : state_(std::move(state)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

std::int64_t Checkpoint::step() const noexcept { return state_->step; }
const std::string& Checkpoint::state() const noexcept { return state_->state; }

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  for (const auto& entry : state_->arrays) names.push_back(entry.name);
  return names;
}

bool Checkpoint::mirrored(const std::string& name) const { return state_->entry(name).mirrored; }

std::string Checkpoint::path_of(const std::string& name) const {
  return detail::CheckpointFolder::array(state_->folder, state_->entry(name).name);
}

DiskArray Checkpoint::open_array(const std::string& name) const {
  DiskArray disk = DiskArray::open(state_->group, path_of(name), false);
  // What is saved under the same number meanwhile does not go with our state.
  detail::enter_collective(state_->group, "open checkpoint", 3, [&] {
    if (state_->group.rank() != 0 || detail::identity_of(state_->folder) == state_->identity)
      return;
    throw Error::of_file(ESTALE, "read '" + state_->folder + "', which another one has replaced");
  });
  return disk;
}

AnyArray Checkpoint::load(const std::string& name) const {
  const DiskArray disk = open_array(name);
  AnyArray array(state_->group, disk.shape(), disk.type(), {.mirrored = mirrored(name)});
  disk.read(array);
  return array;
}

void Checkpoint::read(const std::string& name, AnyArray& array) const {
  open_array(name).read(array);
}

void Checkpoint::verify() const {
  for (const auto& entry : state_->arrays) open_array(entry.name).verify();
}

}  // namespace lagoon::atoll

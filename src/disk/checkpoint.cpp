// Saving and opening checkpoints: collective calls around CheckpointFolder and DiskArray.
#include "atoll/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "array/array_state.hpp"
#include "array/frame.hpp"
#include "atoll/disk_array.hpp"
#include "atoll/error.hpp"
#include "disk/checkpoint_folder.hpp"
#include "disk/disk_record.hpp"
#include "disk/names.hpp"
#include "disk/open_file.hpp"
#include "world/copy_bytes.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll {

namespace detail {

namespace {

/// What this process is writing now, by folder: on the first rank of a group.
struct UnderWay {
  std::string folder;
  std::int64_t step;
};
std::vector<UnderWay>& under_way() {
  // Never destroyed: a world may end after all that is static.
  static auto& all = *new std::vector<UnderWay>;
  return all;
}

std::vector<std::int64_t> steps_under_way(const std::string& folder) {
  std::vector<std::int64_t> steps;
  for (const UnderWay& one : under_way())
    if (one.folder == folder) steps.push_back(one.step);
  return steps;
}

void check_name(const std::string& name) {
  if (!is_array_name(name))
    throw Error(ErrorKind::value,
                "an array is named '" + name +
                    "', expected 1 to 200 letters, digits, '_', '-' and '.', not '.' first");
}

/// My node's memory of it, as it is now.
AnyArray copy_of(const AnyArray& array) {
  AnyArray copy = array.duplicate({}, false);
  const ArrayState &from = *array.state(), &to = *copy.state();
  const int rank = from.group.rank();
  const auto bytes =
      static_cast<std::size_t>(from.distribution->memory_elements(rank)) * from.element_bytes;
  if (bytes > 0) copy_bytes(to.block(rank), from.block(rank), bytes);
  copy.whole_group().sync();
  return copy;
}

}  // namespace

class CheckpointSave {
 public:
  CheckpointSave(const Group& group, const std::string& folder, std::span<const NamedArray> arrays,
                 std::string state, const CheckpointOptions& options);
  CheckpointSave(const CheckpointSave&) = delete;
  CheckpointSave& operator=(const CheckpointSave&) = delete;
  ~CheckpointSave() { forget(); }

  void wait();
  bool test();
  std::int64_t step() const noexcept { return manifest_.step; }
  bool done() const noexcept { return done_; }
  bool saves(const Group& group, const std::string& folder) const {
    return folder_.path() == folder && same_members(group_, group);
  }
  /// `wait` of one that nobody waits for any more: the first rank says so if it cannot be saved.
  void finish_unwatched() noexcept;

 private:
  static constexpr const char* operation = "save checkpoint";
  bool first() const { return group_.rank() == 0; }
  void choose_step(const CheckpointOptions& options);
  void begin_arrays(std::span<const NamedArray> arrays, bool snapshot);
  void forget() noexcept;
  /// Removes what has been written, on the first rank.
  void give_up() noexcept;

  const Group group_;
  const CheckpointFolder folder_;
  const std::string state_;
  const std::int64_t keep_;
  CheckpointManifest manifest_{};
  FileIdentity identity_{};  // of the folder that is written, on the first rank
  std::vector<AnyArray> copies_;
  std::vector<DiskArray> disks_;
  std::vector<DiskRequest> requests_;
  bool done_ = false;
};

namespace {
void finish_dropped(const Group& group, const std::string& folder);
}  // namespace

CheckpointSave::CheckpointSave(const Group& group, const std::string& folder,
                               std::span<const NamedArray> arrays, std::string state,
                               const CheckpointOptions& options)
    : group_(group), folder_(folder), state_(std::move(state)), keep_(options.keep) {
  ArgumentHash hash;
  hash.add(std::string_view(folder)).add(static_cast<std::uint64_t>(options.step));
  hash.add(static_cast<std::uint64_t>(options.keep)).add(std::uint64_t{options.snapshot});
  for (const NamedArray& named : arrays) {
    require_alive(*named.array, operation);
    hash.add(std::string_view(named.name)).add(*named.array);
    manifest_.arrays.push_back({named.name, named.array->mirrored()});
  }
  enter_collective(group, operation, hash.value(), [&] {
    if (folder.empty() || folder.find('\0') != std::string::npos)
      throw Error(ErrorKind::value, "folder is '" + folder + "', expected the name of a folder");
    if (options.keep < 1)
      throw Error(ErrorKind::value,
                  "keep is " + std::to_string(options.keep) + ", expected at least 1");
    if (options.step < -1 || options.step > most_steps)
      throw Error(ErrorKind::value,
                  "step is " + std::to_string(options.step) + ", expected 0 to 10^15, or -1");
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      check_name(arrays[i].name);
      for (std::size_t j = 0; j < i; ++j)
        if (arrays[i].name == arrays[j].name)
          throw Error(ErrorKind::value, "two arrays are named '" + arrays[i].name + "'");
    }
  });
  finish_dropped(group, folder_.path());  // all agree on the folder by now
  manifest_.describe_state(state_);
  choose_step(options);
  try {
    begin_arrays(arrays, options.snapshot);
  } catch (...) {  // no memory, say: the step is not to count as one that is being saved
    give_up();
    throw;
  }
}

void CheckpointSave::choose_step(const CheckpointOptions& options) {
  bool begun = false;
  const auto begin = [&] {
    if (!first()) return;
    manifest_.step = options.step < 0 ? 0 : options.step;
    // A damaged one does not stop a run from being saved. Its number is not known, but not that far
    // from the others', or it was saved beside fewer damaged ones.
    constexpr std::int64_t far = 1 << 20;
    if (folder_.exists()) {
      for (const auto& listed : folder_.list()) {
        manifest_.number = std::max(manifest_.number, listed.number);
        if (!listed.whole) manifest_.older_unread.push_back({listed.step, listed.folder});
        if (options.step < 0) manifest_.step = std::max(manifest_.step, listed.step + 1);
      }
    }
    for (const std::int64_t other : steps_under_way(folder_.path())) {
      ++manifest_.number;
      if (options.step < 0) manifest_.step = std::max(manifest_.step, other + 1);
      if (manifest_.step == other)
        throw Error(ErrorKind::state, "step " + std::to_string(other) + " is being saved already");
    }
    manifest_.number += 1 + far * std::ssize(manifest_.older_unread);
    identity_ = folder_.begin(manifest_.step, steps_under_way(folder_.path()));
    begun = true;
    under_way().push_back({folder_.path(), manifest_.step});
  };
  try {
    enter_collective(group_, operation, 1, begin);
  } catch (...) {
    if (begun) give_up();
    throw;
  }
  group_.broadcast(std::span(&manifest_.step, 1), 0);
}

void CheckpointSave::begin_arrays(std::span<const NamedArray> arrays, bool snapshot) {
  const std::string step = folder_.before(manifest_.step);
  for (const NamedArray& named : arrays) {
    const AnyArray* source = named.array;
    if (snapshot) source = &copies_.emplace_back(copy_of(*named.array));
    disks_.push_back(DiskArray::create(group_, CheckpointFolder::array(step, named.name),
                                       source->shape(), source->type(),
                                       {.durability = Durability::checkpoint}));
    requests_.push_back(disks_.back().write_async(*source));
  }
}

void CheckpointSave::wait() {
  if (done_) return;
  done_ = true;
  try {
    wait_all_disk(requests_);
    for (DiskArray& disk : disks_) disk.close();
    enter_collective(group_, operation, static_cast<std::uint64_t>(manifest_.step), [&] {
      if (first()) folder_.finish(manifest_, state_, keep_, identity_);
    });
  } catch (...) {
    give_up();
    throw;
  }
  forget();
  requests_.clear();
  disks_.clear();
  copies_.clear();
}

void CheckpointSave::finish_unwatched() noexcept {
  try {
    wait();
  } catch (const std::exception& error) {
    if (first())
      std::fprintf(stderr,
                   "atoll: step %lld in '%s', for which nobody has waited, was not saved: %s\n",
                   static_cast<long long>(step()), folder_.path().c_str(), error.what());
  }
}

bool CheckpointSave::test() {
  return std::all_of(requests_.begin(), requests_.end(),
                     [](DiskRequest& request) { return request.test(); });
}

void CheckpointSave::forget() noexcept {
  std::erase_if(under_way(), [&](const UnderWay& one) {
    return one.folder == folder_.path() && one.step == manifest_.step;
  });
}

void CheckpointSave::give_up() noexcept {
  forget();
  try {
    wait_all_disk(requests_);  // they use the caller's arrays
  } catch (const std::exception&) {
    // An error before this one is on its way already.
  }
  requests_.clear();
  disks_.clear();
  copies_.clear();
  try {
    if (first()) remove_tree(folder_.before(manifest_.step));
  } catch (const std::exception&) {
    // The next one removes it.
  }
}

namespace {

/// Those that nobody has waited for yet, in the order of their beginnings. The same on all ranks of
/// a group.
std::vector<std::shared_ptr<CheckpointSave>>& unfinished() {
  // Nor is this: arrays cannot be let go of when the program ends without the world.
  static auto& all = *new std::vector<std::shared_ptr<CheckpointSave>>;
  return all;
}

void forget_finished() {
  std::erase_if(unfinished(), [](const auto& save) { return save->done(); });
}

/// When the world ends: what was begun is saved, though nobody waits for it.
void finish_all() {
  for (const auto& save : std::exchange(unfinished(), {})) save->finish_unwatched();
}

void finish_at_end(std::shared_ptr<CheckpointSave> save) {
  static std::uint64_t asked = 0;  // which world
  WorldState& world = WorldState::get();
  if (std::exchange(asked, world.number) != world.number) world.at_end.emplace_back(finish_all);
  unfinished().push_back(std::move(save));
}

/// Those whose requests all ranks have dropped: they hold copies of arrays. Collective.
void finish_dropped(const Group& group, const std::string& folder) {
  forget_finished();
  for (const auto& save : std::vector(unfinished())) {
    if (!save->saves(group, folder)) continue;
    constexpr long holders = 2;  // the list, and its copy here
    const std::int32_t dropped = save.use_count() == holders ? 1 : 0;
    if (group.reduce(dropped, Reduction::minimum) != 0) save->finish_unwatched();
  }
  forget_finished();
}

}  // namespace

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
  group.broadcast(found.state, 0);
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

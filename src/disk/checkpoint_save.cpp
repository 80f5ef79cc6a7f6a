// Arrays first, then the manifest, then the name.
#include "disk/checkpoint_save.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <utility>

#include "array/array_state.hpp"
#include "atoll/error.hpp"
#include "disk/names.hpp"
#include "disk/unfinished_saves.hpp"
#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

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

}  // namespace lagoon::atoll::detail

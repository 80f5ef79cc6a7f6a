#include "compat/ga/arrays.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "array/race_notes.hpp"
#include "atoll/array_in_memory.hpp"
#include "atoll/error.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

Error bad_handle(int handle) {
  return Error(ErrorKind::value, "g_a is " + std::to_string(handle) + ", no array");
}

/// Whether ranks are the same processes.
bool same_order(const Group& a, const Group& b) {
  if (a.size() != b.size()) return false;
  for (int rank = 0; rank < a.size(); ++rank)
    if (a.world_rank(rank) != b.world_rank(rank)) return false;
  return true;
}

}  // namespace

bool GlobalArray::mirrored() const {
  return plan.group == mirror_handle && Runtime::get().world().nodes() > 1;
}

Placement GlobalArray::placement() const {
  return placement_of(plan, opaque_ ? static_cast<std::int64_t>(type().bytes) : 0,
                      processes_.size());
}

/// Whom the array is created on. A mirrored one is created on the world and lies on each node.
/// Those that are to own data come first, where not all are: blocks go to the first ranks.
Group GlobalArray::storage_group(const std::vector<int>& owners) const {
  const Group& all = mirrored() ? Runtime::get().groups.at(world_handle) : processes_;
  if (owners.empty()) return all;
  if (mirrored())
    throw Error(ErrorKind::unsupported,
                "array '" + plan.name +
                    "' is mirrored: every process of a node has its part, and "
                    "none can be left out");
  std::vector<int> order = owners;
  for (int p = 0; p < all.size(); ++p)
    if (std::ranges::find(owners, p) == owners.end()) order.push_back(p);
  return all.create(order);
}

/// Of this process, before anything is allocated.
std::int64_t GlobalArray::bytes_needed(const Placement& placement) const {
  const Distribution distribution(placement.layout, stored(whole(plan.shape)).hi,
                                  processes_.size());
  const auto& only = placement.owners;
  const auto found = std::ranges::find(only, processes_.rank());
  if (!only.empty() && found == only.end()) return 0;
  const int rank = only.empty() ? processes_.rank() : static_cast<int>(found - only.begin());
  const std::size_t size = opaque_ ? 1 : type().bytes;
  return distribution.memory_elements(rank) * static_cast<std::int64_t>(size);
}

/// What allocating begins with, wherever the memory comes from.
void GlobalArray::prepare() {
  if (allocated()) throw Error(ErrorKind::state, "array '" + plan.name + "' is allocated already");
  if (plan.shape.empty())
    throw Error(ErrorKind::state, "GA_Set_data was not called for array '" + plan.name + "'");
  Runtime& runtime = Runtime::get();
  if (plan.group == group_of_allocation) plan.group = runtime.groups.default_handle();
  processes_ = runtime.groups.at(mirrored() ? mirror_handle : plan.group);
  opaque_ = !type().element;
  turn_ = runtime.allocations++;
  if (plan.cut != Cut::blocked || plan.block.empty()) return;
  // A hint, which programs may make of numbers of their own: the first process's counts.
  const Group& all = mirrored() ? runtime.groups.at(world_handle) : processes_;
  all.broadcast(std::span<std::int64_t>(plan.block.begin(), plan.block.end()), 0);
}

ArrayOptions GlobalArray::options(const Placement& placement, const Group& holders) const {
  ArrayOptions options;
  options.name = plan.name;
  holders.broadcast(options.name, 0);  // programs may give each process's array another name
  options.layout = placement.layout;
  options.mirrored = mirrored();
  return options;
}

bool GlobalArray::allocate() {
  prepare();
  Runtime& runtime = Runtime::get();
  const Placement placed = placement();
  const Group holders = storage_group(placed.owners);
  const std::int64_t needed = bytes_needed(placed);
  const bool fits = !runtime.memory_limit || runtime.memory_used + needed <= *runtime.memory_limit;
  if (holders.reduce(std::int32_t{fits}, Reduction::minimum) == 0) return false;
  try {
    array_ = std::make_unique<AnyArray>(holders, stored_shape(), stored_type(),
                                        options(placed, holders));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::memory) return false;
    throw;
  }
  bytes_ = needed;
  runtime.memory_used += bytes_;
  return true;
}

template <class Storage>
void GlobalArray::lie_in(const Storage& memory) {
  prepare();
  if (mirrored())
    throw Error(ErrorKind::unsupported,
                "array '" + plan.name + "' is mirrored: it needs memory of its own");
  const Placement placed = placement();
  if (!same_order(storage_group(placed.owners), memory.group()))
    throw Error(ErrorKind::value,
                "array '" + plan.name + "' is not of the processes that the memory lies on");
  array_ = std::make_unique<AnyArray>(
      array_in(memory, stored_shape(), stored_type(), options(placed, memory.group())));
  bytes_ = 0;  // none of its own
}

void GlobalArray::allocate_in(const AnyArray& memory) { lie_in(memory); }
void GlobalArray::allocate_in(const Memory& memory) { lie_in(memory); }

void GlobalArray::deallocate() {
  if (!allocated()) return;
  const auto before = Runtime::get().before_deallocate;
  if (before != nullptr) before(handle_);
  Runtime::get().memory_used -= bytes_;
  array_->destroy();
  array_.reset();
}

void GlobalArray::check_allocated() const {
  if (allocated()) [[likely]]
    return;
  throw Error(ErrorKind::state,
              "array " + std::to_string(handle_) + " ('" + plan.name + "') is not allocated");
}

AnyArray& GlobalArray::array() {
  check_allocated();
  return *array_;
}

const AnyArray& GlobalArray::array() const {
  check_allocated();
  return *array_;
}

Patch GlobalArray::stored(const Patch& patch) const {
  if (!opaque_) return patch;
  Patch result = patch;
  result.lo.push_back(0);
  result.hi.push_back(static_cast<std::int64_t>(type().bytes));
  if (!result.step.empty()) result.step.push_back(1);
  return result;
}

Index GlobalArray::stored_position(const Index& position) const {
  Index result = position;
  if (opaque_) result.push_back(0);
  return result;
}

Index GlobalArray::stored_strides(const Index& strides) const {
  if (!opaque_ || strides.empty()) return strides;
  Index result = strides;
  for (std::int64_t& stride : result) stride *= static_cast<std::int64_t>(type().bytes);
  result.push_back(1);
  return result;
}

const Group& GlobalArray::processes() const {
  check_allocated();
  return processes_;
}

int GlobalArray::rank_of(int process) const {
  const Group& all = processes();
  if (process < 0 || process >= all.size())
    throw Error(ErrorKind::value,
                "process is " + std::to_string(process) + " of " + std::to_string(all.size()));
  return array_->group().rank_of_world(all.world_rank(process));
}

int GlobalArray::process_of(int rank) const {
  return processes().rank_of_world(array_->group().world_rank(rank));
}

Index GlobalArray::without_bytes(const Index& values) const {
  return Index(
      std::span<const std::int64_t>(values.begin(), static_cast<std::size_t>(dimensions())));
}

Index GlobalArray::element_strides(const Index& values) const {
  Index result = without_bytes(values);
  if (opaque_)
    for (std::int64_t& stride : result) stride /= static_cast<std::int64_t>(type().bytes);
  return result;
}

Patch GlobalArray::owned(int process) const {
  const Index nowhere = Index::filled(dimensions(), 0);
  if (process < 0 || process >= processes().size()) return {nowhere, nowhere};
  const std::vector<Patch> patches = array().patches(rank_of(process));
  if (patches.empty()) return {nowhere, nowhere};
  return {without_bytes(patches.front().lo), without_bytes(patches.front().hi)};
}

LocalBlock GlobalArray::block(int process) const {
  const detail::DirectIsTold told;  // by ga_release and ga_release_update
  const LocalBlock block = array().block(rank_of(process));
  return {{without_bytes(block.patch.lo), without_bytes(block.patch.hi)},
          block.data,
          element_strides(block.strides)};
}

GlobalArray& Arrays::create(Plan plan) {
  const int handle = table_.next();
  if (handle == first_handle + most_arrays)
    throw Error(ErrorKind::value, "there are " + std::to_string(most_arrays) + " arrays already");
  plan.name.resize(std::min(plan.name.size(), longest_name));
  table_.add(std::make_unique<GlobalArray>(handle, std::move(plan)));
  return *find(handle);
}

GlobalArray& Arrays::at(int handle) {
  if (GlobalArray* found = find(handle)) [[likely]]
    return *found;
  throw bad_handle(handle);
}

void Arrays::destroy(int handle) {
  at(handle).deallocate();
  table_.take(handle);
}

void Arrays::destroy_all() {
  std::vector<int> all = handles();
  std::ranges::sort(all, {}, [&](int handle) { return at(handle).turn(); });
  for (const int handle : all) destroy(handle);
}

}  // namespace lagoon::atoll::ga

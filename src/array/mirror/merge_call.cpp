// Arguments, agreement and plans of the calls that combine copies.
#include "array/mirror/merge_call.hpp"

#include <algorithm>
#include <utility>

#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

void require_mirrored(const AnyArray& array, std::string_view operation) {
  if (array.state() == nullptr)
    throw Error(ErrorKind::state, "the array was moved from").during(operation);
  array.state()->require_alive();
  if (!array.mirrored())
    throw Error(ErrorKind::value, description(array) + " is not mirrored").during(operation);
}

std::uint64_t hash_of(const AnyArray& array) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(array.type()), array.name().size());
  hash = mix(hash, array.state()->creation);
  for (const char c : array.name()) hash = mix(hash, static_cast<unsigned char>(c));
  hash = mix(hash, static_cast<std::uint64_t>(array.dimensions()));
  for (const std::int64_t extent : array.shape())
    hash = mix(hash, static_cast<std::uint64_t>(extent));
  return hash;
}

std::uint64_t hash_with(std::uint64_t hash, const Patch& patch) {
  for (const Index* index : {&patch.lo, &patch.hi, &patch.step}) {
    hash = mix(hash, static_cast<std::uint64_t>(index->size()));
    for (const std::int64_t entry : *index) hash = mix(hash, static_cast<std::uint64_t>(entry));
  }
  return hash;
}

std::uint64_t hash_with(std::uint64_t hash, const Combination& combination) {
  return mix(hash,
             combination.function() ? 100 : static_cast<std::uint64_t>(combination.reduction()));
}

void check_unit_steps(const Patch& patch) {
  for (const std::int64_t step : patch.step)
    if (step != 1)
      throw Error(ErrorKind::value,
                  "patch " + patch.to_string() + " has steps; a merge takes whole ranges");
}

void mark_merged(Mirror& mirror, const Marks& marks, const Patch& patch, bool all_nonzero) {
  if (mirror.nodes->node().rank() != 0) return;
  mirror.tiling.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
    std::uint64_t some = 0;
    for (std::int64_t tile = first; tile < last; ++tile) {
      if (tile == first || tile % 64 == 0) some = marks.of_any(Marks::nonzero, tile / 64);
      if (all_nonzero || (some >> (tile % 64) & 1) != 0) mirror.nonzero.set(tile, tile + 1);
      if (!mirror.set_since.test(tile) && !mirror.zeroed_since.test(tile)) continue;
      if (!mirror.tiling.covered(tile, patch)) continue;
      mirror.set_since.clear(tile);
      mirror.zeroed_since.clear(tile);
    }
  });
}

std::shared_ptr<MergeJob> start_merge(MergeTask task) {
  ArrayState& array = *task.array;
  array.mirror->begin_merge();
  auto job = std::make_shared<MergeJob>(std::move(task));
  WorldState& world = array.group.state()->world();
  world.chores.push_back(job);
  (void)world.serve(*job);
  return job;
}

void wait_for(MergeJob& job) {
  // Whatever moves begins the waiting anew: a long merge is not slept through.
  WorldState& world = WorldState::get();
  while (!job.settled()) world.wait_for_message([&] { return world.serve(job) || job.settled(); });
  job.rethrow();
}

void insert(NodeSet& set, int node) {
  set[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
}

NodeSet all_nodes(int nodes) {
  NodeSet set((static_cast<std::size_t>(nodes) + 63) / 64);
  for (int node = 0; node < nodes; ++node) insert(set, node);
  return set;
}

void add_patch(MergePlan& plan, const Tiling& tiling, const Marks& marks, const Combiner& combiner,
               const Patch& patch, int home) {
  plan.confine(patch);
  const NodeSet everybody = all_nodes(marks.nodes());
  const NodeSet nobody(everybody.size());
  NodeSet set = everybody, next = everybody;
  const auto add = [&](std::int64_t first, std::int64_t last) {
    if (first < last && (home >= 0 || set != nobody)) plan.add(first, last, set, home);
  };
  tiling.for_each_run(patch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; combiner.zero_from_zeros() && tile < last;) {
      const std::int64_t end = std::min(last, (tile / 64 + 1) * 64);
      if (marks.same(Marks::nonzero, tile, end, set)) {
        tile = end;
        continue;
      }
      marks.nodes_with(Marks::nonzero, tile, next);
      if (next != set) {
        add(first, tile);
        first = tile;
        set.swap(next);
      }
      ++tile;
    }
    add(first, last);
  });
}

void agree_alone(const Group& whole, std::string_view operation, std::uint64_t arguments,
                 const Checked& checked) {
  enter_collective(whole, operation, arguments, [&] {
    if (checked.failure) throw Error(*checked.failure);
  });
}

}  // namespace lagoon::atoll::detail

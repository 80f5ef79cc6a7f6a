// What merge, publish and merge_into have in common: checks of arguments, agreement, plans.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "array/array_state.hpp"
#include "array/description.hpp"
#include "array/mirror/merge_job.hpp"
#include "array/mirror/merge_meeting.hpp"
#include "array/mirror/merge_plan.hpp"
#include "atoll/error.hpp"
#include "atoll/mirror.hpp"

namespace lagoon::atoll::detail {

/// Error when the array was moved from or destroyed, or is not mirrored.
void require_mirrored(const AnyArray& array, std::string_view operation);
void check_unit_steps(const Patch& patch);

// What ranks must agree on.
std::uint64_t hash_of(const AnyArray& array);
std::uint64_t hash_with(std::uint64_t hash, const Patch& patch);
std::uint64_t hash_with(std::uint64_t hash, const Combination& combination);

/// The combiner, or what is wrong with this rank's arguments.
struct Checked {
  Failure failure;
  std::unique_ptr<const Combiner> combiner;
};
template <class F>
Checked checked(F&& f) {
  Checked result;
  result.failure = attempt([&] { result.combiner = std::make_unique<const Combiner>(f()); });
  return result;
}

/// Where all copies are one: nothing to combine, but the call is collective.
void agree_alone(const Group& whole, std::string_view operation, std::uint64_t arguments,
                 const Checked& checked);

NodeSet all_nodes(int nodes);
void insert(NodeSet& set, int node);

/// Adds the tiles of `patch` to the plan by contributors; those without any only with a `home`.
void add_patch(MergePlan& plan, const Tiling& tiling, const Marks& marks, const Combiner& combiner,
               const Patch& patch, int home);

/// Every rank has read what the nodes said, or will; the marks of my node change now.
void mark_merged(Mirror& mirror, const Marks& marks, const Patch& patch, bool all_nonzero);

/// Begins the job of this rank; it goes on whenever the rank is inside Atoll.
std::shared_ptr<MergeJob> start_merge(MergeTask task);
/// Waits until my node has done its part; throws what this rank's part met.
void wait_for(MergeJob& job);

}  // namespace lagoon::atoll::detail

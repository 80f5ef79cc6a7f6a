// merge_into: the copies combined, in a distributed array.
#include "array/distribution/piece.hpp"
#include "array/mirror/merge_call.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll {

namespace {

void require_target(const AnyArray& array, const AnyArray& target) {
  if (target.state() == nullptr) throw Error(ErrorKind::state, "the target was moved from");
  target.state()->require_alive();
  target.state()->require_writable();
  const Group &whole = array.whole_group(), &theirs = target.group();
  bool same = !target.mirrored() && whole.size() == theirs.size();
  for (int rank = 0; same && rank < whole.size(); ++rank)
    same = whole.world_rank(rank) == theirs.world_rank(rank);
  if (!same)
    throw Error(ErrorKind::value, detail::description(target) +
                                      " is not distributed over the ranks of all copies of " +
                                      detail::description(array));
}

detail::Combiner check_into(const AnyArray& array, const Patch& patch, const AnyArray& target,
                            const Patch& target_patch, const Combination& combination, int nodes) {
  array.state()->check_patch(patch);
  target.state()->check_patch(target_patch);
  detail::check_unit_steps(patch);
  detail::check_unit_steps(target_patch);
  if (array.type() != target.type())
    throw Error(ErrorKind::type,
                detail::description(array) + " holds " + std::string(name_of(array.type())) + ", " +
                    detail::description(target) + " holds " + std::string(name_of(target.type())));
  if (patch.shape() != target_patch.shape())
    throw Error(ErrorKind::value, "patch " + patch.to_string() + " and target patch " +
                                      target_patch.to_string() + " have different shapes");
  return {combination, array.type(), nodes};
}

}  // namespace

void merge_into(const AnyArray& array, AnyArray& target, const Combination& combination) {
  merge_into(array, whole(array.shape()), target, whole(target.shape()), combination);
}

void merge_into(const AnyArray& array, const Patch& patch, AnyArray& target,
                const Patch& target_patch, const Combination& combination) {
  constexpr std::string_view operation = "merge_into";
  detail::require_mirrored(array, operation);
  const std::shared_ptr<detail::ArrayState>& state = array.state();
  const detail::ProfiledCall call(state->profile, "merge_into");
  detail::Mirror& mirror = *state->mirror;
  const int nodes = mirror.nodes->nodes();
  const detail::Checked checked = detail::checked([&] {
    require_target(array, target);
    return check_into(array, patch, target, target_patch, combination, nodes);
  });
  const std::uint64_t hash = detail::hash_with(
      detail::hash_with(detail::hash_with(detail::hash_of(array), patch), target_patch),
      combination);
  if (nodes == 1)
    detail::agree_alone(mirror.whole, operation, hash, checked);
  else
    (void)detail::meet(*state, operation, hash, 1, checked.failure);
  detail::MergeTask task{state, target.state(), patch.lo, *checked.combiner, {}};
  for (int d = 0; d < patch.dimensions(); ++d) task.shift[d] = target_patch.lo[d] - patch.lo[d];
  if (nodes == 1) {
    // One copy: everybody writes the blocks that it owns.
    const detail::MirrorMemory source(*state), into(*target.state());
    for (const Patch& block : target.patches(target.group().rank())) {
      const Patch part = intersection(block, {target_patch.lo, target_patch.hi, {}});
      if (part.empty()) continue;
      std::vector<std::byte> buffer(static_cast<std::size_t>(part.elements()) *
                                    state->element_bytes);
      source.pack(detail::shifted(part, task.shift, -1), buffer.data());
      into.unpack(part, buffer.data());
    }
  } else {
    detail::wait_for(*detail::must_go_on(operation, [&] {
      const detail::Marks marks(mirror);
      detail::MergePlan plan(*mirror.nodes, mirror.tiling, state->element_bytes);
      for (int owner = 0; owner < target.group().size(); ++owner)
        for (const Patch& block : target.patches(owner)) {
          const Patch part = intersection(block, {target_patch.lo, target_patch.hi, {}});
          if (part.empty()) continue;
          detail::add_patch(plan, mirror.tiling, marks, *checked.combiner,
                            detail::shifted(part, task.shift, -1), target.group().node_of(owner));
        }
      task.parcels = plan.parcels(mirror.whole.rank(), false);
      return detail::start_merge(std::move(task));
    }));
  }
  detail::leave_collective(target.group());
}

}  // namespace lagoon::atoll

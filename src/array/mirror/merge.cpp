// merge: from the nodes' marks to a plan, and the job that carries it out.
#include <optional>

#include "array/mirror/merge_call.hpp"
#include "array/mirror/small_merge.hpp"
#include "world/group_state.hpp"
#include "world/thread_rule.hpp"

namespace lagoon::atoll {

namespace {

std::shared_ptr<detail::MergeJob> begin_merge(AnyArray& array, const Patch& patch,
                                              const Combination& combination) {
  constexpr std::string_view operation = "merge";
  detail::require_mirrored(array, operation);
  const std::shared_ptr<detail::ArrayState>& state = array.state();
  detail::Mirror& mirror = *state->mirror;
  const int nodes = mirror.nodes->nodes();
  const detail::Checked checked = detail::checked([&] {
    state->check_patch(patch);
    detail::check_unit_steps(patch);
    return detail::Combiner(combination, state->type, nodes);
  });
  const std::uint64_t hash =
      detail::hash_with(detail::hash_with(detail::hash_of(array), patch), combination);
  if (nodes == 1) {
    detail::agree_alone(mirror.whole, operation, hash, checked);
    return nullptr;
  }
  std::optional<detail::SmallMerge> small;
  if (checked.combiner != nullptr && !combination.function())
    small.emplace(*state, patch, *checked.combiner);
  const detail::Marks marks =
      detail::meet(*state, operation, hash, 1, checked.failure, small ? &*small : nullptr);
  if (small && marks.merged()) return nullptr;
  return detail::must_go_on(operation, [&] {
    detail::MergePlan plan(*mirror.nodes, mirror.tiling, state->element_bytes);
    detail::add_patch(plan, mirror.tiling, marks, *checked.combiner, patch, -1);
    detail::mark_merged(mirror, marks, patch, !checked.combiner->zero_from_zeros());
    return detail::start_merge(
        {state, nullptr, {}, *checked.combiner, plan.parcels(mirror.whole.rank(), true)});
  });
}

}  // namespace

PendingMerge::PendingMerge() noexcept = default;
PendingMerge::PendingMerge(std::shared_ptr<detail::MergeJob> job) noexcept : job_(std::move(job)) {}
PendingMerge::PendingMerge(PendingMerge&&) noexcept = default;

PendingMerge& PendingMerge::operator=(PendingMerge&& other) noexcept {
  PendingMerge earlier(std::move(*this));
  job_ = std::move(other.job_);
  return *this;
}

PendingMerge::~PendingMerge() {
  if (job_ == nullptr || std::uncaught_exceptions() > 0) return;
  try {
    wait();
  } catch (...) {  // nobody is left to tell
  }
}

void PendingMerge::let_go() noexcept { job_.reset(); }

void PendingMerge::wait() {
  if (job_ == nullptr) return;
  detail::ThreadRule::check();
  const auto job = std::move(job_);
  if (job->alive()) detail::wait_for(*job);
}

bool PendingMerge::test() {
  if (job_ == nullptr) return true;
  if (job_->alive() && !job_->settled()) (void)detail::WorldState::get().serve();
  return !job_->alive() || job_->settled();
}

PendingMerge merge_begin(AnyArray& array, const Combination& combination) {
  return merge_begin(array, whole(array.shape()), combination);
}

PendingMerge merge_begin(AnyArray& array, const Patch& patch, const Combination& combination) {
  const detail::ProfiledCall call(array.state() != nullptr ? array.state()->profile : nullptr,
                                  "merge_begin");
  return PendingMerge(begin_merge(array, patch, combination));
}

void merge(AnyArray& array, const Combination& combination) {
  merge(array, whole(array.shape()), combination);
}

void merge(AnyArray& array, const Patch& patch, const Combination& combination) {
  const detail::ProfiledCall call(array.state() != nullptr ? array.state()->profile : nullptr,
                                  "merge");
  if (const auto job = begin_merge(array, patch, combination)) detail::wait_for(*job);
}

}  // namespace lagoon::atoll

// The barrier of a group, and the comparison that rides on it.
#include <array>

#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

void GroupState::barrier() { meet(false); }

Agreement GroupState::agree(std::uint64_t hash, bool failed) {
  const bool news = looked_at_ != world_->retirements;
  if (size_ == 1) return {failed ? 0 : -1, false, news};
  control_->slots[local_] = {hash, failed ? 1 : 0, news ? 1 : 0};
  meet(true);
  return {control_->verdict_failed, control_->verdict_mismatch != 0, control_->verdict_news != 0};
}

// Invariant: `arrived` is zero whenever an epoch begins. The verdict of an epoch is written before
// the epoch moves, and not again before all members have come to the next meeting.
void GroupState::meet(bool compare) {
  WorldState& world = *world_;
  if (size_ == 1) return;
  world.observe_agent();
  GroupControl& control = *control_;
  const auto members = static_cast<std::uint32_t>(node_ranks_.size());
  const std::uint32_t epoch = control.epoch.value();
  const std::uint32_t place = control.arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
  const bool across = nodes() > 1;
  const bool completes = across ? local_ == 0 : place == members;
  if (completes) {
    if (across)
      world.wait_until([&] { return control.arrived.load(std::memory_order_acquire) == members; });
    if (compare) judge();
    if (across && compare) {
      judge_across_nodes();
    } else if (across) {
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Ibarrier(heads_, &request), "MPI_Ibarrier");
      world.wait(request);
    }
    control.arrived.store(0, std::memory_order_relaxed);
    control.epoch.ring(epoch + 1);
  } else {
    control.epoch.wait_while(world, epoch);
  }
  world.observe_agent();
}

void GroupState::judge() {
  GroupControl& control = *control_;
  control.verdict_failed = -1;
  control.verdict_mismatch = 0;
  control.verdict_news = control.retired.load(std::memory_order_relaxed) != 0 ? 1 : 0;
  for (std::size_t i = 0; i < node_ranks_.size(); ++i) {
    const GroupControl::Slot& slot = control.slots[i];
    if (slot.failed != 0 && control.verdict_failed < 0) control.verdict_failed = node_ranks_[i];
    if (slot.hash != control.slots[0].hash) control.verdict_mismatch = 1;
    if (slot.news != 0) control.verdict_news = 1;
  }
}

void GroupState::judge_across_nodes() {
  GroupControl& control = *control_;
  const std::uint64_t hash = control.slots[0].hash;
  // One minimum says it all: hashes agree when the least hash is the greatest.
  std::array<std::uint64_t, 5> mine = {
      control.verdict_failed < 0 ? UINT64_MAX : static_cast<std::uint64_t>(control.verdict_failed),
      hash, ~hash, control.verdict_mismatch != 0 ? 0U : 1U, control.verdict_news != 0 ? 0U : 1U};
  std::array<std::uint64_t, 5> least{};
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(mine.data(), least.data(), 5, MPI_UINT64_T, MPI_MIN, heads_, &request),
            "MPI_Iallreduce");
  world_->wait(request);
  control.verdict_failed = least[0] == UINT64_MAX ? -1 : static_cast<std::int32_t>(least[0]);
  control.verdict_mismatch = least[1] != ~least[2] || least[3] == 0 ? 1 : 0;
  control.verdict_news = least[4] == 0 ? 1 : 0;
}

}  // namespace lagoon::atoll::detail

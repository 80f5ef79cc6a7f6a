// The meeting of a group, and the comparison that rides on it.
#include <algorithm>
#include <array>

#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// Of the messages between heads. Two heads meet in one order, whichever groups they do it in; tags
// keep apart those of a program in disorder.
constexpr int first_tag = 1024;
constexpr std::uint64_t tags = 16384;

}  // namespace

// Invariant: `arrived` is zero whenever an epoch begins. The verdict of an epoch is written before
// the epoch moves, and not again before all members have come to the next meeting.
Agreement GroupState::meet(std::uint64_t hash, bool failed) {
  const bool news = looked_at_ != world_->retirements;
  if (size_ == 1) return {failed ? 0 : -1, false, news};
  WorldState& world = *world_;
  world.observe_agent();
  GroupControl& control = *control_;
  control.slots[local_] = {hash, failed ? 1 : 0, news ? 1 : 0};
  const auto members = static_cast<std::uint32_t>(node_ranks_.size());
  const std::uint32_t epoch = control.epoch.value();
  const std::uint32_t place = control.arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
  const bool across = nodes() > 1;
  const bool completes = across ? local_ == 0 : place == members;
  if (completes) {
    if (across)
      world.wait_until([&] { return control.arrived.load(std::memory_order_acquire) == members; });
    judge();
    if (across) judge_across_nodes();
    control.arrived.store(0, std::memory_order_relaxed);
    control.epoch.ring(epoch + 1);
  } else {
    control.epoch.wait_while(world, epoch);
  }
  world.observe_agent();
  return {control.verdict_failed, control.verdict_mismatch != 0, control.verdict_news != 0};
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

// By dissemination: in round k everybody tells what it has heard of to the node 2^k further. A
// minimum may count twice. Messages, not a collective of MPI's, which would need a communicator of
// the heads for each group.
void GroupState::judge_across_nodes() {
  GroupControl& control = *control_;
  WorldState& world = *world_;
  const std::uint64_t hash = control.slots[0].hash;
  // One minimum says it all: hashes agree when the least hash is the greatest.
  std::array<std::uint64_t, 5> least = {
      control.verdict_failed < 0 ? UINT64_MAX : static_cast<std::uint64_t>(control.verdict_failed),
      hash, ~hash, control.verdict_mismatch != 0 ? 0U : 1U, control.verdict_news != 0 ? 0U : 1U};
  const int n = nodes(), me = node_of(rank_);
  const auto head = [&](int node) { return heads_[static_cast<std::size_t>(node % n)]; };
  const int tag = first_tag + static_cast<int>(mix(0, number_) % tags);
  for (int reach = 1; reach < n; reach *= 2) {
    std::array<std::uint64_t, 5> heard{};
    MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(heard.data(), 5, MPI_UINT64_T, head(me + n - reach), tag,
                        world.communicator, &receive),
              "MPI_Irecv");
    check_mpi(
        MPI_Isend(least.data(), 5, MPI_UINT64_T, head(me + reach), tag, world.communicator, &send),
        "MPI_Isend");
    world.wait(receive);
    world.wait(send);
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], heard[i]);
  }
  control.verdict_failed = least[0] == UINT64_MAX ? -1 : static_cast<std::int32_t>(least[0]);
  control.verdict_mismatch = least[1] != ~least[2] || least[3] == 0 ? 1 : 0;
  control.verdict_news = least[4] == 0 ? 1 : 0;
}

}  // namespace lagoon::atoll::detail

// The meeting of a group, and the comparison that rides on it.
#include <algorithm>
#include <array>
#include <cassert>

#include "mpi/face.hpp"
#include "world/group_state.hpp"
#include "world/least.hpp"
#include "world/race/detector.hpp"

namespace lagoon::atoll::detail {

namespace {

// Of the messages between heads. Tags keep apart the groups of a program in disorder.
constexpr int first_tag = 1024;
constexpr std::uint64_t tags = 16384;

}  // namespace

// By dissemination: in round k everybody tells what it has heard of to the member 2^k further. A
// minimum may count twice.
void find_least(WorldState& world, int members, int me, const std::function<int(int)>& world_rank,
                int tag, std::span<std::uint64_t> words) {
  std::array<std::uint64_t, most_words> heard{};  // in the midst of a meeting nothing may fail
  assert(words.size() <= most_words);
  const auto count = static_cast<int>(words.size());
  for (int reach = 1; reach < members; reach *= 2) {
    mpi::Request receive = mpi::request_null, send = mpi::request_null;
    const int next = world_rank((me + reach) % members);
    world.meeting_messages.sent(next);
    check_mpi(
        mpi::irecv(heard.data(), count, mpi::type_uint64,
                   world_rank((me + members - reach) % members), tag, world.communicator, &receive),
        "MPI_Irecv");
    check_mpi(
        mpi::isend(words.data(), count, mpi::type_uint64, next, tag, world.communicator, &send),
        "MPI_Isend");
    unfailing("a meeting", [&] {  // whose other messages still have this memory
      world.wait(receive);
      world.wait(send);
    });
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::min(words[i], heard[i]);
  }
  world.meeting_messages.over(members, me, world_rank);
}

namespace {

// What members have to tell each other beside the hash: whether something was retired, and whether
// there is anything for the race detector to judge.
constexpr std::int32_t retired_news = 1, race_news = 2;

}  // namespace

// Invariant: `arrived` is zero whenever an epoch begins. The verdict of an epoch is written before
// the epoch moves, and not again before all members have come to the next meeting.
Agreement GroupState::meet(std::uint64_t hash, bool failed) {
  const OneCollective alone(*world_);
  const bool news = looked_at_ != world_->retirements.load();
  world_->meetings.fetch_add(1, std::memory_order_relaxed);
  came_together();
  WorldState& world = *world_;
  race::Detector* const races = race::Detector::running;
  const bool has_races = races != nullptr && races->has_news();
  const auto heard = [&](bool any) {
    if (size_ == world.topology.size) races->heard(any);
  };
  if (size_ == 1) {
    if (races != nullptr) heard(has_races);
    return {failed ? 0 : -1, false, news};
  }
  const InCollectiveCall call = in_call();
  world.observe_agent();
  GroupControl& control = *control_;
  control.slots[local_] = {hash, failed ? 1 : 0,
                           (news ? retired_news : 0) | (has_races ? race_news : 0)};
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
    world.wait_while(control.epoch, epoch);
  }
  world.observe_agent();
  if (races != nullptr) {
    heard((control.verdict_news & race_news) != 0);
    races->met(mix(number_, call_.number), size_);
  }
  return {control.verdict_failed, control.verdict_mismatch != 0,
          (control.verdict_news & retired_news) != 0};
}

void GroupState::judge() {
  GroupControl& control = *control_;
  control.verdict_failed = -1;
  control.verdict_mismatch = 0;
  control.verdict_news = control.retired.load(std::memory_order_relaxed) != 0 ? retired_news : 0;
  for (std::size_t i = 0; i < node_ranks_.size(); ++i) {
    const GroupControl::Slot& slot = control.slots[i];
    if (slot.failed != 0 && control.verdict_failed < 0) control.verdict_failed = node_ranks_[i];
    if (slot.hash != control.slots[0].hash) control.verdict_mismatch = 1;
    control.verdict_news |= slot.news;
  }
}

void GroupState::judge_across_nodes() {
  GroupControl& control = *control_;
  const std::uint64_t hash = control.slots[0].hash;
  // One minimum says it all: hashes agree when the least hash is the greatest.
  std::array<std::uint64_t, 6> least = {
      control.verdict_failed < 0 ? UINT64_MAX : static_cast<std::uint64_t>(control.verdict_failed),
      hash,
      ~hash,
      control.verdict_mismatch != 0 ? 0U : 1U,
      (control.verdict_news & retired_news) != 0 ? 0U : 1U,
      (control.verdict_news & race_news) != 0 ? 0U : 1U};
  const std::size_t words = race::Detector::running == nullptr ? 5 : 6;
  find_least(
      *world_, nodes(), node_of(rank_),
      [&](int node) { return heads_[static_cast<std::size_t>(node)]; },
      first_tag + static_cast<int>(mix(0, number_) % tags), std::span(least).first(words));
  control.verdict_failed = least[0] == UINT64_MAX ? -1 : static_cast<std::int32_t>(least[0]);
  control.verdict_mismatch = least[1] != ~least[2] || least[3] == 0 ? 1 : 0;
  control.verdict_news = (least[4] == 0 ? retired_news : 0) | (least[5] == 0 ? race_news : 0);
}

}  // namespace lagoon::atoll::detail

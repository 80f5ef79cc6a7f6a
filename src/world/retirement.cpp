// What ranks have let go, until all members have. In an agreement of any group that all of them are
// in, each offers what it has retired; what all offer goes.
#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "mpi/face.hpp"
#include "world/group_state.hpp"
#include "world/let_go.hpp"
#include "world/node_group.hpp"

namespace lagoon::atoll::detail {

namespace {

// The last handle of a group may go in any thread, while the rank's own goes through the lists.
struct LetGo {
  std::mutex mutex;
  std::vector<std::unique_ptr<GroupState>> groups;
};
/// It outlives whatever the end of the program destroys.
LetGo& let_go() {
  static LetGo& all = *new LetGo;
  return all;
}

/// In the place of a segment's sequence: the group itself, with all that is left in it.
constexpr std::uint64_t whole_group = UINT64_MAX;
/// In the place of all offers: somebody's writes failed.
constexpr SegmentNumber lost_write{UINT64_MAX, 0};

/// How many ranks offer each number. Collective over `communicator`.
std::map<SegmentNumber, int> tally(WorldState& world, mpi::Comm communicator,
                                   const std::vector<SegmentNumber>& offers) {
  int size = 0;
  mpi::comm_size(communicator, &size);
  const int mine = static_cast<int>(2 * offers.size());
  std::vector<int> words(static_cast<std::size_t>(size)), places(words.size());
  mpi::Request request = mpi::request_null;
  check_mpi(mpi::iallgather(&mine, 1, mpi::type_int, words.data(), 1, mpi::type_int, communicator,
                            &request),
            "MPI_Iallgather");
  world.wait(request);
  std::exclusive_scan(words.begin(), words.end(), places.begin(), 0);
  std::vector<SegmentNumber> all(static_cast<std::size_t>(places.back() + words.back()) / 2);
  std::map<SegmentNumber, int> counts;
  if (all.empty()) return counts;
  check_mpi(mpi::iallgatherv(offers.data(), mine, mpi::type_uint64, all.data(), words.data(),
                             places.data(), mpi::type_uint64, communicator, &request),
            "MPI_Iallgatherv");
  world.wait(request);
  for (const SegmentNumber& number : all) ++counts[number];
  return counts;
}

}  // namespace

// Members meet inside: who lacks memory there would leave the others in that meeting.
std::shared_ptr<GroupState> GroupState::make(WorldState& world, mpi::Comm communicator) {
  return must_go_on("making a group", [&]() -> std::shared_ptr<GroupState> {
    std::unique_ptr<GroupState> made(new GroupState(world, communicator));
    world.groups.push_back(made.get());
    return {made.release(), [](GroupState* state) { retire(std::unique_ptr<GroupState>(state)); }};
  });
}

void GroupState::retire(std::unique_ptr<GroupState> group) {
  if (group->started_in() == nullptr) return;
  WorldState& world = *group->world_;
  unfailing("letting a group go", [&] {
    const std::lock_guard lock(let_go().mutex);
    let_go().groups.push_back(std::move(group));
  });
  world.retirements.fetch_add(1);  // not before: who reads it takes in what is there then
}

void take_in_what_was_let_go(WorldState& world) {
  for (;;) {
    std::vector<std::unique_ptr<GroupState>> groups;
    {
      const std::lock_guard lock(let_go().mutex);
      groups.swap(let_go().groups);
    }
    if (groups.empty()) return;
    for (auto& group : groups) {
      group->node_group.reset();  // with it goes another group
      std::erase(world.groups, group.get());
      unfailing("letting a group go", [&] { world.retired.push_back(std::move(group)); });
    }
  }
}

GroupState::~GroupState() {
  if (started_in() == nullptr) return;
  collect_dropped();
  for (const Holding* segment : dropped_) free_segment(*world_, *segment);
  world_->observe_agent();  // it may serve what comes here next
  if (control_->holders.fetch_sub(1) == 1) world_->arena().free(control_offset_);
  for (mpi::Comm& communicator : communicators_) mpi::comm_free(&communicator);
}

void GroupState::retire(Holding& segment) noexcept {
  segment.next_retired = control_->retired.load(std::memory_order_relaxed);
  while (!control_->retired.compare_exchange_weak(
      segment.next_retired, segment.offset, std::memory_order_acq_rel, std::memory_order_relaxed)) {
  }
}

void GroupState::collect_dropped() {
  if (local_ != 0) return;
  for (std::uint64_t next = control_->retired.exchange(0, std::memory_order_acq_rel); next != 0;) {
    auto* const segment = reinterpret_cast<Holding*>(world_->arena().at(next));
    dropped_.push_back(segment);
    next = segment->next_retired;
  }
}

void GroupState::free_dropped(const std::map<SegmentNumber, int>& offers) {
  std::erase_if(dropped_, [&](const Holding* segment) {
    const auto offer = offers.find(segment->number);
    if (offer == offers.end() || offer->second != nodes()) return false;
    free_segment(*world_, *segment);
    return true;
  });
}

bool GroupState::lies_in(const GroupState& outer) const {
  for (int rank = 0; rank < size_; ++rank)
    if (outer.rank_of_world(world_rank(rank)) < 0) return false;
  return true;
}

/// Collective. Whether somebody's offer was that of a lost write.
bool GroupState::give_back_what_all_offer(const std::vector<SegmentNumber>& offers) {
  WorldState& world = *world_;
  const std::map<SegmentNumber, int> counts = tally(world, communicator_, offers);
  for (GroupState* group : world.groups) group->free_dropped(counts);
  for (const auto& [number, count] : counts) {
    if (number.sequence != whole_group) continue;
    const auto found = std::ranges::find_if(
        world.retired,
        [wanted = number.group](const auto& group) { return group->number() == wanted; });
    if (found == world.retired.end() || (*found)->size() != count) continue;
    const std::unique_ptr<GroupState> gone = std::move(*found);
    world.retired.erase(found);
  }
  return counts.contains(lost_write);
}

void GroupState::reclaim() {
  WorldState& world = *world_;
  looked_at_ = world.retirements.load();
  take_in_what_was_let_go(world);
  std::vector<SegmentNumber> offers;
  const Failure failure = attempt([&] {
    // Whoever offers something must have no write to it under way.
    world.fence();
    for (const auto& group : world.retired) offers.push_back({group->number(), whole_group});
    for (GroupState* group : world.groups) {
      group->collect_dropped();
      if (group->dropped_.empty() || !group->lies_in(*this)) continue;
      for (const Holding* segment : group->dropped_) offers.push_back(segment->number);
    }
  });
  const bool lost = must_go_on("giving memory back", [&] {
    return give_back_what_all_offer(failure ? std::vector{lost_write} : offers);
  });
  if (failure) throw Error(*failure);
  if (lost) throw Error(ErrorKind::state, "an earlier write of another member was lost");
}

}  // namespace lagoon::atoll::detail

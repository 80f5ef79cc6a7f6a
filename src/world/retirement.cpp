// What ranks have let go, until all members have. In an agreement of any group that all of them are
// in, each offers what it has retired; what all offer goes.
#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
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

using Offers = std::vector<SegmentNumber>;
using Counts = std::map<SegmentNumber, int>;

std::uint64_t hash_of(std::span<const SegmentNumber> offers) noexcept {
  std::uint64_t hash = offers.size();
  for (const SegmentNumber& number : offers) hash = mix(mix(hash, number.group), number.sequence);
  return hash;
}

/// How many ranks offer each number of mine, where all that offer groups offer the same groups, and
/// all that offer segments the same segments: nearly always. Else nothing. In both cases all ranks
/// alike. What one has to tell is a few words, however many ranks there are. `offers` are sorted.
std::optional<Counts> tally_of_like_offers(WorldState& world, mpi::Comm communicator,
                                           const Offers& groups, const Offers& segments) {
  // The greatest of hashes and of their complements are of one hash where all are alike.
  std::array<std::uint64_t, 4> greatest{};
  std::array<int, 3> sums{};
  const auto put = [&](std::size_t kind, const Offers& offers) {
    if (offers.empty()) return;
    const std::uint64_t hash = hash_of(offers);
    greatest[2 * kind] = hash;
    greatest[2 * kind + 1] = ~hash;
    sums[kind] = 1;
  };
  const bool lost = !segments.empty() && segments.front() == lost_write;
  if (lost) sums[2] = 1;
  put(0, groups);
  put(1, segments);
  std::array<mpi::Request, 2> requests{};
  auto all_greatest = greatest;
  auto all_sums = sums;
  check_mpi(mpi::iallreduce(greatest.data(), all_greatest.data(), 4, mpi::type_uint64, mpi::op_max,
                            communicator, &requests[0]),
            "MPI_Iallreduce");
  check_mpi(mpi::iallreduce(sums.data(), all_sums.data(), 3, mpi::type_int, mpi::op_sum,
                            communicator, &requests[1]),
            "MPI_Iallreduce");
  for (mpi::Request& request : requests) world.wait(request);
  for (const std::size_t kind : {0U, 1U})
    if (all_sums[kind] > 0 && all_greatest[2 * kind] != ~all_greatest[2 * kind + 1]) return {};
  Counts counts;
  for (const SegmentNumber& number : groups) counts[number] = all_sums[0];
  for (const SegmentNumber& number : segments) counts[number] = all_sums[1];
  if (all_sums[2] > 0) counts[lost_write] = all_sums[2];
  return counts;
}

/// How many ranks offer each number. Collective over `communicator`.
Counts tally(WorldState& world, mpi::Comm communicator, const Offers& offers) {
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
  Offers all(static_cast<std::size_t>(places.back() + words.back()) / 2);
  Counts counts;
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

/// Collective. Whether somebody's offer was that of a lost write.
bool GroupState::give_back_what_all_offer(std::vector<SegmentNumber> groups,
                                          std::vector<SegmentNumber> segments) {
  WorldState& world = *world_;
  std::ranges::sort(groups);
  std::ranges::sort(segments);
  std::optional<Counts> found = tally_of_like_offers(world, communicator_, groups, segments);
  if (!found) {
    segments.insert(segments.end(), groups.begin(), groups.end());
    found = tally(world, communicator_, segments);
  }
  const Counts& counts = *found;
  for (GroupState* group : world.groups) group->free_dropped(counts);
  for (const auto& [number, count] : counts) {
    if (number.sequence != whole_group) continue;
    const auto group = std::ranges::find_if(
        world.retired,
        [wanted = number.group](const auto& other) { return other->number() == wanted; });
    if (group == world.retired.end() || (*group)->size() != count) continue;
    const std::unique_ptr<GroupState> gone = std::move(*group);
    world.retired.erase(group);
  }
  return counts.contains(lost_write);
}

void GroupState::reclaim() {
  WorldState& world = *world_;
  looked_at_ = world.retirements.load();
  take_in_what_was_let_go(world);
  Offers groups, segments;
  const Failure failure = attempt([&] {
    // Whoever offers something must have no write to it under way.
    world.fence();
    for (const auto& group : world.retired) groups.push_back({group->number(), whole_group});
    for (GroupState* group : world.groups) {
      group->collect_dropped();
      if (group->dropped_.empty() || !group->lies_in(*this)) continue;
      for (const Holding* segment : group->dropped_) segments.push_back(segment->number);
    }
  });
  const bool lost = must_go_on("giving memory back", [&] {
    return failure ? give_back_what_all_offer({}, {lost_write})
                   : give_back_what_all_offer(std::move(groups), std::move(segments));
  });
  if (failure) throw Error(*failure);
  if (lost) throw Error(ErrorKind::state, "an earlier write of another member was lost");
}

}  // namespace lagoon::atoll::detail

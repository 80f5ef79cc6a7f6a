// GroupState: construction and inquiries. Its agreement: collective.cpp.
#include "world/group_state.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>

#include "mpi/face.hpp"
#include "world/forked_child.hpp"
#include "world/node_group.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t groups_per_rank = std::uint64_t{1} << 32;
constexpr std::uint64_t no_room = UINT64_MAX;

}  // namespace

GroupState::GroupState(WorldState& world, mpi::Comm communicator)
    : world_(&world),
      world_number_(world.number),
      communicator_(communicator),
      communicators_{communicator},
      looked_at_(world.retirements) {
  mpi::comm_rank(communicator_, &rank_);
  mpi::comm_size(communicator_, &size_);
  try {
    find_members();
    share_control();
  } catch (...) {
    mpi::comm_free(&communicator_);
    throw;
  }
}

void GroupState::find_members() {
  const Topology& topology = world_->topology;
  std::vector<std::int32_t> members(static_cast<std::size_t>(size_));
  check_mpi(mpi::allgather(&topology.rank, 1, mpi::type_int32, members.data(), 1, mpi::type_int32,
                           communicator_),
            "MPI_Allgather");
  std::vector<bool> seen(static_cast<std::size_t>(topology.nodes), false);
  bool identity = size_ == topology.size;
  for (int r = 0; r < size_; ++r) {
    const std::int32_t member = members[static_cast<std::size_t>(r)];
    const std::int32_t node = topology.node_of[static_cast<std::size_t>(member)];
    identity = identity && member == r;
    if (!seen[static_cast<std::size_t>(node)]) {
      node_numbers_.push_back(node);
      heads_.push_back(member);
    }
    seen[static_cast<std::size_t>(node)] = true;
    if (node == topology.node) {
      if (r == rank_) local_ = static_cast<int>(node_ranks_.size());
      node_ranks_.push_back(r);
    }
  }
  if (!identity) world_ranks_ = std::move(members);
  if (!std::is_sorted(world_ranks_.begin(), world_ranks_.end())) {
    ascending_.resize(world_ranks_.size());
    std::iota(ascending_.begin(), ascending_.end(), 0);
    std::ranges::sort(ascending_, {}, [this](std::int32_t rank) { return world_rank(rank); });
  }
  contiguous_ =
      node_ranks_.back() - node_ranks_.front() + 1 == static_cast<int>(node_ranks_.size());
}

void GroupState::share_control() {
  Arena& arena = world_->arena();
  std::uint64_t offset = 0;
  if (local_ == 0) {
    const std::uint64_t bytes = GroupControl::bytes(node_ranks_.size());
    offset = arena.allocate(bytes);
    if (offset == Arena::none) {
      offset = no_room;
    } else {
      world_->observe_agent();  // it may have served what was here before
      std::memset(arena.at(offset), 0, bytes);
      reinterpret_cast<GroupControl*>(arena.at(offset))
          ->holders.store(static_cast<std::uint32_t>(node_ranks_.size()));
    }
  }
  // A number that no other group ever had, from the first member; and each head's offset.
  const std::array<std::uint64_t, 2> mine = {
      offset,
      static_cast<std::uint64_t>(world_->topology.rank) * groups_per_rank + world_->next_group++};
  std::vector<std::uint64_t> all(2 * static_cast<std::size_t>(size_));
  check_mpi(mpi::allgather(mine.data(), 2, mpi::type_uint64, all.data(), 2, mpi::type_uint64,
                           communicator_),
            "MPI_Allgather");
  for (int r = 0; r < size_; ++r)
    if (all[2 * static_cast<std::size_t>(r)] == no_room)
      throw Error(ErrorKind::memory,
                  "no shared memory left for a group on the node of rank " + std::to_string(r));
  number_ = all[1];
  call_ = {world_rank((rank_ + 1) % size_), number_, 0};
  control_offset_ = all[2 * static_cast<std::size_t>(node_ranks_.front())];
  control_ = reinterpret_cast<GroupControl*>(arena.at(control_offset_));
  if (nodes() == 1) board_.emplace(*world_, control_->places(node_ranks_.size()), size_, rank_);
}

GroupState& GroupState::of(const Group& group) {
  if (!group) throw Error(ErrorKind::state, "this process is not a member of the group");
  (void)group.state()->world();
  return *group.state();
}

WorldState& GroupState::world() const {
  refuse_forked_child();
  if (WorldState::running != world_ || world_->number != world_number_)
    throw Error(ErrorKind::state, "the world that this belongs to has ended");
  return *world_;
}

int GroupState::world_rank(int rank) const {
  if (rank < 0 || rank >= size_)
    throw Error(ErrorKind::value,
                "rank " + std::to_string(rank) + " is not in a group of " + std::to_string(size_));
  return world_ranks_.empty() ? rank : world_ranks_[static_cast<std::size_t>(rank)];
}

int GroupState::rank_of_world(int world) const noexcept {
  if (world_ranks_.empty()) return world >= 0 && world < size_ ? world : -1;
  const auto place = [world](const auto& ranks, const auto& world_rank_of) {
    const auto found = std::ranges::lower_bound(ranks, world, {}, world_rank_of);
    return found == ranks.end() || world_rank_of(*found) != world
               ? -1
               : static_cast<int>(found - ranks.begin());
  };
  if (ascending_.empty()) return place(world_ranks_, std::identity{});
  const int found = place(ascending_, [this](std::int32_t rank) {
    return world_ranks_[static_cast<std::size_t>(rank)];
  });
  return found < 0 ? -1 : ascending_[static_cast<std::size_t>(found)];
}

bool GroupState::lies_in(const GroupState& outer) const noexcept {
  if (this == &outer || outer.world_ranks_.empty()) return true;  // that has all there are
  if (size_ > outer.size_) return false;
  if (lies_in_.load(std::memory_order_relaxed) == outer.number_) return true;
  for (int rank = 0; rank < size_; ++rank) {
    const int member = world_ranks_.empty() ? rank : world_ranks_[static_cast<std::size_t>(rank)];
    if (outer.rank_of_world(member) < 0) return false;
  }
  lies_in_.store(outer.number_, std::memory_order_relaxed);
  return true;
}

int GroupState::node_of(int rank) const {
  const auto found = std::find(node_numbers_.begin(), node_numbers_.end(), world_node_of(rank));
  return static_cast<int>(found - node_numbers_.begin());
}

int GroupState::local_of(int rank) const noexcept {
  if (contiguous_) {
    const int place = rank - node_ranks_.front();
    return place >= 0 && place < static_cast<int>(node_ranks_.size()) ? place : -1;
  }
  const auto found = std::lower_bound(node_ranks_.begin(), node_ranks_.end(), rank);
  return found == node_ranks_.end() || *found != rank
             ? -1
             : static_cast<int>(found - node_ranks_.begin());
}

}  // namespace lagoon::atoll::detail

// GroupState: a group's members, its node's part in shared memory, and its barrier.
//
// The meeting, which is also the barrier: ranks of a node count in in shared memory; where the
// group spans nodes, the first member of each node then agrees with its peers by small messages;
// then the node's epoch moves on. The same step compares 64 bits of what each member is doing
// (`Agreement`).
//
// Letting go is never collective: a handle may die in a destructor, while an exception unwinds, or
// in a garbage collector, in different order on different ranks. Freeing is: another node may still
// use the memory, and MPI wants its communicators freed in one order. So what ranks let go is
// retired, and members free what all of them have retired when they next agree (retirement.cpp).
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/error.hpp"
#include "mpi/handles.hpp"
#include "world/collective.hpp"
#include "world/farewell.hpp"
#include "world/node_board.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

class NodeGroup;

/// Names a segment: the same on all nodes, never used twice in a world.
struct SegmentNumber {
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  friend auto operator<=>(const SegmentNumber&, const SegmentNumber&) = default;
};

/// What a segment's record in the node's shared memory begins with.
struct Holding {
  SegmentNumber number;
  std::uint64_t offset;                // of the record's allocation
  std::uint64_t next_retired;          // on this node
  std::atomic<std::uint32_t> holders;  // ranks of the node that still hold the segment
};

/// Frees the memory of a segment on this node. Defined by the transport layer.
void free_segment(WorldState& world, const Holding& segment) noexcept;

/// A group's words in the node's shared memory. Zero-initialised memory is a valid one.
struct GroupControl {
  struct alignas(64) Slot {
    std::uint64_t hash;
    std::int32_t failed;
    std::int32_t news;
  };
  alignas(64) std::atomic<std::uint32_t> arrived;
  alignas(64) Bell epoch;
  std::int32_t verdict_failed;         // lowest failed member, or -1
  std::int32_t verdict_mismatch;       // 0 or 1
  std::int32_t verdict_news;           // 0 or 1
  std::atomic<std::uint64_t> retired;  // the last segment that all members here have let go
  alignas(64) std::uint64_t scratch;   // an offset that the node's first member hands out
  std::atomic<std::uint32_t> holders;  // members of the node that still hold the group
  std::atomic<std::uint32_t> alarm;    // of the world's group: a rank of the node is stuck, or told
  Slot slots[1];                       // one a member on the node, and its places on the board

  static std::uint64_t bytes(std::size_t members) noexcept {
    return sizeof(GroupControl) + members * (sizeof(Slot) + sizeof(NodeBoard::Place));
  }
  NodeBoard::Place* places(std::size_t members) noexcept {
    return reinterpret_cast<NodeBoard::Place*>(slots + 1 + members);
  }
};

/// What the members found out about each other in a meeting.
struct Agreement {
  int failed = -1;        ///< lowest member whose checks failed
  bool mismatch = false;  ///< hashes differ
  bool news = false;      ///< something was retired since this group last looked
};

class GroupState {
 public:
  /// Collective over the members; takes over `communicator`. Retired when nobody holds it.
  static std::shared_ptr<GroupState> make(WorldState& world, mpi::Comm communicator);
  /// Of a group that this process is in; Error(state) else, or when its world has ended.
  static GroupState& of(const Group& group);
  GroupState(const GroupState&) = delete;
  GroupState& operator=(const GroupState&) = delete;
  ~GroupState();

  WorldState& world() const;  ///< Error(state) when it has ended
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  int world_rank(int rank) const;
  int rank_of_world(int world) const noexcept;
  int nodes() const noexcept { return static_cast<int>(node_numbers_.size()); }
  /// The world's number of the node of a member.
  int world_node_of(int rank) const {
    return world_->topology.node_of[static_cast<std::size_t>(world_rank(rank))];
  }
  int node_of(int rank) const;
  const std::vector<int>& node_ranks() const noexcept { return node_ranks_; }
  bool first_on_node() const noexcept { return local_ == 0; }
  int local() const noexcept { return local_; }
  /// Whether all members are in the other group, too.
  bool lies_in(const GroupState& outer) const noexcept;
  /// Place of a member among those on my node, or -1.
  int local_of(int rank) const noexcept;
  mpi::Comm communicator() const noexcept { return communicator_; }
  GroupControl& control() const noexcept { return *control_; }
  /// Null unless all members are on one node.
  NodeBoard* board() noexcept { return board_ ? &*board_ : nullptr; }
  std::uint64_t number() const noexcept { return number_; }
  /// For array numbers, the same on all members: taken by creation, returned when it fails.
  std::uint64_t take_sequence() noexcept { return sequence_++; }
  void return_sequence() noexcept { --sequence_; }

  /// Waits for all members, and compares what they bring.
  Agreement meet(std::uint64_t hash, bool failed);
  /// While it lasts, whoever waits for a member that is gone finds out. All members make one alike.
  InCollectiveCall in_call() noexcept { return {*world_, call_}; }
  /// How many of these this rank has made.
  std::uint64_t calls() const noexcept { return call_.number; }
  void barrier() { (void)meet(0, false); }
  /// Hashes, fails and describes alike on all members, or throws on all; the frame of collectives.
  void agree_or_throw(std::string_view operation, std::uint64_t arguments, const Failure& failure);
  /// The same of members that may be at different ends of calls: `name` is for messages only.
  void agree_to_go_on(std::string_view name, const Failure& failure);
  /// A barrier: the same, and it frees nothing.
  void meet_or_throw(std::string_view name);
  /// In a call that one member may leave before others have come: meets where too many such calls
  /// would be left behind (unread.hpp).
  void stay_near(std::string_view name);
  /// By MPI: its root may leave it before the others have come. At most the largest message.
  /// REQUIRES: a `stay_near`, or a meeting, before.
  void broadcast(std::span<std::byte> data, int root);
  /// All members have come to a call that has no meeting.
  void came_together() noexcept { left_behind_ = 0; }
  /// Of members that end a call with a word of theirs: whether it is the same on all. Throws on all
  /// what failed on one.
  bool agree_on(std::uint64_t word, const Failure& failure);
  /// Only with ATOLL_CHECK=1: `agree_or_throw` for calls that do not agree anyway.
  void check(std::string_view operation, std::uint64_t arguments);

  /// The world this group was made in, for comparison only: it may have ended.
  const WorldState* started_in() const noexcept {
    return WorldState::running == world_ && world_->number == world_number_ ? world_ : nullptr;
  }

  /// A segment that all members of my node have let go, where there are other nodes.
  void retire(Holding& segment) noexcept;
  /// Collective: frees all segments and groups that are retired and have no other members, in the
  /// order of their numbers.
  void reclaim();
  /// Frees the communicator with the group.
  void adopt(mpi::Comm communicator) { communicators_.push_back(communicator); }

  /// The group seen as nodes; null until somebody asks for it (NodeGroup::of).
  std::shared_ptr<NodeGroup> node_group;

 private:
  GroupState(WorldState& world, mpi::Comm communicator);
  static void retire(std::unique_ptr<GroupState> group);
  void collect_dropped();
  bool give_back_what_all_offer(std::vector<SegmentNumber> groups,
                                std::vector<SegmentNumber> segments);
  void free_dropped(const std::map<SegmentNumber, int>& offers);
  void find_members();
  void share_control();
  void judge();
  void judge_across_nodes();
  void act_on(const Agreement& agreement, std::string_view operation, std::uint64_t arguments,
              const Failure& failure);
  [[noreturn]] void throw_failure(int failed, const Failure& mine);
  [[noreturn]] void throw_mismatch(std::string_view operation, std::uint64_t arguments);

  // Constant after construction.
  WorldState* world_;
  std::uint64_t world_number_;
  mpi::Comm communicator_;
  int rank_ = 0, size_ = 1, local_ = 0;
  bool contiguous_ = false;                 // node_ranks_ are consecutive
  std::vector<std::int32_t> world_ranks_;   // empty for the world itself
  std::vector<std::int32_t> ascending_;     // ranks by these; empty where they ascend
  std::vector<std::int32_t> node_numbers_;  // world's node numbers, by this group's
  std::vector<std::int32_t> heads_;         // world ranks of the nodes' first members
  std::vector<int> node_ranks_;
  std::uint64_t control_offset_ = 0;
  GroupControl* control_ = nullptr;
  std::optional<NodeBoard> board_;
  std::uint64_t number_ = 0;
  mutable std::atomic<std::uint64_t> lies_in_{no_group};  // the last one found to have all of mine
  static constexpr std::uint64_t no_group = UINT64_MAX;

  CollectiveCall call_;
  int left_behind_ = 0;  // calls that others may not have come to, one of which this rank is in
  std::uint64_t sequence_ = 0;
  std::vector<mpi::Comm> communicators_;  // all
  std::vector<Holding*> dropped_;         // retired segments; of the node's first member
  std::uint64_t looked_at_ = 0;           // WorldState::retirements
};

}  // namespace lagoon::atoll::detail

// Group: the public face of GroupState, and the collectives on plain data.
#include "atoll/group.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <set>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/collective.hpp"
#include "world/element_types.hpp"
#include "world/fold.hpp"
#include "world/group_state.hpp"
#include "world/least.hpp"
#include "world/mpi_library.hpp"
#include "world/profile.hpp"
#include "world/race/detector.hpp"

namespace lagoon::atoll {

namespace {

using detail::GroupState;

// Counts in one MPI call stay far below 2^31.
constexpr std::size_t largest_message = std::size_t{1} << 28;

// Short integers wrap as all do; Open MPI's own sum of them stops at the last (its issue 8045).
// MPI knows neither truth values that are added nor float16.
constexpr bool folded_by_us(ElementType type) noexcept {
  return is_narrow(type) && size_of(type) < 4;
}

template <Element T, Reduction op>
void combine(void* in, void* in_out, int* length) {
  detail::fold(element_type_of<T>(), op, static_cast<std::byte*>(in_out),
               static_cast<const std::byte*>(in), *length);
}

// An operation of MPI's, or one made for this object's life.
class Operation {
 public:
  Operation(ElementType type, Reduction op);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  Operation(Operation&&) = delete;
  Operation& operator=(Operation&&) = delete;
  ~Operation() {
    if (made_) mpi::op_free(&op_);
  }
  [[nodiscard]] mpi::Op get() const { return op_; }

 private:
  void make(mpi::Reduce* function) {
    detail::check_mpi(mpi::op_create(function, 1, &op_), "MPI_Op_create");
    made_ = true;
  }
  mpi::Op op_ = mpi::op_null;
  bool made_ = false;
};

constexpr int all_give = -1;

/// Tells the race detector, at the end of a call that is no meeting, who has heard from whom: all
/// from the root, or from everybody.
class RaceNote {
 public:
  RaceNote(GroupState& state, int root)
      : state_(state), number_(detail::mix(state.number(), state.calls())), root_(root) {
    // The root does not wait: what it has done till now counts.
    if (races() != nullptr && root == state.rank()) races()->release(number_, 0);
  }
  RaceNote(const RaceNote&) = delete;
  RaceNote& operator=(const RaceNote&) = delete;
  ~RaceNote() {
    if (races() == nullptr) return;
    if (root_ == all_give)
      races()->met(number_, state_.size());
    else if (root_ != state_.rank())
      races()->acquire(number_, 1);
  }

 private:
  static detail::race::Detector* races() { return detail::race::Detector::running; }
  GroupState& state_;
  const std::uint64_t number_;
  const int root_;
};

mpi::Op mpi_operation(Reduction op) {
  switch (op) {
    case Reduction::sum: return mpi::op_sum;
    case Reduction::product: return mpi::op_prod;
    case Reduction::minimum: return mpi::op_min;
    case Reduction::maximum: break;
  }
  return mpi::op_max;
}

Operation::Operation(ElementType type, Reduction op) : op_(mpi_operation(op)) {
  if (!folded_by_us(type) || (needs_order(op) && is_integer(type))) return;
  with_chosen_type<folded_by_us>(type, [&]<class T>(T) {
    switch (op) {
      case Reduction::sum: return make(combine<T, Reduction::sum>);
      case Reduction::product: return make(combine<T, Reduction::product>);
      case Reduction::minimum: return make(combine<T, Reduction::minimum>);
      case Reduction::maximum: return make(combine<T, Reduction::maximum>);
    }
  });
}

}  // namespace

int Group::rank() const { return GroupState::of(*this).rank(); }
int Group::size() const { return GroupState::of(*this).size(); }
int Group::world_rank(int rank) const { return GroupState::of(*this).world_rank(rank); }
int Group::rank_of_world(int world) const { return GroupState::of(*this).rank_of_world(world); }
int Group::nodes() const { return GroupState::of(*this).nodes(); }
int Group::node() const { return node_of(rank()); }
int Group::node_of(int rank) const { return GroupState::of(*this).node_of(rank); }
const std::vector<int>& Group::node_ranks() const { return GroupState::of(*this).node_ranks(); }
bool Group::same_node(int rank) const {
  GroupState& state = GroupState::of(*this);
  (void)state.world_rank(rank);
  return state.local_of(rank) >= 0;
}
mpi::Comm Group::mpi_communicator() const { return GroupState::of(*this).communicator(); }

void Group::give_communicator(void* into, MpiHeader compiled_for) const {
  detail::require_our_mpi(compiled_for);
  const std::uintptr_t bits = mpi::calls.native_of_comm(mpi_communicator());
  std::memcpy(into, &bits, compiled_for.handle_bytes);  // the lower bytes come first
}

void Group::barrier() const {
  GroupState& state = GroupState::of(*this);
  const detail::ProfiledCall call(detail::world_profile(), "barrier");
  if (state.world().config.check)
    state.agree_or_throw("barrier", 0, {});
  else
    state.meet_or_throw("barrier");
}

void Group::sync() const {
  const detail::ProfiledCall call(detail::world_profile(), "sync");
  try {
    detail::leave_collective(*this, {}, "sync");
  } catch (const Error& error) {
    throw error.during("sync");
  }
}

void Group::fence() const {
  const GroupState& state = GroupState::of(*this);
  const detail::ProfiledCall call(detail::world_profile(), "fence");
  state.world().fence();
  detail::race::Detector::tell_fence();
}

void Group::fence(int rank) const {
  GroupState& state = GroupState::of(*this);
  const int node = state.world_node_of(rank);
  const detail::ProfiledCall call(detail::world_profile(), "fence");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (state.world().progress != nullptr) state.world().progress->fence(node);
  if (detail::race::Detector* const races = detail::race::Detector::running)
    races->fenced(state.world_rank(rank));
}

void Group::broadcast_bytes(std::span<std::byte> data, int root) const {
  GroupState& state = GroupState::of(*this);
  state.check("broadcast", detail::mix(data.size(), static_cast<std::uint64_t>(root)));
  (void)state.world_rank(root);
  const detail::FollowedCall followed("broadcast");
  const detail::InCollectiveCall call = state.in_call();
  const RaceNote note(state, root);
  if (detail::NodeBoard* board = state.board(); board != nullptr && board->broadcast(data, root))
    return;
  while (!data.empty()) {
    state.stay_near("broadcast");
    const std::size_t bytes = std::min(data.size(), largest_message);
    state.broadcast(data.first(bytes), root);
    data = data.subspan(bytes);
  }
}

void Group::broadcast(std::string& text, int root) const {
  std::uint64_t length = text.size();
  broadcast(std::span<std::uint64_t>(&length, 1), root);
  text.resize(length);
  broadcast(std::span<char>(text), root);
}

void Group::reduce_elements(void* data, std::size_t count, ElementType type, Reduction op) const {
  GroupState& state = GroupState::of(*this);
  state.check("reduce", detail::mix(detail::mix(count, static_cast<std::uint64_t>(type)),
                                    static_cast<std::uint64_t>(op)));
  detail::check_reducible(type, op);
  const detail::FollowedCall followed("reduce");
  const detail::InCollectiveCall call = state.in_call();
  const RaceNote note(state, all_give);
  auto* next = static_cast<std::byte*>(data);
  if (detail::NodeBoard* board = state.board();
      board != nullptr && board->reduce({next, count * size_of(type)}, type, op))
    return;
  const Operation operation(type, op);
  const std::size_t most = largest_message / size_of(type);
  while (count > 0) {
    const std::size_t now = std::min(count, most);
    mpi::Request request = mpi::request_null;
    detail::check_mpi(
        mpi::iallreduce(mpi::in_place(), next, static_cast<int>(now), detail::mpi_type(type),
                        operation.get(), state.communicator(), &request),
        "MPI_Iallreduce");
    state.world().wait(request);
    state.came_together();
    next += now * size_of(type);
    count -= now;
  }
}

namespace {

void check_distinct(std::span<const int> ranks, int size) {
  std::set<int> distinct;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || ranks[i] >= size)
      throw Error(ErrorKind::value, "ranks[" + std::to_string(i) +
                                        "] = " + std::to_string(ranks[i]) +
                                        " is not in a group of " + std::to_string(size));
    if (!distinct.insert(ranks[i]).second)
      throw Error(ErrorKind::value, "rank " + std::to_string(ranks[i]) + " occurs twice in ranks");
  }
}

/// An MPI has context ids for about 2,000 groups at once, and tells all members alike when there
/// are none left.
void check_made(int status, const char* operation) {
  try {
    detail::check_mpi(status, "making a group's communicator");
  } catch (const Error& error) {
    throw error.during(operation);
  }
}

}  // namespace

Group Group::create(std::span<const int> ranks) const {
  std::uint64_t arguments = ranks.size();
  for (const int rank : ranks) arguments = detail::mix(arguments, static_cast<std::uint64_t>(rank));
  int key = -1;
  detail::enter_collective(*this, "create group", arguments, [&] {
    check_distinct(ranks, size());
    const auto mine = std::ranges::find(ranks, rank());
    if (mine != ranks.end()) key = static_cast<int>(mine - ranks.begin());
  });
  return split(key < 0 ? -1 : 0, key);
}

Group Group::create_among(std::span<const int> ranks) const {
  GroupState& state = GroupState::of(*this);
  const detail::OneCollective alone(state.world());
  check_distinct(ranks, size());
  if (std::ranges::find(ranks, rank()) == ranks.end()) return {};
  // MPI_Comm_create_group waits inside MPI; let all members come here in our own way first.
  constexpr int tag = 0;  // at this time no other messages go by this communicator
  const auto me = std::ranges::find(ranks, state.rank()) - ranks.begin();
  detail::find_least(
      state.world(), static_cast<int>(ranks.size()), static_cast<int>(me),
      [&](int member) { return state.world_rank(ranks[static_cast<std::size_t>(member)]); }, tag,
      {});
  mpi::Group everybody = mpi::group_null, members = mpi::group_null;
  mpi::Comm communicator = mpi::comm_null;
  mpi::comm_group(state.communicator(), &everybody);
  mpi::group_incl(everybody, static_cast<int>(ranks.size()), ranks.data(), &members);
  const int status = mpi::comm_create_group(state.communicator(), members, 0, &communicator);
  mpi::group_free(&members);
  mpi::group_free(&everybody);
  check_made(status, "create_among");
  Group made(GroupState::make(state.world(), communicator));
  made.state()->reclaim();
  return made;
}

Group Group::split(int colour, int key) const {
  GroupState& state = GroupState::of(*this);
  const detail::OneCollective alone(state.world());
  state.check("split group", 0);
  // MPI_Comm_split waits inside MPI; let everybody come here in our own way first.
  detail::leave_collective(*this);
  state.reclaim();
  mpi::Comm communicator = mpi::comm_null;
  check_made(mpi::comm_split(state.communicator(), colour < 0 ? mpi::undefined : colour, key,
                             &communicator),
             "split group");
  // All members of all parts, or nobody: the others would wait for those who throw.
  Group made;
  state.agree_to_go_on("split group", detail::attempt([&] {
                         if (communicator != mpi::comm_null)
                           made = Group(GroupState::make(state.world(), communicator));
                       }));
  return made;
}

}  // namespace lagoon::atoll

// Group: a set of ranks, the collectives among them, and where they sit (nodes).
//
// A Group is a cheap handle; copies mean the same group. All members call collectives in the same
// order, by one thread of a rank at a time: Error(state) for one that comes while another is inside
// a collective call. All that is not collective (one-sided operations, handles, counters, mutexes,
// fences) any threads may call at once. Where MPI was started with less than MPI_THREAD_MULTIPLE,
// what needs MPI is Error(state) for a thread that may not call it then.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "atoll/mpi_header.hpp"
#include "atoll/types.hpp"

namespace lagoon::atoll {

namespace detail {
class GroupState;
}
namespace mpi {
struct Comm;
}

class Group {
 public:
  /// A group that nobody is in; what a rank outside gets from `create` and `split`.
  Group() = default;

  /// Whether this process is a member. Every other function requires it.
  explicit operator bool() const noexcept { return state_ != nullptr; }
  int rank() const;                    ///< mine, 0 <= rank < size
  int size() const;                    ///< number of members
  int world_rank(int rank) const;      ///< the world's number of member `rank`
  int rank_of_world(int world) const;  ///< my number for a world rank; -1 when not a member

  /// Nodes that members live on, numbered in order of their first member.
  int nodes() const;
  int node() const;                            ///< the node I am on
  int node_of(int rank) const;                 ///< the node member `rank` is on
  const std::vector<int>& node_ranks() const;  ///< members on my node, ascending
  bool same_node(int rank) const;              ///< whether I share memory with member `rank`

  /// Waits for every member. Collective. Does not complete one-sided operations: see `sync`.
  void barrier() const;
  /// Completes all one-sided operations of all members at their targets, then waits. Collective.
  void sync() const;
  /// Completes my operations to member `rank`, or to everybody, at the target. Not collective.
  void fence(int rank) const;
  void fence() const;

  /// Copies `data` of member `root` to all members. Collective; equal lengths everywhere.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void broadcast(std::span<T> data, int root) const {
    broadcast_bytes(std::as_writable_bytes(data), root);
  }
  void broadcast(std::string& text, int root) const;
  /// Element-wise reduction in place; every member gets the result. Collective; equal lengths.
  /// minimum and maximum of complex numbers throw Error(type).
  template <Element T>
  void reduce(std::span<T> data, Reduction op = Reduction::sum) const {
    reduce_elements(data.data(), data.size(), element_type_of<T>(), op);
  }
  template <Element T>
  T reduce(T value, Reduction op = Reduction::sum) const {
    reduce(std::span<T>(&value, 1), op);
    return value;
  }

  /// The members named by `ranks` (my numbers; distinct) as a group, in that order.
  /// Collective over this group; members left out get the empty group.
  Group create(std::span<const int> ranks) const;
  /// The same for lists that differ from member to member: collective over those named in a list,
  /// each of whom gives the same one; a member that is not in its own list gets the empty group.
  Group create_among(std::span<const int> ranks) const;
  /// Members with equal `colour` >= 0 form a group, ordered by (key, rank); a negative colour
  /// takes no part. Collective.
  Group split(int colour, int key = 0) const;

#ifdef MPI_VERSION
  /// The members as an MPI communicator of the group's, for the caller's messages; errors return.
  /// Error(communication) where the caller was compiled for another MPI than it runs with.
  MPI_Comm communicator() const {
    MPI_Comm communicator{};
    give_communicator(&communicator, {});
    return communicator;
  }
#endif

  friend bool operator==(const Group& a, const Group& b) noexcept { return a.state_ == b.state_; }

  void broadcast_bytes(std::span<std::byte> data, int root) const;
  void reduce_elements(void* data, std::size_t count, ElementType type, Reduction op) const;

  /// Internal: the communicator by a handle of the library's own.
  mpi::Comm mpi_communicator() const;
  /// Internal: the shared state.
  const std::shared_ptr<detail::GroupState>& state() const noexcept { return state_; }
  explicit Group(std::shared_ptr<detail::GroupState> state) : state_(std::move(state)) {}

 private:
  void give_communicator(void* into, MpiHeader compiled_for) const;

  std::shared_ptr<detail::GroupState> state_;
};

}  // namespace lagoon::atoll

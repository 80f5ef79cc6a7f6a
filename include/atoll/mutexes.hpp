// Mutexes: locks among the members of a group, each of whom keeps some.
//
// Those who wait stand in a queue, and sleep. In a node who lets go may take again, as with those
// of threads, but others get past the first of the queue for two milliseconds at most, and 16384
// times. Between nodes nobody gets past, and each is told by the one before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "atoll/memory.hpp"

namespace lagoon::atoll {

namespace detail {
class NodeMutex;
}

class Mutexes {
 public:
  /// Collective: `count` of them on this member. Error(value) on all where a count is below 0.
  Mutexes(const Group& group, std::int64_t count);
  Mutexes(Mutexes&&) noexcept;
  Mutexes& operator=(Mutexes&&) noexcept;
  ~Mutexes();
  /// Collective.
  void destroy() { memory_.destroy(); }
  std::int64_t count(int rank) const;
  /// Waits until mutex `number` of member `rank` is free, and serves others meanwhile. Error(value)
  /// for one that is none, Error(state) for one that this thread holds, and between nodes where
  /// this process holds `most_held` already. Threads of a process exclude each other as those of
  /// several do.
  void lock(std::int64_t number, int rank);
  /// What this process did before is complete at its targets. Error(state) for one that this thread
  /// does not hold.
  void unlock(std::int64_t number, int rank);

  static constexpr std::int64_t most_held = 1024;

 private:
  void check(std::int64_t number, int rank) const;
  detail::NodeMutex& node_mutex(std::int64_t number, int rank) const;
  std::int64_t place_of(std::int64_t record) const;
  void queue(std::int64_t number, int rank, std::int64_t mine);
  void leave_queue(std::int64_t number, int rank, std::int64_t mine);
  std::byte* own_record(std::int64_t mine) const;
  void tell(std::int64_t record, std::int64_t what, std::int64_t value);
  std::int64_t swap(int rank, std::int64_t offset, std::int64_t value);
  static void await(std::byte* address);

  std::vector<std::int64_t> first_;  // of each member among all mutexes, and how many there are
  bool in_node_;
  std::int64_t records_;  // of each member: for those that it holds or waits for
  Memory memory_;
  struct Held;
  std::unique_ptr<Held> held_;  // by threads of this process
};

}  // namespace lagoon::atoll

// Clocks: which accesses of a rank are over for another one, from the events that order ranks
// (docs/memory-model.md). Events are noted while the program runs and worked out afterwards, when
// all ranks meet: so no message carries a clock.
//
// A rank's time is its number of events so far. What one rank knows of another is three times:
//   done   what it had read, or waited for, by then is over
//   fenced what it had written by then is complete at its target
//   met    the same of what it did by pointers: it has fenced, and met others behind that
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/race/access.hpp"

namespace lagoon::atoll::detail::race {

struct Event {
  enum class Kind : std::uint8_t {
    meeting,  ///< of `number` ranks: what each did before is before what each does after
    release,  ///< to an object, with a ticket: before all acquires of later tickets
    acquire,
    fence,  ///< of this rank's writes
    mark    ///< nothing but a moment: some accesses are over by it (Access::complete)
  };
  Kind kind = Kind::fence;
  std::uint64_t object = 0;
  std::int64_t number = 0;  ///< ranks that meet, or the ticket

  void write(std::vector<std::int64_t>& words) const;
  static Event read(const std::int64_t*& words);
};

/// What happened on one rank since all met.
struct History {
  std::vector<Event> events;
  std::vector<Access> accesses;
};

class Clocks {
 public:
  /// Of all ranks. Events that wait for others which nobody has noted are taken as they come.
  explicit Clocks(std::span<const History> all);

  /// Whether `a` of rank `rank_a` is over before `b` of rank `rank_b` begins.
  bool ordered(const Access& a, std::size_t rank_a, const Access& b, std::size_t rank_b) const;

 private:
  struct Known {
    Time done = -1, fenced = -1, met = -1;
    void learn(const Known& other) noexcept;
  };
  using Clock = std::vector<Known>;  // of each rank

  class Work;
  /// Of a rank at a time; those of the events that teach it nothing are not kept.
  const Clock* at(std::size_t rank, Time time) const;

  struct Moment {
    Time time;
    bool meeting;
    Clock clock;
  };
  std::vector<std::vector<Moment>> moments_;  // of each rank, by time
};

}  // namespace lagoon::atoll::detail::race

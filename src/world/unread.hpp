// What may lie unread at a rank of the messages of another one: all kinds together stay below what
// a network keeps. libfabric's TCP provider keeps 64 messages of a connection for which nobody has
// asked, and then reads no more from it, for good if what would free one comes behind them.
//
// Each kind has its share, whoever sends it keeps to it, and debug builds and those with sanitizers
// assert that it does, where it sends. What a program sends by MPI itself, or by TCGMSG's and
// ARMCI's names, is its own affair.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace lagoon::atoll::detail::unread {

inline constexpr int kept_by_network = 64;

/// Requests to an agent (connection.hpp), without answers.
inline constexpr int requests = 24;
/// That ask an agent which small writes are done: one of who finds no room, one of a fence.
inline constexpr int flushes = 2;
/// Of the streams that the other rank has asked an agent for, which may take half of its requests.
inline constexpr int chunks = requests / 2;
/// Of a rank that waits for long (farewell.hpp).
inline constexpr int questions = 1;
/// Of meetings (barrier.cpp): of the one that is over for the sender, and of the next, of any
/// groups. Who sends anything else has been through the first.
inline constexpr int meetings = 2;
/// A root need not wait for those who receive. So members meet when so many have gone before.
inline constexpr int broadcasts = 2;
/// Merges of a rank under way at once, and what each of them may have sent to a peer that has not
/// asked for it: contributions, results and the receipt behind them all (merge_job.hpp), and the
/// receipt of one that is over here and still under way there.
inline constexpr int merges = 3, contributions = 2, results = 2, receipts = 2;

inline constexpr int most = requests + flushes + chunks + questions + meetings + broadcasts +
                            merges * (contributions + results + receipts);
static_assert(most < kept_by_network);

/// Counts a rank's messages of meetings that others may not have read, where there are asserts.
class MeetingMessages {
 public:
#ifdef NDEBUG
  void sent(int) noexcept {}
  template <class WorldRank>
  void over(int, int, const WorldRank&) noexcept {}
#else
  /// One is about to go to the rank of the world.
  void sent(int rank) noexcept {
    if (std::uint8_t* const unread = of(rank)) {
      ++*unread;
      assert(*unread <= meetings);
    }
  }
  /// The `me`-th of so many members has heard of all: they have come, and so have read all that was
  /// sent to them before this meeting.
  template <class WorldRank>
  void over(int members, int me, const WorldRank& world_rank) noexcept {
    const auto leave = [&](int member, std::uint8_t unread) {
      if (std::uint8_t* const here = of(world_rank(member))) *here = unread;
    };
    for (int member = 0; member < members; ++member) leave(member, 0);
    for (int reach = 1; reach < members; reach *= 2) leave((me + reach) % members, 1);
  }

 private:
  /// Null where there is no memory to count: in a meeting nothing may fail.
  std::uint8_t* of(int rank) noexcept {
    const auto place = static_cast<std::size_t>(rank);
    try {
      if (place >= unread_.size()) unread_.resize(place + 1);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    return &unread_[place];
  }
  std::vector<std::uint8_t> unread_;  // by rank
#endif
};

}  // namespace lagoon::atoll::detail::unread

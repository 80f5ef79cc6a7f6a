// Farewell: a rank that has come to the end of the program, while others wait for it for ever.
//
// In the meetings of the world's group that shows by itself: the end is a call that the others do
// not make. Elsewhere who has waited for a while asks the next member, once in a call, whether it
// is gone. Of the members that are gone one comes behind a member that waits, and so is asked; it
// ends the run. Who is not gone keeps the question for its own end, and sees there whether it is
// answered: it has made that call since.
//
// A rank that is always late never sleeps in a call, and so reads nothing. So who asks sends
// synchronously, and asks again only when that has been read: no more than one question of a rank
// is under way, however often others are late.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "mpi/handles.hpp"
#include "world/thread_rule.hpp"

namespace lagoon::atoll::detail {

class Engine;
class WorldState;

/// A collective call of a group that this rank is in.
struct CollectiveCall {
  std::int32_t next = 0;     ///< the next member, as a rank of the world
  std::uint64_t group = 0;   ///< its number
  std::uint64_t number = 0;  ///< of the group's calls so far; the same on all members
};

/// What a rank that waits in a collective call for long asks another one, and what others have
/// asked it. Any thread may call.
class Questions {
 public:
  /// How long one waits in a call before one asks. Tests are less patient.
  static int patience_ms;

  explicit Questions(mpi::Comm communicator) : communicator_(communicator) {}
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;
  ~Questions();

  /// This rank is about to sleep in a call.
  void ask(const CollectiveCall& call);
  /// Keeps what has come.
  void read();
  /// Whether all that this rank has asked has been read.
  bool settled();
  /// The rank that waits for a call that is `missed(group, number)`, or -1. Forgets all.
  template <class Missed>
  int find(Missed&& missed) {
    const std::lock_guard lock(mutex_);
    for (const auto& [rank, words] : heard_)
      if (missed(words[0], words[1])) return rank;
    heard_.clear();
    return -1;
  }

 private:
  using Words = std::array<std::uint64_t, 2>;  // a group, and the number of a call
  bool sent();

  const mpi::Comm communicator_;
  std::mutex mutex_;  // guards all below
  Words words_{};     // of the call that this rank waits in
  std::chrono::steady_clock::time_point since_;
  bool asked_ = false;
  Words under_way_{};
  mpi::Request request_ = mpi::request_null;
  std::map<int, Words> heard_;  // the last question of each rank: it has left the calls before
};

/// While it lives this thread alone makes collective calls: Error(state) where another one does, or
/// where this one may not call MPI, or not while another one does.
class OneCollective {
 public:
  explicit OneCollective(Engine& engine);
  OneCollective(const OneCollective&) = delete;
  OneCollective& operator=(const OneCollective&) = delete;
  ~OneCollective();

 private:
  const MpiCall call_;
  Engine& engine_;
};

/// Counts a call, and says while it lasts that this rank waits in it.
class InCollectiveCall {
 public:
  /// Error(state) while another thread is in one.
  InCollectiveCall(Engine& engine, CollectiveCall& call);
  InCollectiveCall(const InCollectiveCall&) = delete;
  InCollectiveCall& operator=(const InCollectiveCall&) = delete;
  ~InCollectiveCall();

 private:
  const OneCollective alone_;
  Engine& engine_;
  const CollectiveCall* before_;  // a function that is called back may make a call of its own
};

/// At the end of the program: while this lives the rank looks for questions.
class Farewell {
 public:
  explicit Farewell(WorldState& world);
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;
  ~Farewell();
  /// When all have come to the end: no question is left unread. Collective.
  void settle();

 private:
  class Answers;
  WorldState& world_;
  std::shared_ptr<Answers> answers_;
};

}  // namespace lagoon::atoll::detail

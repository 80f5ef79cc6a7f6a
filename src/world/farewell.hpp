// Farewell: a rank that has come to the end of the program, while others wait for it for ever.
//
// In the meetings of the world's group that shows by itself: the end is a call that the others do
// not make. Elsewhere who has waited for a while asks the next member, once in a call, whether it
// is gone. Of the members that are gone one comes behind a member that waits, and so is asked; it
// ends the run. Who is not gone reads the question at its own end, and sees that it is answered: it
// has made that call since.
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>

#include "world/engine.hpp"

namespace lagoon::atoll::detail {

/// A collective call of a group that this rank is in.
struct CollectiveCall {
  std::int32_t next = 0;     ///< the next member, as a rank of the world
  std::uint64_t group = 0;   ///< its number
  std::uint64_t number = 0;  ///< of the group's calls so far; the same on all members
};

/// While it lives this thread alone makes collective calls: Error(state) where another one does, or
/// where MPI was not started for several threads and this is not the one that may call it.
class OneCollective {
 public:
  explicit OneCollective(Engine& engine);
  OneCollective(const OneCollective&) = delete;
  OneCollective& operator=(const OneCollective&) = delete;
  ~OneCollective() { engine_.collective.leave(); }

 private:
  Engine& engine_;
};

/// Counts a call, and says while it lasts that this rank waits in it.
class InCollectiveCall {
 public:
  /// Error(state) while another thread is in one.
  InCollectiveCall(Engine& engine, CollectiveCall& call)
      : alone_(engine), engine_(engine), before_(engine.inside) {
    ++call.number;
    engine.inside = &call;
  }
  InCollectiveCall(const InCollectiveCall&) = delete;
  InCollectiveCall& operator=(const InCollectiveCall&) = delete;
  ~InCollectiveCall() { engine_.inside = before_; }

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

 private:
  class Answers;
  std::shared_ptr<Answers> answers_;
};

}  // namespace lagoon::atoll::detail

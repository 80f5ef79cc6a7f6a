// Atoll's operations and MPI's messages between two ranks, as contenders of one race: rank 1 does
// what each of them needs, waiting in a barrier or sending and receiving.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "atoll/atoll.hpp"
#include "pair.hpp"
#include "ping_pong.hpp"
#include "workloads.hpp"

namespace bench {

class Remote {
 public:
  /// Collective. `largest` message in bytes.
  Remote(atoll::World& world, std::int64_t largest);
  /// Rank 0 runs `lead` while rank 1 serves. Collective.
  void run(const std::function<void()>& lead) { pair_.run(lead); }
  /// The size of the messages from now on.
  void set_bytes(std::int64_t bytes);

  /// An operation of Atoll, or of MPI RMA, while rank 1 waits in Atoll's barrier.
  template <class Body>
  Contender operation(Body body) {
    Contender contender = loop(std::move(body));
    contender.before = [this](std::int64_t) { pair_.ask(wait_in_barrier, 0); };
    contender.after = [this] { world_.barrier(); };
    return contender;
  }
  Contender ping_pong();
  /// Messages one way, to rank `to`.
  Contender stream(int to);

 private:
  // What rank 1 does while rank 0 measures.
  enum Task : int { wait_in_barrier, round_trips, stream_to_one, stream_to_zero, take_size };
  atoll::World& world_;
  PingPong messages_;
  std::int64_t bytes_ = 8;
  Pair pair_;
};

}  // namespace bench

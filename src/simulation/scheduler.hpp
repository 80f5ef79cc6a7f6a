// The scheduler: of all threads of all ranks one runs at a time, until it takes a step or waits;
// who goes on then the seed alone decides, and what the clock says. Called by the thread whose turn
// it is, but for `come` and the start of a thread.
//
// A run has a temper, which the seed draws first: how long threads go on, how often one loses its
// core, how fast the clock goes.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "simulation/random.hpp"
#include "simulation/segment.hpp"

namespace lagoon::atoll::simulation {

/// Virtual nanoseconds.
using Time = std::int64_t;
inline constexpr Time never = std::numeric_limits<Time>::max();
inline constexpr Time microsecond = 1000, millisecond = 1000000, second = 1000000000;

/// What threads wait for: a word, a mutex, messages to a rank.
using Key = std::uint64_t;
inline constexpr Key no_key = 0;

/// Kinds of steps and events, in the trace.
enum class Kind : std::uint8_t {
  call,     // of MPI
  lock,     // a mutex is asked for
  yield,    // sched_yield
  clock,    // somebody reads it
  wait,     // begins
  woken,    // a wait ends, since somebody woke
  timeout,  // a wait ends by itself
  wake,     // somebody wakes others
  begin,    // a thread
  end,      // a thread
  send,     // a message
  arrive,   // a message
  match,    // a message and a receive
  ring,     // a doorbell
  lost,     // a ring that nobody hears
  rma,      // an access to a window
  met,      // a collective call is over for a rank
  kill,     // a rank
};

struct Thread {
  enum class State : std::uint8_t { none, ready, waiting };

  std::atomic<std::uint32_t> turn;  // 1: go on
  State state;
  bool woken;
  std::int32_t rank, number;  // of its rank's threads
  Key key;
  Time until;
  Time used;           // processor time
  std::uint32_t mask;  // of a futex
  std::uint32_t priority;
  pthread_t handle;
  std::array<char, 96> doing;  // in words, while it waits
};

struct Rank {
  pid_t process;
  bool alive;  // it has come, and has neither left nor been killed
  bool killed;
};

struct Temper {
  enum class Order : std::uint8_t { any, keep_on, priorities };
  Order order;
  std::uint32_t keep_on;     // of `keep_on`: one in so many steps changes the thread
  std::uint32_t loses_core;  // one in so many steps
  Time longest_loss, step, latency;
  std::uint32_t overtakes;  // one in so many messages; 0: none does
  std::uint32_t late;       // one in so many tests of what is done says that it is not yet; 0: none
  std::uint32_t lost_rings;
  std::uint64_t eager;  // the largest message whose send is done before it is received
  int cores;
};

/// Everything that decides.
struct Scheduler {
  static constexpr int most_threads = 4096;

  Random random;
  Temper temper;
  Time now, moved;  // when something last moved
  std::int64_t steps, end_at;
  int threads;  // places in the table that may be used
  int running;
  bool over;
  std::array<Rank, most_ranks> ranks;
  std::array<Thread, most_threads> all;
};

Scheduler& scheduler() noexcept;

/// This thread's place in the run; null: it takes no part, and all is as without a simulation.
Thread* me() noexcept;
inline int my_rank() noexcept { return me()->rank; }

/// This process takes part from now on, as a rank, with this thread; returns when it has its turn.
void come(int rank) noexcept;
/// This thread ends; others go on. It returns without a turn.
void leave() noexcept;
/// This rank has ended MPI in order.
void rank_leaves() noexcept;

/// A place for a thread that this one is about to start; and its first turn, on that thread.
Thread* add_thread() noexcept;
void forget_thread(Thread* thread) noexcept;
void begin_thread(Thread* thread) noexcept;

/// Lets any thread go on.
void step(Kind kind, std::uint64_t what = 0) noexcept;
/// Waits until somebody wakes who waits for `key`, or the time has come. True: woken. `doing` says
/// what it waits for, in words.
bool wait(Key key, Time until, const char* doing, std::uint32_t mask = ~0U) noexcept;
/// Gives how many were woken.
int wake(Key key, int most, std::uint32_t mask = ~0U) noexcept;
/// Whoever waits for the key looks again then.
void wake_at(Key key, Time time) noexcept;
inline Time now() noexcept { return scheduler().now; }
/// Something has come nearer to its end: the run is not idle.
inline void moved() noexcept { scheduler().moved = scheduler().now; }

/// Ends the run, of all ranks, at once. `report` stands behind what the launcher says.
[[noreturn]] void end_run(End end, int code, const char* report) noexcept;
[[noreturn, gnu::format(printf, 1, 2)]] void misuse(const char* format, ...) noexcept;

}  // namespace lagoon::atoll::simulation

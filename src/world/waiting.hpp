// Waiting: the one way in which ranks, agents, movers and workers wait. Who waits says what for,
// and by which policy; how long to look, to yield and to sleep stands in the policies. It needs no
// World.
//
// First one looks again at once, then one lets others have the core between looks, then one sleeps
// between them, the longer the longer one has waited. Whatever moves on meanwhile begins that anew.
// Nothing spins where ranks and agents outnumber the cores: there a sleeper has a better median and
// tail latency than a spinner (measured), because a wake-up preempts and a spinner does not.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

namespace lagoon::atoll::detail {

using WaitTime = std::chrono::nanoseconds;

struct WaitPolicy {
  WaitTime spin;   // looks at once till then, a few times only where cores are scarce
  WaitTime yield;  // yields between looks till then; sleeps at once if zero
  /// Sleep between looks: a `share` of the time waited, but no more than `in_traffic` as long as
  /// there may be some, and later 2 % of the time waited: what comes at last is seen late by 1 % on
  /// average. A look of a sleeper costs about 10 microseconds of somebody's core.
  int share;
  WaitTime shortest, in_traffic, longest;
  /// On a word that somebody rings, by who need not look.
  WaitTime rung;

  constexpr WaitTime nap(WaitTime waited) const noexcept {
    const auto soon = std::clamp(waited / share, shortest, in_traffic);
    return std::max(soon, std::min(waited / 50, longest));
  }
};

namespace waiting {

using std::chrono::microseconds, std::chrono::milliseconds, std::chrono::seconds;
inline constexpr microseconds at_once{0};

/// A rank inside a call. Transfers need no shorter sleeps: sockets hold what a fast network brings
/// meanwhile, and looks take their core from those that copy (measured).
inline constexpr WaitPolicy in_call{microseconds{20}, microseconds{100}, 4,
                                    microseconds{5},  microseconds{100}, milliseconds{1},
                                    milliseconds{10}};
/// Those who wait for a mutex, behind whoever has come first.
inline constexpr WaitPolicy mutex{
    at_once, at_once, 1, milliseconds{1}, milliseconds{1}, milliseconds{1}, milliseconds{10}};
/// An agent, since the last request: an idle one looks 480 times a second for 2 % of a core, or 100
/// times for 1 % where it is rung. A sleeper that wakes preempts a computing rank, while a thread
/// that yields would wait for its slice. Shorter sleeps take processor time that the scheduler then
/// gives to the rank, so that requests are served later (measured). Once they would be as long as
/// `rings_after`, origins ring it (doorbell.hpp).
inline constexpr WaitPolicy agent{
    at_once, at_once, 2, microseconds{10}, microseconds{100}, milliseconds{2}, milliseconds{10}};
inline constexpr microseconds rings_after{100};
/// An agent may sleep so long after it was rung or has answered; one that does not answer is rung
/// again, since MPI may have delivered the request after the ring.
inline constexpr microseconds agent_awake{100}, ring_again{200}, longest_ring_again{2000};
/// An agent to whom MPI does not show what it serves inside a look (RMA), so that long sleeps would
/// never end early.
inline constexpr WaitPolicy attentive_agent{
    at_once, at_once, 1, microseconds{20}, microseconds{20}, microseconds{20}, at_once};
constexpr const WaitPolicy& agent_policy(bool with_rma) noexcept {
  return with_rma ? attentive_agent : agent;
}
/// An agent while its rank waits inside Atoll and serves: not to fight it for locks and cores. It
/// is also what the first request waits for after the rank has gone to compute.
inline constexpr WaitTime beside_rank = microseconds{500};
/// What is bounded may be exceeded where nothing has moved for so long (transport/allowance.hpp).
inline constexpr WaitTime standstill = milliseconds{10};
/// Who moves a computing rank's own operations on, of whose core a look takes 10 microseconds.
inline constexpr WaitPolicy mover{at_once,           at_once,           2,         microseconds{50},
                                  microseconds{200}, microseconds{200}, seconds{1}};
/// For a file, by who has nothing else to move on.
inline constexpr WaitPolicy device{at_once,           at_once,         4,         microseconds{50},
                                   microseconds{100}, milliseconds{1}, seconds{1}};

/// Looks for an MPI message before requests of others are looked for, which takes a lock that the
/// agent may hold and looks of its own (measured: an exchange of four nodes on two cores takes 0.6
/// of the time). But a request then takes 9 microseconds instead of 2: so for a while after one
/// they are looked for each time.
inline constexpr int looks_for_message = 16, looks_after_request = 64;
/// What a mutex is held for no longer than these take is not worth a sleep and a call to wake; and
/// after how many the waiter's own work has its turn.
inline constexpr int looks_for_mutex = 100, looks_between_work = 16;
/// The same among threads, where cores are free.
inline constexpr int looks_for_brief_mutex = 100;

}  // namespace waiting

/// Set once at start-up: whether ranks and agents outnumber the cores.
void set_oversubscribed(bool oversubscribed) noexcept;
bool oversubscribed() noexcept;

/// Lets another thread have the core.
void yield_core() noexcept;
/// Sleeps as long as asked: the kernel may add the thread's timer slack, 50 microseconds as a rule.
void take_nap(WaitTime time) noexcept;
/// Sleeps until `word` differs from `seen`, somebody wakes it, or the time is over. Works between
/// processes (futex).
void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t seen, WaitTime most) noexcept;
void wake(std::atomic<std::uint32_t>& word, int sleepers) noexcept;
/// Once in a thread that sleeps beside a computing rank: exact sleeps, and short turns soon after
/// waking.
void prepare_to_serve() noexcept;

/// One wait: how far it has come.
class Waiter {
 public:
  explicit Waiter(const WaitPolicy& policy) noexcept : policy_(policy) { begin_anew(); }
  void begin_anew() noexcept;
  /// Whether the next step is to sleep.
  bool sleeps() const noexcept { return stage_ == Stage::sleep; }
  /// One step before that.
  void pause() noexcept;
  WaitTime nap() const noexcept;
  /// When the wait has begun, or last begun anew. REQUIRES: it sleeps.
  std::chrono::steady_clock::time_point since() const noexcept { return since_; }

 private:
  enum class Stage : std::uint8_t { fresh, spin, yield, sleep };
  const WaitPolicy& policy_;
  Stage stage_ = Stage::fresh;
  std::uint32_t steps_ = 0;
  std::chrono::steady_clock::time_point since_{};
};

/// What somebody who waits has to move on meanwhile. This is nothing, and the form of all others.
struct NoWork {
  /// True when something moved.
  static bool serve() noexcept { return false; }
  /// Nothing has moved since then.
  static void before_sleep(std::chrono::steady_clock::time_point /*since*/) noexcept {}
  /// Whether the work stands still while nobody looks.
  static bool needs_looks() noexcept { return false; }
};

/// One function that moves it on.
template <class Serve>
struct Work : NoWork {
  explicit Work(Serve function) : serve(std::move(function)) {}
  Serve serve;
};

/// Returns when `ready()`. Sleeps by `sleep(nap, rung)`.
template <class Ready, class Work, class Sleep>
void wait_until(const WaitPolicy& policy, Ready&& ready, Work&& work, Sleep&& sleep) {
  static_assert(noexcept(work.serve()),
                "a wait may not end by what others ask for meanwhile (world/ending.hpp)");
  if (ready()) return;
  Waiter waiter(policy);
  do {
    if (work.serve()) {
      waiter.begin_anew();
    } else if (!waiter.sleeps()) {
      waiter.pause();
    } else {
      work.before_sleep(waiter.since());
      sleep(waiter.nap(), policy.rung);
    }
  } while (!ready());
}
/// Where nobody tells when it is ready.
template <class Ready, class Work = NoWork>
void wait_until(const WaitPolicy& policy, Ready&& ready, Work&& work = {}) {
  wait_until(policy, ready, work, [](WaitTime nap, WaitTime) { take_nap(nap); });
}

/// A number that others wait for to change, also in memory that processes share, where
/// zero-initialised memory is a valid one.
class Bell {
 public:
  std::uint32_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  /// Changes the value; what this thread wrote before is visible to whoever sees it.
  void ring(std::uint32_t value) noexcept {
    // Sequentially consistent with a sleeper: we see it, or it sees the value.
    value_.store(value, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake(value_, INT32_MAX);
  }
  /// `ready` is asked once more, when whoever makes it so sees that somebody sleeps.
  template <class Ready>
  void sleep_while(std::uint32_t seen, WaitTime most, Ready&& ready) noexcept {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (value_.load(std::memory_order_seq_cst) == seen && !ready()) sleep_on(value_, seen, most);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }
  void sleep_while(std::uint32_t seen, WaitTime most) noexcept {
    sleep_while(seen, most, [] { return false; });
  }
  /// For a caller whose news are sequentially consistent: without sleepers it need not ring.
  bool has_sleepers() const noexcept { return sleepers_.load(std::memory_order_seq_cst) != 0; }

 private:
  std::atomic<std::uint32_t> value_, sleepers_;
};

/// Returns when the bell's value is another than `seen`.
template <class Work = NoWork>
void wait_while(const WaitPolicy& policy, Bell& bell, std::uint32_t seen, Work&& work = {}) {
  wait_until(
      policy, [&] { return bell.value() != seen; }, work,
      [&](WaitTime nap, WaitTime rung) {
        bell.sleep_while(seen, work.needs_looks() ? nap : rung);
      });
}

}  // namespace lagoon::atoll::detail

// Waiter: the three stages. On an oversubscribed machine a sleeping waiter has better median and
// tail latency than a spinning one (measured), because a wake-up preempts and a spinner does not.
#include "world/waiter.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace lagoon::atoll::detail {

namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr microseconds spin_time{20};
constexpr microseconds yield_time{100};
constexpr microseconds shortest_nap{5};
constexpr microseconds longest_nap{1000};
constexpr int share_of_wait = 4;
constexpr unsigned long little_slack = 1000;  // nanoseconds
constexpr std::uint32_t steps_between_clock_readings = 16;
// Looks before the first yield where cores are scarce: an answer that is nearly there is not worth
// two system calls (measured: 0.5 of 3 microseconds), and eight looks take no core from anybody.
constexpr std::uint32_t looks_before_yielding = 8;

bool more_threads_than_cores = false;

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

timespec to_timespec(nanoseconds time) noexcept {
  return {static_cast<time_t>(time.count() / 1000000000),
          static_cast<long>(time.count() % 1000000000)};
}

// The futex system call works on the 32-bit word itself.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

}  // namespace

void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
              nanoseconds at_most) noexcept {
  const timespec timeout = to_timespec(at_most);
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void take_nap(nanoseconds time) noexcept {
  const timespec request = to_timespec(time);
  const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  const bool coarse = slack > static_cast<int>(little_slack);
  if (coarse) prctl(PR_SET_TIMERSLACK, little_slack, 0, 0, 0);
  nanosleep(&request, nullptr);
  if (coarse) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack), 0, 0, 0);
}

void Waiter::set_oversubscribed(bool oversubscribed) noexcept {
  more_threads_than_cores = oversubscribed;
}
bool Waiter::oversubscribed() noexcept { return more_threads_than_cores; }
void Waiter::yield() noexcept { sched_yield(); }

void Waiter::reset() noexcept { stage_ = Stage::fresh; }

nanoseconds Waiter::nap() const noexcept {
  return nap_after(std::chrono::steady_clock::now() - since_, share_of_wait, shortest_nap,
                   longest_nap);
}

void Waiter::pause() noexcept {
  switch (stage_) {
    case Stage::fresh:
      since_ = std::chrono::steady_clock::now();
      steps_ = 0;
      stage_ = Stage::spin;
      break;
    case Stage::spin:
      relax();
      ++steps_;
      if (more_threads_than_cores)
        stage_ = steps_ >= looks_before_yielding ? Stage::yield : Stage::spin;
      else if (steps_ % steps_between_clock_readings == 0 &&
               std::chrono::steady_clock::now() - since_ > spin_time)
        stage_ = Stage::yield;
      break;
    case Stage::yield:
      sched_yield();
      if (std::chrono::steady_clock::now() - since_ > yield_time) stage_ = Stage::sleep;
      break;
    case Stage::sleep: take_nap(nap()); break;
  }
}

}  // namespace lagoon::atoll::detail

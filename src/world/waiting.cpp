// The steps of a wait, and what they ask of the system.
#include "world/waiting.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace lagoon::atoll::detail {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t steps_between_clock_readings = 16;
// Looks before the first yield where cores are scarce: an answer that is nearly there is not worth
// two system calls (measured: 0.5 of 3 microseconds), and eight looks take no core from anybody.
constexpr std::uint32_t looks_before_yielding = 8;
// The kernel rounds sleeps up by this much; its default of 50 microseconds would double ours.
constexpr unsigned long little_slack = 1000;  // nanoseconds

bool more_threads_than_cores = false;

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

timespec to_timespec(WaitTime time) noexcept {
  return {static_cast<time_t>(time.count() / 1000000000),
          static_cast<long>(time.count() % 1000000000)};
}

// The futex system call works on the 32-bit word itself.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

}  // namespace

void set_oversubscribed(bool oversubscribed) noexcept { more_threads_than_cores = oversubscribed; }
bool oversubscribed() noexcept { return more_threads_than_cores; }

void yield_core() noexcept { sched_yield(); }

void take_nap(WaitTime time) noexcept {
  const timespec request = to_timespec(time);
  const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  const bool coarse = slack > static_cast<int>(little_slack);
  if (coarse) prctl(PR_SET_TIMERSLACK, little_slack, 0, 0, 0);
  nanosleep(&request, nullptr);
  if (coarse) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack), 0, 0, 0);
}

void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t seen, WaitTime most) noexcept {
  const timespec timeout = to_timespec(most);
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word, int sleepers) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, sleepers, nullptr, nullptr, 0);
}

// Linux 6.12 and later grant a short time slice without privilege; others ignore it.
void prepare_to_serve() noexcept {
  prctl(PR_SET_TIMERSLACK, little_slack, 0, 0, 0);
  // The kernel's struct sched_attr, first version; its header does not go with glibc's <sched.h>.
  struct {
    std::uint32_t size = 48, policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 100000;  // nanoseconds, the least that is allowed
    std::uint64_t deadline = 0, period = 0;
  } attributes;
  static_assert(sizeof attributes == 48);
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void Waiter::begin_anew() noexcept {
  stage_ = Stage::fresh;
  if (policy_.yield > WaitTime{0}) return;
  since_ = Clock::now();
  stage_ = Stage::sleep;
}

WaitTime Waiter::nap() const noexcept { return policy_.nap(Clock::now() - since_); }

void Waiter::pause() noexcept {
  switch (stage_) {
    case Stage::fresh:
      since_ = Clock::now();
      steps_ = 0;
      stage_ = Stage::spin;
      break;
    case Stage::spin:
      relax();
      ++steps_;
      if (more_threads_than_cores
              ? steps_ >= looks_before_yielding
              : steps_ % steps_between_clock_readings == 0 && Clock::now() - since_ > policy_.spin)
        stage_ = Stage::yield;
      break;
    case Stage::yield:
      yield_core();
      if (Clock::now() - since_ > policy_.yield) stage_ = Stage::sleep;
      break;
    case Stage::sleep: break;
  }
}

}  // namespace lagoon::atoll::detail

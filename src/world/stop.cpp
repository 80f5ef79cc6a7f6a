// Stopping in time: what has come, and what all know of it.
#include "atoll/stop.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <string>

#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll {

namespace {

using Clock = std::chrono::steady_clock;

// Written in a signal's handler.
std::atomic<std::int32_t> asked_by_signal{0};
static_assert(std::atomic<std::int32_t>::is_always_lock_free);

// Of whom they were asked to be heeded. A forked child inherits the handler, and asks nobody.
std::atomic<pid_t> heeding{0};

// Whoever was asked to stop remains so.
std::atomic<bool> time_is_over{false};

// Of the clock. Several threads may ask, one of them while it waits for other ranks.
constexpr Clock::rep never = Clock::time_point::max().time_since_epoch().count();
std::atomic<Clock::rep> limit{never};
std::atomic<Clock::rep> asked_before{never};  // never: not yet

Clock::rep now() noexcept { return Clock::now().time_since_epoch().count(); }

void on_signal(int number) {
  if (getpid() != heeding.load()) {
    std::signal(number, SIG_DFL);
    (void)raise(number);  // when this returns
    return;
  }
  const auto reason = number == SIGTERM ? StopReason::termination : StopReason::user_signal;
  const auto word = static_cast<std::int32_t>(reason);
  if (asked_by_signal.load() < word) asked_by_signal.store(word);
}

}  // namespace

void heed_stop_signals() noexcept {
  heeding = getpid();
  struct sigaction action{};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
}

void set_time_limit(double seconds) {
  constexpr double most = 1e9;  // what the clock can count, by far
  if (!(seconds > 0.0))
    throw Error(ErrorKind::value, "time_limit is " + std::to_string(seconds) +
                                      ", expected a number of seconds above 0");
  const std::chrono::duration<double> length(std::min(seconds, most));
  limit = now() + std::chrono::duration_cast<Clock::duration>(length).count();
  asked_before = never;
  time_is_over = false;
}

StopReason stop_due() noexcept {
  const Clock::rep asked = now(), before = asked_before.exchange(asked), last = limit;
  const Clock::rep last_step = before == never ? 0 : asked - before;
  if (last != never && asked + last_step >= last) time_is_over = true;
  const auto by_time = time_is_over ? StopReason::time_limit : StopReason::none;
  return std::max(by_time, static_cast<StopReason>(asked_by_signal.load()));
}

StopReason stop_requested(const Group& group) {
  // A member that has failed on its way here is heard of, before numbers are exchanged.
  detail::enter_collective(group, "stop_requested", 0, nullptr);
  const auto mine = static_cast<std::int32_t>(stop_due());
  return static_cast<StopReason>(group.reduce(mine, Reduction::maximum));
}

const char* name_of(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::none: return "";
    case StopReason::time_limit: return "the time limit";
    case StopReason::user_signal: return "SIGUSR1";
    case StopReason::termination: return "SIGTERM";
  }
  return "";
}

}  // namespace lagoon::atoll

// The clock and sleeping.
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "simulation/real.hpp"
#include "simulation/system/time.hpp"

namespace lagoon::atoll::simulation {

namespace {

/// A sleep of the program's own that is longer than this is something under way.
constexpr Time long_sleep = second / 2;

void sleep_until(Time until) noexcept {
  char doing[64];
  const Time begin = now();
  std::snprintf(doing, sizeof doing, "sleeps %lld us",
                static_cast<long long>((until - begin) / microsecond));
  if (until - begin > long_sleep) scheduler().moved = std::max(scheduler().moved, until);
  while (now() < until) wait(no_key, until, doing);
}

}  // namespace

Time on_our_clock(clockid_t, const timespec& time) noexcept {
  if (time.tv_sec > never / second) return never;
  const Time told = time.tv_sec * second + time.tv_nsec;
  return time.tv_sec >= start_of_calendar / second ? told - start_of_calendar : told;
}

timespec timespec_of(Time time) noexcept { return {time / second, time % second}; }

}  // namespace lagoon::atoll::simulation

using namespace lagoon::atoll::simulation;  // NOLINT: of this library's functions of C

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto real_one = real<decltype(clock_gettime)>("clock_gettime");
  if (me() == nullptr) return real_one(clock, time);
  step(Kind::clock);
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: *time = timespec_of(now() + start_of_calendar); break;
    case CLOCK_THREAD_CPUTIME_ID: *time = timespec_of(me()->used); break;
    default: *time = timespec_of(now());
  }
  return 0;
}

int gettimeofday(timeval* time, void* zone) noexcept {
  static const auto real_one = real<int(timeval*, void*)>("gettimeofday");
  if (me() == nullptr) return real_one(time, zone);
  step(Kind::clock);
  const timespec told = timespec_of(now() + start_of_calendar);
  *time = {told.tv_sec, told.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* where) noexcept {
  static const auto real_one = real<time_t(time_t*)>("time");
  if (me() == nullptr) return real_one(where);
  const time_t told = (now() + start_of_calendar) / second;
  if (where != nullptr) *where = told;
  return told;
}

int sched_yield() noexcept {
  static const auto real_one = real<int()>("sched_yield");
  if (me() == nullptr) return real_one();
  step(Kind::yield);
  return 0;
}

int nanosleep(const timespec* asked, timespec* left) {
  static const auto real_one = real<int(const timespec*, timespec*)>("nanosleep");
  if (me() == nullptr) return real_one(asked, left);
  sleep_until(now() + asked->tv_sec * second + asked->tv_nsec);
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* asked, timespec* left) {
  static const auto real_one =
      real<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  if (me() == nullptr) return real_one(clock, flags, asked, left);
  sleep_until((flags & TIMER_ABSTIME) != 0 ? on_our_clock(clock, *asked)
                                           : now() + asked->tv_sec * second + asked->tv_nsec);
  return 0;
}

int usleep(useconds_t microseconds) {
  static const auto real_one = real<int(useconds_t)>("usleep");
  if (me() == nullptr) return real_one(microseconds);
  sleep_until(now() + static_cast<Time>(microseconds) * microsecond);
  return 0;
}

unsigned sleep(unsigned seconds) {
  static const auto real_one = real<unsigned(unsigned)>("sleep");
  if (me() == nullptr) return real_one(seconds);
  sleep_until(now() + static_cast<Time>(seconds) * second);
  return 0;
}

}  // extern "C"

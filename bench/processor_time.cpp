// The kernel's clocks of processor time.
#include "processor_time.hpp"

#include <ctime>

namespace bench {

namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0.0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double process_seconds(pid_t process) {
  clockid_t clock{};
  return clock_getcpuclockid(process, &clock) == 0 ? seconds_of(clock) : 0.0;
}

double process_seconds(std::span<const pid_t> processes) {
  double sum = 0.0;
  for (const pid_t process : processes) sum += process_seconds(process);
  return sum;
}

}  // namespace bench

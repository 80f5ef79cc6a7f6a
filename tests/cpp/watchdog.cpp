#include "watchdog.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "world/process.hpp"
#include "world/stack_report.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr int exit_status = 3;

// Read by the counting thread: plain storage, written only while nothing is watched.
std::array<char, 256> watched{};
int own_rank = -1;  // not known yet
int limit = 0;
std::atomic<int> seconds_left{0};  // 0: nothing is watched

/// In one piece, so that the stacks of several ranks do not mix.
void report(const detail::StackReport& found) {
  std::array<char, 400> heading{};
  std::snprintf(heading.data(), heading.size(), "[rank %d] watchdog: %s took over %d s; %s\n",
                own_rank, watched.data(), limit,
                found.answered ? "stack:" : "no stack: it takes no signals");
  const std::string text = heading.data() + found.stack;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

/// A thread and no timer: a signal every second would disturb what the tests wait for.
[[noreturn]] void count_seconds(pid_t watched_thread) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    int left = seconds_left.load();
    // Another test may begin in between: then its count stays as it is.
    if (left == 0 || !seconds_left.compare_exchange_strong(left, left - 1) || left > 1) continue;
    report(detail::ask_for_stack(watched_thread));
    // Lets the other stuck ranks print theirs before the launcher ends the run.
    std::this_thread::sleep_for(std::chrono::seconds(4));
    ::_exit(exit_status);
  }
}

}  // namespace

void start_watchdog(int limit_seconds) {
  limit = limit_seconds;
  detail::prepare_stack_reports();
  // Detached: it uses nothing but the variables above, to the last moment of the process.
  std::thread(count_seconds, detail::this_thread()).detach();
}

void tell_rank(int rank) {
  stop_watching();
  own_rank = rank;
}

void watch(const std::string& name) {
  stop_watching();
  std::snprintf(watched.data(), watched.size(), "%s", name.c_str());
  seconds_left = limit;
}

void stop_watching() { seconds_left = 0; }

}  // namespace lagoon::atoll::test

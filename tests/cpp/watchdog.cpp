#include "watchdog.hpp"

#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

namespace lagoon::atoll::test {
namespace {

constexpr int exit_status = 3;

// Read by the signal handler: plain storage, written only while nothing is watched.
std::array<char, 256> watched{};
int own_rank = -1;  // not known yet
int limit = 0;
std::atomic<int> seconds_left{0};  // 0: nothing is watched

void write_text(const char* text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void write_heading(const char* what) {
  std::array<char, 400> heading{};
  std::snprintf(heading.data(), heading.size(), "[rank %d] watchdog: %s took over %d s; %s\n",
                own_rank, watched.data(), limit, what);
  write_text(heading.data());
}

/// Runs on the watched thread, wherever that is.
void on_alarm(int) {
  write_heading("stack:");
  std::array<void*, 64> frames{};
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
  ::sleep(4);  // lets the other stuck ranks print theirs before the launcher ends the run
  ::_exit(exit_status);
}

/// A thread and no timer: a signal every second would disturb what the tests wait for.
[[noreturn]] void count_seconds(pthread_t watched_thread) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    int left = seconds_left.load();
    // Another test may begin in between: then its count stays as it is.
    if (left == 0 || !seconds_left.compare_exchange_strong(left, left - 1) || left > 1) continue;
    ::pthread_kill(watched_thread, SIGALRM);
    std::this_thread::sleep_for(std::chrono::seconds(10));
    write_heading("no stack: it takes no signals");
    ::_exit(exit_status);
  }
}

}  // namespace

void start_watchdog(int limit_seconds) {
  limit = limit_seconds;
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);  // loads libgcc now: the handler may not allocate
  struct sigaction action{};
  action.sa_handler = on_alarm;
  ::sigaction(SIGALRM, &action, nullptr);
  // Detached: it uses nothing but the variables above, to the last moment of the process.
  std::thread(count_seconds, ::pthread_self()).detach();
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

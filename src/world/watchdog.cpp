// Watchdog: counting, telling, and ending the run.
#include "world/watchdog.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <system_error>

#include "atoll/error.hpp"
#include "atoll/world.hpp"
#include "mpi/face.hpp"
#include "world/doing.hpp"
#include "world/group_state.hpp"
#include "world/stack_report.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr int alarm_tag = 1;
/// From the first words of a rank to its end of the run: others hear of it within two seconds.
constexpr seconds time_to_speak{5};
/// For writing that does not come to its end: nobody reads what it is written to.
constexpr unsigned time_to_write = 10;
/// For an MPI that does not come back from its own end.
constexpr unsigned time_to_end = 20;

/// "12:03:59", of this host's clock.
std::string time_of_day(Clock::time_point time) {
  const auto then =
      std::chrono::system_clock::now() - std::chrono::duration_cast<seconds>(Clock::now() - time);
  const std::time_t whole = std::chrono::system_clock::to_time_t(then);
  std::tm parts{};
  localtime_r(&whole, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  return text.data();
}

std::string since(Clock::time_point time) {
  const auto lasted = std::chrono::duration_cast<seconds>(Clock::now() - time).count();
  return " since " + time_of_day(time) + ", " + std::to_string(lasted) + " s";
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += "    " + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return result;
}

std::string whereabouts(const StackReport& report, bool waits, Clock::time_point waits_since) {
  std::string text = waits ? "waits" : report.operation.empty() ? "is outside of Atoll" : "is";
  if (!report.operation.empty()) text += " in " + report.operation;
  // As the profile has it: "array": "name", "type": ..., or null for no array.
  if (!report.array.empty() && report.array.find("\"array\": null") == report.array.npos)
    text += " of {" + report.array + "}";
  if (!report.operation.empty())
    text += since(report.since);
  else if (waits)
    text += since(waits_since);
  return text;
}

}  // namespace

Watchdog::Watchdog(WorldState& world, int limit_seconds)
    : world_(world),
      limit_(limit_seconds),
      alarm_(world.all.state()->control().alarm),
      long_ago_(limit_seconds),
      stuck_since_(LongAgo::never.time_since_epoch().count()) {
  prepare_stack_reports();
  if (world.topology.nodes > 1 && Roles::threads_allowed())
    check_mpi(mpi::comm_dup(world.communicator, &others_), "MPI_Comm_dup");
}

void Watchdog::start() {
  // Signals are for the program's own threads.
  sigset_t all_signals, before;
  sigfillset(&all_signals);
  pthread_sigmask(SIG_SETMASK, &all_signals, &before);
  std::error_code refusal;
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    refusal = error.code();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (refusal)
    throw Error(ErrorKind::state,
                "ATOLL_TIMEOUT=" + std::to_string(limit_) +
                    ": no thread can be started that watches: " + refusal.message());
  Doing::followed = true;
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  end_.notify_all();
  if (thread_.joinable()) thread_.join();
  Doing::followed = false;
  if (others_ != mpi::comm_null) mpi::comm_free(&others_);
}

void Watchdog::asleep(Clock::time_point since) noexcept {
  const Clock::rep begun = since.time_since_epoch().count();
  if (begun > stuck_since_.load(std::memory_order_relaxed)) return;
  sleeper_.store(this_thread(), std::memory_order_relaxed);
  sleeps_since_.store(begun, std::memory_order_relaxed);
  stuck_.store(true, std::memory_order_release);
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  watch_until_stuck(lock);
  if (ends_) return;
  lock.unlock();
  // Of this thread, which must not depend on what others let through.
  sigset_t alarm_alone;
  sigemptyset(&alarm_alone);
  sigaddset(&alarm_alone, SIGALRM);
  std::signal(SIGALRM, [](int) { ::_exit(exit_status); });
  pthread_sigmask(SIG_UNBLOCK, &alarm_alone, nullptr);
  ::alarm(time_to_write);
  say_where();
  ::alarm(static_cast<unsigned>(time_to_speak.count()) + time_to_end);
  std::this_thread::sleep_for(time_to_speak);
  World::abort("nothing has moved for " + std::to_string(limit_) +
                   " s on some rank (ATOLL_TIMEOUT); the run ends",
               exit_status);
}

/// Until then, or till the end of the world.
void Watchdog::watch_until_stuck(std::unique_lock<std::mutex>& lock) {
  while (!end_.wait_for(lock, seconds(1), [this] { return ends_; })) {
    if (moved_.exchange(false, std::memory_order_relaxed)) long_ago_.begin_anew();
    stuck_since_.store(long_ago_.count(Clock::now()).time_since_epoch().count(),
                       std::memory_order_relaxed);
    const bool first = stuck_.load(std::memory_order_acquire);
    if (!first && !told()) continue;
    if (alarm_.exchange(1) == 0) tell_others();
    return;
  }
}

bool Watchdog::told() noexcept {
  if (alarm_.load() != 0) return true;
  int found = 0;
  // The node's first rank hears for all of it.
  if (others_ != mpi::comm_null && world_.topology.leader())
    mpi::iprobe(mpi::any_source, alarm_tag, others_, &found, mpi::status_ignore);
  return found != 0;
}

/// Nobody waits for these messages: the run ends.
void Watchdog::tell_others() noexcept {
  if (others_ == mpi::comm_null) return;
  for (const std::int32_t leader : world_.topology.leader_of) {
    mpi::Request request = mpi::request_null;
    if (world_.topology.node_of[static_cast<std::size_t>(leader)] != world_.topology.node)
      mpi::isend(nullptr, 0, mpi::type_byte, leader, alarm_tag, others_, &request);
  }
}

void Watchdog::say_where() noexcept try {
  const bool waits = stuck_.load(std::memory_order_acquire);
  const pid_t inside = Doing::inside.load();
  const StackReport report = ask_for_stack(waits         ? sleeper_.load()
                                           : inside != 0 ? inside
                                                         : starter_);
  const Clock::time_point sleeps_since{Clock::duration(sleeps_since_.load())};
  const Topology& topology = world_.topology;
  std::string text = "atoll: rank " + std::to_string(topology.rank) + " of " +
                     std::to_string(topology.size) + ", process " + std::to_string(getpid()) + ", ";
  if (report.answered) {
    text += whereabouts(report, waits, sleeps_since) + "\n  stack:\n" + indented(report.stack);
    if (!report.python.empty()) text += "  Python:\n" + indented(report.python);
  } else {
    text += "takes no signals: its stack is not known\n";
  }
  std::fflush(stderr);
  for (std::size_t at = 0; at < text.size();) {  // one write, unless a pipe is full
    const ssize_t written = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (written <= 0) break;
    at += static_cast<std::size_t>(written);
  }
} catch (...) {
  // No memory for the text: the run ends with a line all the same.
}

}  // namespace lagoon::atoll::detail

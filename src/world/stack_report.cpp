// StackReport: the handler fills storage of its own and allocates nothing; all else is done by the
// thread that asked.
#include "world/stack_report.hpp"

#include <cxxabi.h>
#include <execinfo.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include "world/doing.hpp"

namespace lagoon::atoll::detail {

namespace {

using Clock = std::chrono::steady_clock;

// Of the real-time signals, which MPI libraries leave alone.
int own_signal() noexcept { return SIGRTMIN + 7; }

struct Answer {
  std::array<void*, 64> frames{};
  int depth = 0;
  std::array<char, 120> operation{};
  std::array<char, 300> array{};
  Clock::rep since = 0;  // of the clock
};

// Written by the handler between the question and the post.
Answer answer;
sem_t answered;
std::atomic<bool> asked{false};
std::atomic<int> language_signal{0}, language_file{-1};

template <std::size_t N>
void copy(std::array<char, N>& target, std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), N - 1);
  for (std::size_t i = 0; i < length; ++i) target[i] = text[i];
  target[length] = '\0';
}

/// Python gives its signal back when it ends, before the world does: it would end the process.
bool is_handled(int number) noexcept {
  struct sigaction action{};
  return number != 0 && sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL;
}

bool ask(pid_t thread) noexcept { return syscall(SYS_tgkill, getpid(), thread, own_signal()) == 0; }

void on_question(int) {
  const int error = errno;
  if (asked.exchange(false)) {
    answer.depth = backtrace(answer.frames.data(), static_cast<int>(answer.frames.size()));
    const Doing* const doing = Doing::current.load(std::memory_order_acquire);
    copy(answer.operation, doing != nullptr ? doing->operation : std::string_view());
    copy(answer.array,
         doing != nullptr && doing->array != nullptr ? *doing->array : std::string_view());
    if (doing != nullptr) answer.since = doing->since.time_since_epoch().count();
    // Its handler has run when this returns.
    if (const int number = language_signal.load(); is_handled(number)) (void)raise(number);
    sem_post(&answered);
  }
  errno = error;
}

/// "module(_ZN1a1bEv+0x12) [0x7f..]" with the name as it stands in the source.
std::string readable(std::string_view line) {
  const std::size_t open = line.find('('), plus = line.find('+', open);
  if (open == line.npos || plus == line.npos) return std::string(line);
  const std::string name(line.substr(open + 1, plus - open - 1));
  int status = -1;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  std::string text(line.substr(0, open + 1));
  text += status == 0 ? plain.get() : name;
  return text += line.substr(plus);
}

std::string stack_of(const Answer& of) {
  std::string text;
  const std::unique_ptr<char*, void (*)(void*)> lines(backtrace_symbols(of.frames.data(), of.depth),
                                                      &std::free);
  // The handler itself, and what the system calls it by.
  for (int i = 2; i < of.depth && lines != nullptr; ++i)
    text += readable(lines.get()[i]) + '\n';  // NOLINT: the C library's array
  return text;
}

std::string content_of(int file) {
  std::string text;
  std::array<char, 4096> part{};
  for (off_t at = 0;; at += static_cast<off_t>(part.size())) {
    const ssize_t length = pread(file, part.data(), part.size(), at);
    if (length <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(length));
  }
}

}  // namespace

void prepare_stack_reports() {
  static bool prepared = false;
  if (std::exchange(prepared, true)) return;
  sem_init(&answered, 0, 0);
  std::array<void*, 1> frame{};
  backtrace(frame.data(), 1);  // loads libgcc now: the handler may not allocate
  struct sigaction action{};
  action.sa_handler = &on_question;
  action.sa_flags = SA_RESTART;
  sigaction(own_signal(), &action, nullptr);
}

StackReport ask_for_stack(pid_t thread) {
  StackReport report;
  const int file = language_file.load();
  if (file >= 0 && ftruncate(file, 0) == 0) lseek(file, 0, SEEK_SET);
  asked.store(true);
  if (!ask(thread) && !ask(getpid())) return report;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  while (sem_timedwait(&answered, &until) != 0)
    if (errno != EINTR) return report;
  report.answered = true;
  report.operation = answer.operation.data();
  report.array = answer.array.data();
  report.since = Clock::time_point(Clock::duration(answer.since));
  report.stack = stack_of(answer);
  if (file >= 0) report.python = content_of(file);
  return report;
}

int signal_of_language_stacks() noexcept { return SIGRTMIN + 8; }

void tell_language_stacks_by(int signal_number, int file) {
  language_file.store(file);
  language_signal.store(signal_number);
}

}  // namespace lagoon::atoll::detail

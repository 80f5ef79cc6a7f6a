// The process's rank and last error.
#include "world/process.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace lagoon::atoll::detail {

namespace {

int current_rank = -1;
thread_local bool text_is_gone = false;

struct Text {
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { text_is_gone = true; }
  std::string text;
};

}  // namespace

int process_rank() noexcept { return current_rank; }
void set_process_rank(int rank) noexcept { current_rank = rank; }

pid_t this_thread() noexcept {
  thread_local const auto number = static_cast<pid_t>(syscall(SYS_gettid));
  return number;
}

std::string& last_error() noexcept {
  thread_local Text mine;
  if (!text_is_gone) return mine.text;
  // A world that the end of the program ends may have errors after all that a thread has is gone.
  static std::string& of_the_end = *new std::string;  // NOLINT(bugprone-unhandled-exception-at-new)
  return of_the_end;
}

}  // namespace lagoon::atoll::detail

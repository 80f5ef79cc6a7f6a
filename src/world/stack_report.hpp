// StackReport: where a thread of this process stands, asked of it by another thread. The asked one
// answers in a signal's handler, wherever it is: in a system call, or in Python with or without the
// interpreter's lock.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

namespace lagoon::atoll::detail {

struct StackReport {
  bool answered = false;  ///< false: it takes no signals, and nothing else is known
  std::string operation;  ///< of Atoll, that it is in the midst of; empty: none
  std::string array;      ///< of that, as the profile describes it; empty: none
  std::chrono::steady_clock::time_point since{};  ///< the operation's beginning
  std::string stack;                              ///< a line a frame, the innermost first
  std::string python;  ///< what Python says of all its threads; empty: it does not run
};

/// Installs the handler; once a process, before the first question.
void prepare_stack_reports();

/// Asks and waits for the answer, a second at most. For one thread at a time. `thread` is what
/// `this_thread` says; the main thread is asked in the place of one that has ended.
StackReport ask_for_stack(pid_t thread);

/// The signal whose handler writes the threads' stacks of a language to `file`, a memfd (Python's
/// faulthandler). It is raised upon the asked thread.
void tell_language_stacks_by(int signal_number, int file);
/// A signal that nobody else uses, for that.
int signal_of_language_stacks() noexcept;

}  // namespace lagoon::atoll::detail

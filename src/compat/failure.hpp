// What fails in a call that has no return code for it: the job ends, with a message (trap 21 of
// GA's rules).
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace lagoon::atoll::compat {

/// Ends the job: "0: NGA_Get: patch [0:9] lies outside array 'A'" on standard error.
[[noreturn]] void fail(const char* routine, const std::exception& error);
/// The same for a message and a code of the program's own; code 0 counts as -1.
[[noreturn]] void fail(const std::string& message, long code);

/// Calls `f` and returns what it returns; what it throws ends the job.
template <class F>
decltype(auto) guarded(const char* routine, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const std::exception& error) {
    fail(routine, error);
  }
}

}  // namespace lagoon::atoll::compat

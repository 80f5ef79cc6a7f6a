// What the calls of MA share: the process's allocator, counts of calls, switches, and what happens
// when one fails.
#pragma once

#include <exception>
#include <map>
#include <string_view>

#include "compat/ma/allocator.hpp"

namespace lagoon::atoll::ma {

using ErrorCallback = void (*)(const char*, int);

struct Session {
  static Session& get();

  Allocator allocator;
  std::map<std::string_view, long> calls;  ///< by literals
  bool prints_errors = true, hard_fails = false, verifies = false, traces = false;
  ErrorCallback callback = nullptr;

  /// Of a call that looks at blocks: verifies, if that was asked for.
  void look() const;
  /// Says what went wrong; ends the job if that was asked for.
  void failed(const char* routine, const std::exception& error) const;
  void trace(const char* what, std::string_view name) const;
  /// Prints what is damaged; std::runtime_error if anything is.
  void verify() const;
};

/// What the body returns, `otherwise` if it throws.
template <class Result, class Body>
Result call(const char* routine, Result otherwise, Body body) {
  Session& session = Session::get();
  try {
    ++session.calls[routine];
    return body(session);
  } catch (const std::exception& error) {
    session.failed(routine, error);
    return otherwise;
  }
}

}  // namespace lagoon::atoll::ma

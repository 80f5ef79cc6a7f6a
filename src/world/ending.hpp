// The end of a run by a rank that cannot go on: one line, and all ranks end. It takes no memory,
// which may be what is missing.
//
// The rule for what runs where nobody can catch (an agent, a chore, a destructor, a look at the
// network inside somebody's wait): it is noexcept by its type, it does not allocate, or does
// without where it gets nothing, and what fails all the same ends the run here, for the ranks that
// wait.
#pragma once

#include <exception>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "atoll/namespace.hpp"

namespace lagoon::atoll::detail {

/// Returns when the launcher has read what this rank wrote to a pipe: MPICH's loses the rest when a
/// rank ends the run, or is ended. Not after long, as nobody may read.
void let_output_be_read(int file) noexcept;

/// "atoll: rank 1: WORDS" on stderr, and the end of all ranks.
[[noreturn]] void end_run(std::initializer_list<std::string_view> words, int code) noexcept;

/// Ends the run: a rank cannot do what the others wait for.
[[noreturn]] void cannot_go_on(std::string_view operation, const std::exception& error) noexcept;
/// The same, of the exception that is being handled.
[[noreturn]] void cannot_go_on(std::string_view operation) noexcept;

/// A step whose failure nobody could be told of.
template <class Step>
decltype(auto) unfailing(std::string_view operation, Step&& step) noexcept {
  try {
    return std::forward<Step>(step)();
  } catch (...) {
    cannot_go_on(operation);
  }
}

}  // namespace lagoon::atoll::detail

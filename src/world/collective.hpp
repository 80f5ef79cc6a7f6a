// The one frame of collective calls: what fails on a rank on its way to a meeting is kept until all
// have met, and then thrown on all alike. A rank that left early would leave the others waiting.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "atoll/error.hpp"
#include "atoll/group.hpp"
#include "world/ending.hpp"

namespace lagoon::atoll::detail {

/// What failed on this rank, if anything.
using Failure = std::optional<Error>;

/// The exception that is being handled, as an Error. Where there is no memory for one, the run
/// ends.
Error caught() noexcept;

/// What a step comes to, which others are to be told of: it always returns.
template <class Step>
Failure attempt(Step&& step) noexcept {
  try {
    std::forward<Step>(step)();
    return {};
  } catch (...) {
    return caught();
  }
}

/// Entry of a collective call over `group`. Completes this rank's one-sided operations, runs the
/// local argument checks `validate`, waits for all members, and compares.
/// Throws on *all* members alike: the failure of the lowest rank that has one, or Error(mismatch)
/// when members disagree in operation or argument hash, which names the odd ranks and what they
/// called.
void enter_collective(const Group& group, std::string_view operation, std::uint64_t arguments,
                      const std::function<void()>& validate);
/// The same without a copy of `validate`: a rank that has no memory for one would not come.
template <std::invocable Validate>
void enter_collective(const Group& group, std::string_view operation, std::uint64_t arguments,
                      const Validate& validate) {
  enter_collective(group, operation, arguments, std::function<void()>(std::ref(validate)));
}

/// Exit: completes one-sided operations of all members and waits for them. Throws on all alike what
/// `failure` says of one, or that a write was lost. Members may leave by different names, except
/// with ATOLL_CHECK=1.
void leave_collective(const Group& group, const Failure& failure = {},
                      std::string_view name = "leave");

/// Exit with a word of each member's: whether all have brought the same.
bool leave_with(const Group& group, std::uint64_t word, const Failure& failure);

/// A step behind a meeting, in which nobody hears of a failure any more.
template <class Step>
decltype(auto) must_go_on(std::string_view operation, Step&& step) {
  try {
    return std::forward<Step>(step)();
  } catch (const std::bad_alloc& error) {
    cannot_go_on(operation, error);
  }
}

/// A step in the midst of which ranks meet: who lacked memory there, and went on to the next
/// meeting, would leave the others in that one.
template <class Step>
Failure attempt_with_others(std::string_view operation, Step&& step) noexcept {
  return attempt([&] { must_go_on(operation, std::forward<Step>(step)); });
}

/// How a rank says what it calls, and from where, when ranks disagree: "fill(2.0) at job.py:7". Set
/// by languages that can tell.
void tell_calls_by(std::string (*caller)());

/// Throws Error(communication) with MPI's text when `status` is not MPI_SUCCESS.
void check_mpi(int status, const char* call);

/// Before there is a world to meet in: all ranks of `communicator` say what failed on them. Throws
/// on all alike the failure of the lowest.
void agree_to_start(MPI_Comm communicator, const Failure& failure);

/// Order-dependent mixing of values into an argument hash (splitmix64 finaliser).
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  std::uint64_t z = hash * 0x9e3779b97f4a7c15ULL + value + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace lagoon::atoll::detail

// The frame of every collective call: agreement on entry, synchronisation on exit.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "atoll/group.hpp"

namespace lagoon::atoll::detail {

/// Entry of a collective call over `group`. Completes this rank's one-sided operations, runs the
/// local argument checks `validate` (which may throw Error), waits for all members, and compares.
/// Throws on *all* members alike: the failed check of the lowest rank that has one, or
/// Error(mismatch) when members disagree in operation or argument hash (with ATOLL_CHECK=1 the
/// message names the odd ranks and what they called).
void enter_collective(const Group& group, std::string_view operation, std::uint64_t arguments,
                      const std::function<void()>& validate);

/// Exit: completes one-sided operations of all members and waits for them.
void leave_collective(const Group& group);

/// Order-dependent mixing of values into an argument hash (splitmix64 finaliser).
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  std::uint64_t z = hash * 0x9e3779b97f4a7c15ULL + value + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace lagoon::atoll::detail

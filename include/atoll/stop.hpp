// Stopping in time: what a program asks between two steps of its work, so that it can save its
// state and end before a batch system ends it.
//
//   atoll::heed_stop_signals();
//   for (...) {
//     step();
//     if (atoll::stop_requested(world) == atoll::StopReason::none) continue;
//     save();
//     return atoll::stopped_status;
//   }
#pragma once

#include <cstdint>

#include "atoll/group.hpp"

namespace lagoon::atoll {

/// Why a program is to stop; of two reasons the later one counts.
enum class StopReason : std::int32_t { none, time_limit, user_signal, termination };

/// The exit status of a program that stopped when it was asked to, and can be started again to go
/// on: EX_TEMPFAIL of sysexits.h.
inline constexpr int stopped_status = 75;

/// From here on SIGTERM and SIGUSR1 do not end this process but are remembered. Replaces handlers
/// of the program's own. Forked children are ended by them as before. Not collective; no World need
/// run.
void heed_stop_signals() noexcept;

/// From here on, so many seconds are left to this process. Error(value) unless more than 0.
void set_time_limit(double seconds);

/// Whether this process was asked to stop. By its time limit: when that would not last until the
/// next question, if the next step takes as long as the last one. Not collective.
StopReason stop_due() noexcept;

/// Whether any member was asked to: the same answer on all. Collective.
StopReason stop_requested(const Group& group);

/// For people: "SIGTERM", "the time limit".
const char* name_of(StopReason reason) noexcept;

}  // namespace lagoon::atoll

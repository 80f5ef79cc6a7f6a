// Between the system's times and ours.
#pragma once

#include <time.h>

#include "simulation/scheduler.hpp"

namespace lagoon::atoll::simulation {

/// What CLOCK_REALTIME says when our clock says 0. So large that a time tells which clock it is of.
inline constexpr Time start_of_calendar = Time{1'800'000'000} * second;

/// A time of either clock.
Time on_our_clock(clockid_t clock, const timespec& time) noexcept;
timespec timespec_of(Time time) noexcept;

}  // namespace lagoon::atoll::simulation

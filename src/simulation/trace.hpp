// The trace: every step and event, as a hash, and as lines where asked for.
#pragma once

#include <cstdint>

#include "simulation/scheduler.hpp"

namespace lagoon::atoll::simulation {

/// Of the running thread. Nothing of the system (addresses, processes) may be among the numbers.
void trace(Kind kind, std::uint64_t one = 0, std::uint64_t two = 0,
           std::uint64_t three = 0) noexcept;
bool tracing() noexcept;
/// A line for `--trace`, in the words of printf: "from TAB to TAB words".
[[gnu::format(printf, 1, 2)]] void trace_line(const char* format, ...) noexcept;

}  // namespace lagoon::atoll::simulation

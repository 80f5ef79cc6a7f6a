// Report: what windows a program makes and who makes their progress, for `atoll ghost --check`.
#pragma once

#include <cstdint>

namespace lagoon::atoll::ghost {

/// How a window was made, and what became of it.
enum class WindowMaker : std::uint8_t { allocate, create, create_dynamic, allocate_shared };
enum class WindowFate : std::uint8_t {
  redirected,  ///< to Atoll: served by ghosts or agents
  attended,    ///< MPI's own, and a thread on every rank makes its progress
  unchanged,   ///< MPI's own
};

/// By the first rank of the window's communicator only.
void count_window(WindowMaker maker, WindowFate fate) noexcept;

/// Collective over the program's ranks, before the World ends.
void print_report() noexcept;
/// Of windows whose communicators have this process first, where no World runs. `always`: also that
/// there are none.
void print_report_of_process(bool always) noexcept;

}  // namespace lagoon::atoll::ghost

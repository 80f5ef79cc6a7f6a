// Attendant: a thread that makes MPI's own progress in this process while the program has windows
// that are not on Atoll's memory.
#pragma once

namespace lagoon::atoll::ghost {

/// There is one such window more. False, and nothing happens, where MPI allows no threads.
bool attend_window();
void leave_window() noexcept;
/// Before MPI ends.
void end_attendant() noexcept;

}  // namespace lagoon::atoll::ghost

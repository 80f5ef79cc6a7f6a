// Addresses kept for the end of a run: where a limit leaves no memory (RLIMIT_AS), MPI_Abort, exit
// handlers and the stack need some to say so and to end the others.
#pragma once

namespace lagoon::atoll::detail {

/// Sets the reserve aside, once a process. It takes no memory until it is given up.
void keep_last_reserve() noexcept;
/// Gives it up for what is asked for from now on.
void give_up_last_reserve() noexcept;

}  // namespace lagoon::atoll::detail

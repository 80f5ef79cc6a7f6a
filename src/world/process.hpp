// What the process knows of itself without a World: its rank and last error, for messages.
#pragma once

#include <sys/types.h>

#include <string>

#include "atoll/namespace.hpp"

namespace lagoon::atoll::detail {

/// World rank, or -1 outside a World. Set by World at start and end.
int process_rank() noexcept;
void set_process_rank(int rank) noexcept;

/// The kernel's number of the calling thread. Unlike a pthread_t it may be used when the thread
/// has ended.
pid_t this_thread() noexcept;

/// The text of the Error made last on this thread: what a World that is left by an exception
/// prints, since the handler that could print it may never run.
std::string& last_error() noexcept;

}  // namespace lagoon::atoll::detail

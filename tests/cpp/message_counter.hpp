// Counts the messages that this process sends, between MPI's own profiling layer and the library.
#pragma once

#include <cstdint>

namespace lagoon::atoll::test {

/// Calls of MPI_Isend so far, on all threads.
std::int64_t messages_sent() noexcept;

}  // namespace lagoon::atoll::test

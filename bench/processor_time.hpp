// Processor time of threads and processes, in seconds.
#pragma once

#include <sys/types.h>

#include <span>

namespace bench {

/// Of the calling thread; of this process, all its threads; of another process of this machine
/// (0 when it is gone).
double thread_seconds();
double process_seconds();
double process_seconds(pid_t process);
double process_seconds(std::span<const pid_t> processes);

}  // namespace bench

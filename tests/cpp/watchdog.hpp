// The test program's watchdog: a test that takes longer than the limit ends the run with its name
// and the stack of every stuck rank, so that a hang is a failure.
//
// It counts the seconds in which this process could run, not those of the clock: a machine that
// stands still for minutes (a paused virtual machine, SIGSTOP) costs one second.
#pragma once

#include <string>

namespace lagoon::atoll::test {

/// Starts the watchdog; the calling thread is the watched one. Call once, before MPI's start.
void start_watchdog(int limit_seconds);

/// Which rank the reports are to name, as soon as it is known.
void tell_rank(int rank);

/// What is watched from here on is called `name`; the count begins anew.
void watch(const std::string& name);

/// Nothing is watched until the next watch().
void stop_watching();

}  // namespace lagoon::atoll::test

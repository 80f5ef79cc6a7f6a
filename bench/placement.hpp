// On which cores a process's computing thread and its other threads (agents, MPI's own) run.
#pragma once

namespace bench {

enum class Cores {
  free,   ///< as the scheduler likes
  own,    ///< all threads of rank r on core r: an agent shares the core of its rank
  apart,  ///< computing threads on the first half of the cores, all others on the second half
};

/// Places all threads of this process; `rank` counts the computing ranks of this machine. Called by
/// the thread that computes. Threads started later take after it.
void place_threads(Cores cores, int rank);

/// Puts this process before all others of the machine, where it may (root): for figures on a
/// machine that others use too.
void take_priority();

/// The cores that this process may use, before any placement.
int usable_cores();

}  // namespace bench

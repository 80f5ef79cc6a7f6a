// Ranks at work, mostly two: rank 0 measures, the others do as they are asked (wait, sleep,
// compute, answer a ping-pong). Asking happens by messages of MPI outside the measured time.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "measure.hpp"

namespace bench {

class Pair {
 public:
  /// What the others can be asked to do; the same list on all ranks, numbered from 0.
  using Task = std::function<void(std::int64_t argument)>;
  /// Not collective; `communicator` has at least two ranks and outlives the pair.
  Pair(MPI_Comm communicator, std::vector<Task> tasks);

  /// Rank 0 runs `lead`, then releases the others, which serve until then. Collective.
  void run(const std::function<void()>& lead);
  /// Rank 0: returns when all others are about to start the task.
  void ask(int task, std::int64_t argument);
  /// Rank 0: its own tasks, each of which asks the others to do the same.
  std::vector<Contender> contenders();

 private:
  void serve();
  void send_order(std::int64_t task, std::int64_t argument);
  MPI_Comm communicator_;
  std::vector<Task> tasks_;
};

/// Sleeps in the kernel.
void doze(double seconds);
/// Waits for a request of MPI, asleep between looks. MPI's own waiting spins with sched_yield,
/// which takes a core from whoever computes: Linux 6.18 was seen to let another process on that
/// core wait for minutes.
void wait_asleep(MPI_Request request);
/// Computes without a call to anything.
void compute(double seconds);

}  // namespace bench

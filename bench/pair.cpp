// Orders from rank 0 to the others.
#include "pair.hpp"

#include <array>
#include <cstddef>
#include <thread>
#include <utility>

#include "measure.hpp"

namespace bench {

namespace {
constexpr int tag = 77;
constexpr std::int64_t stop = -1;
}  // namespace

Pair::Pair(MPI_Comm communicator, std::vector<Task> tasks)
    : communicator_(communicator), tasks_(std::move(tasks)) {}

void Pair::run(const std::function<void()>& lead) {
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  if (rank == 0) {
    lead();
    send_order(stop, 0);
  } else {
    serve();
  }
}

void Pair::ask(int task, std::int64_t argument) { send_order(task, argument); }

void Pair::send_order(std::int64_t task, std::int64_t argument) {
  int ranks = 0;
  MPI_Comm_size(communicator_, &ranks);
  const std::array<std::int64_t, 2> order{task, argument};
  for (int rank = 1; rank < ranks; ++rank)
    MPI_Send(order.data(), 2, MPI_INT64_T, rank, tag, communicator_);
  for (int rank = 1; rank < ranks; ++rank)
    MPI_Recv(nullptr, 0, MPI_INT64_T, rank, tag, communicator_, MPI_STATUS_IGNORE);
}

std::vector<Contender> Pair::contenders() {
  std::vector<Contender> result;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    result.push_back({tasks_[i], [this, i](std::int64_t n) { ask(static_cast<int>(i), n); }});
  return result;
}

void Pair::serve() {
  for (;;) {
    // MPI_Recv would spin and take a core from whoever measures.
    int arrived = 0;
    while (true) {
      MPI_Iprobe(0, tag, communicator_, &arrived, MPI_STATUS_IGNORE);
      if (arrived != 0) break;
      doze(1e-4);
    }
    std::array<std::int64_t, 2> order{};
    MPI_Recv(order.data(), 2, MPI_INT64_T, 0, tag, communicator_, MPI_STATUS_IGNORE);
    MPI_Send(nullptr, 0, MPI_INT64_T, 0, tag, communicator_);
    if (order[0] == stop) return;
    tasks_[static_cast<std::size_t>(order[0])](order[1]);
  }
}

void doze(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

void wait_asleep(MPI_Request request) {
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    doze(1e-4);
  }
}

void compute(double seconds) {
  const double end = now() + seconds;
  double x = 1.0;
  while (now() < end) {
    for (int i = 0; i < 1000; ++i) x = x * 1.0000001 + 1e-9;
    touch(&x);
  }
}

}  // namespace bench

// Nodes as the World will see them, found without it.
#include "before_world.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "pair.hpp"

namespace bench {

namespace {

// The virtual node of a rank of a host: consecutive ranks, the first nodes one larger.
int virtual_node(int rank, int ranks) {
  const char* const text = std::getenv("ATOLL_NODES");
  const int nodes = std::clamp(text == nullptr ? 1 : std::atoi(text), 1, ranks);
  const int smaller = ranks / nodes;
  const int larger = ranks % nodes;
  const int in_larger = larger * (smaller + 1);
  return rank < in_larger ? rank / (smaller + 1) : larger + (rank - in_larger) / smaller;
}

}  // namespace

BeforeWorld::BeforeWorld() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm node = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank);
  MPI_Comm_size(host, &size);
  MPI_Comm_split(host, virtual_node(rank, size), rank, &node);
  MPI_Comm_free(&host);
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &size);
  const int mine = static_cast<int>(getpid());
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  const int first = rank == 0 ? 1 : 0;
  if (first == 1) processes_.assign(all.begin(), all.end());
  MPI_Comm_split(MPI_COMM_WORLD, first == 1 ? 0 : MPI_UNDEFINED, 0, &firsts_);
  MPI_Allreduce(&first, &nodes_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

BeforeWorld::~BeforeWorld() {
  if (firsts_ != MPI_COMM_NULL) MPI_Comm_free(&firsts_);
}

void BeforeWorld::wait_asleep() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  bench::wait_asleep(request);
}

}  // namespace bench

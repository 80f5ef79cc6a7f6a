// failing_mpi CALL N: the N-th call of MPI_Bcast or MPI_Allreduce by which a World starts gives an
// error, on all ranks alike, and is not made. Where the run goes on, rank 0 prints "told TEXT",
// what the start has thrown, "silent", or "over" where there are fewer.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "atoll/atoll.hpp"

namespace {

std::string failing;       // its name
int count = 0, first = 0;  // of its calls; the one that fails, or 0

bool fails(const char* name) { return first > 0 && failing == name && ++count == first; }

}  // namespace

// What the library calls comes by here.
extern "C" int MPI_Bcast(void* data, int elements, MPI_Datatype type, int root, MPI_Comm group) {
  return fails("MPI_Bcast") ? MPI_ERR_OTHER : PMPI_Bcast(data, elements, type, root, group);
}
extern "C" int MPI_Allreduce(const void* mine, void* all, int elements, MPI_Datatype type,
                             MPI_Op operation, MPI_Comm group) {
  return fails("MPI_Allreduce") ? MPI_ERR_OTHER
                                : PMPI_Allreduce(mine, all, elements, type, operation, group);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  failing = argv[1];
  const int n = std::atoi(argv[2]);
  first = n;
  std::string end = "silent";
  try {
    const atoll::World world(MPI_COMM_WORLD);
    first = 0;
    if (count < n) end = "over";
  } catch (const atoll::Error& error) {
    first = 0;
    end = std::string("told ") + error.what();
  }
  if (rank == 0) std::puts(end.c_str());
  MPI_Finalize();
  return 0;
}

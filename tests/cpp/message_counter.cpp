// The counter: MPI_Isend with MPI's profiling interface (PMPI) behind it.
#include "message_counter.hpp"

#include <mpi.h>

#include <atomic>

namespace lagoon::atoll::test {
namespace {
std::atomic<std::int64_t> sent{0};
}
std::int64_t messages_sent() noexcept { return sent.load(); }
}  // namespace lagoon::atoll::test

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype datatype, int destination,
                         int tag, MPI_Comm communicator, MPI_Request* request) {
  lagoon::atoll::test::sent.fetch_add(1);
  return PMPI_Isend(buffer, count, datatype, destination, tag, communicator, request);
}

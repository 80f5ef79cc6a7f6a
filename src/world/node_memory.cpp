// NodeMemory: making the region and its arena.
#include "world/node_memory.hpp"

#include <unistd.h>

#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

NodeMemory::NodeMemory(MPI_Comm node, const Config& config) {
  const std::uint64_t limit = config.memory != 0 ? config.memory : physical_memory();
  memory_ =
      std::make_unique<SharedMemory>(node, reserved_bytes + limit, SharedMemory::Alone::is_private);
  arena_ = std::make_unique<Arena>(*memory_, reserved_bytes);
  int place = 0;
  MPI_Comm_rank(node, &place);
  if (place == 0) arena_->format();
  check_mpi(MPI_Barrier(node), "MPI_Barrier");
}

}  // namespace lagoon::atoll::detail

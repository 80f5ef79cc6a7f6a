// NodeMemory: making the region and its arena, as large as the limits allow.
#include "world/node_memory.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t least_arena = std::uint64_t{1} << 20;

MemoryLimit without_reserve(MemoryLimit limit) {
  limit.bytes -= std::min(limit.bytes, NodeMemory::reserved_bytes);
  return limit;
}

/// As this rank sees it.
MemoryLimit limit_here(int ranks, int virtual_nodes) {
  MemoryLimit limit = memory_limit();
  if (virtual_nodes > 1) {
    limit.bytes /= static_cast<std::uint64_t>(virtual_nodes);
    limit.whose += ", shared by " + std::to_string(virtual_nodes) + " virtual nodes";
  }
  limit.bytes = std::max(limit.bytes, least_arena);
  limit = least(limit, without_reserve(address_space_limit()));
  return ranks > 1 ? least(limit, without_reserve(file_size_limit())) : limit;
}

/// The least of all ranks of the node, who map the same region. Collective over them.
MemoryLimit limit_of_node(MPI_Comm node, int virtual_nodes) {
  struct {
    long bytes;
    int rank;
  } mine{}, least_of_all{};
  int ranks = 0;
  MPI_Comm_rank(node, &mine.rank);
  MPI_Comm_size(node, &ranks);
  const MemoryLimit here = limit_here(ranks, virtual_nodes);
  mine.bytes = static_cast<long>(std::min<std::uint64_t>(here.bytes, INT64_MAX));
  check_mpi(MPI_Allreduce(&mine, &least_of_all, 1, MPI_LONG_INT, MPI_MINLOC, node),
            "MPI_Allreduce");
  std::array<char, 1024> whose{};
  std::copy_n(here.whose.begin(), std::min(here.whose.size(), whose.size() - 1), whose.begin());
  check_mpi(
      MPI_Bcast(whose.data(), static_cast<int>(whose.size()), MPI_CHAR, least_of_all.rank, node),
      "MPI_Bcast");
  MemoryLimit limit{static_cast<std::uint64_t>(least_of_all.bytes), whose.data()};
  if (limit.bytes < least_arena)
    throw Error(ErrorKind::memory,
                "the memory that the ranks of a node share takes " +
                    std::to_string((NodeMemory::reserved_bytes + least_arena) >> 20) +
                    " MiB at least, more than allowed by " + limit.whose);
  return limit;
}

/// Where the system refuses what ATOLL_MEMORY asks for, that is said.
std::unique_ptr<SharedMemory> map_region(MPI_Comm node, std::uint64_t bytes, const Config& config) {
  try {
    return std::make_unique<SharedMemory>(node, bytes, SharedMemory::Alone::is_private);
  } catch (const Error& error) {
    if (config.memory == 0 || error.kind() != ErrorKind::memory) throw;
    const MemoryLimit addresses = address_space_limit();
    throw Error(ErrorKind::memory,
                error.message() + ": ATOLL_MEMORY asks for " + std::to_string(config.memory >> 20) +
                    " MiB" +
                    (addresses.whose.empty() ? "" : "; without it arrays have " + addresses.whose));
  }
}

}  // namespace

NodeMemory::NodeMemory(MPI_Comm node, const Config& config)
    : limit_(config.memory != 0 ? MemoryLimit{config.memory, "ATOLL_MEMORY"}
                                : limit_of_node(node, config.nodes)) {
  // Asked once: what the arena takes is missing from the system's rest later.
  if (config.memory != 0)
    if (MemoryLimit system = memory_limit(); system.bytes < limit_.bytes)
      beyond_ = std::move(system.whose);
  memory_ = map_region(node, reserved_bytes + limit_.bytes, config);
  arena_ = std::make_unique<Arena>(*memory_, reserved_bytes);
  int place = 0;
  MPI_Comm_rank(node, &place);
  if (place == 0) arena_->format();
  check_mpi(MPI_Barrier(node), "MPI_Barrier");
}

std::string NodeMemory::describe() const {
  std::string text = std::to_string(arena_->capacity() >> 20) + " MiB, free " +
                     std::to_string(arena_->free_bytes() >> 20) + " MiB, limited by " +
                     limit_.whose;
  if (!beyond_.empty()) text += ", which is beyond " + beyond_;
  return text;
}

}  // namespace lagoon::atoll::detail

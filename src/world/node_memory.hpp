// NodeMemory: the region that the ranks of a node share, and the arena in it. Also progress ranks
// map it, which have no World of their own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "world/arena.hpp"
#include "world/config.hpp"
#include "world/shared_memory.hpp"

namespace lagoon::atoll::detail {

class NodeMemory {
 public:
  /// Collective over the node's ranks. Errors of SharedMemory, on all of them.
  NodeMemory(MPI_Comm node, const Config& config);

  Arena& arena() noexcept { return *arena_; }
  SharedMemory& memory() noexcept { return *memory_; }
  /// The part of the region in front of the arena, for the transport's tables.
  std::byte* reserved() const noexcept { return memory_->base(); }
  /// Bytes of it; page-aligned, zero at start.
  static constexpr std::uint64_t reserved_bytes = std::uint64_t{4} << 20;
  /// At its end, for self-tests at the start.
  static constexpr std::uint64_t scratch_bytes = std::uint64_t{128} << 10;

 private:
  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace lagoon::atoll::detail

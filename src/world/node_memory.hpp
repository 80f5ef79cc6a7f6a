// NodeMemory: the region that the ranks of a node share, and the arena in it. Also progress ranks
// map it, which have no World of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mpi/handles.hpp"
#include "world/arena.hpp"
#include "world/config.hpp"
#include "world/memory_limit.hpp"
#include "world/shared_memory.hpp"

namespace lagoon::atoll::detail {

class NodeMemory {
 public:
  /// Collective over the node's ranks. Errors of SharedMemory, or Error(memory) where a limit of
  /// the process leaves less than is needed, on all of them.
  NodeMemory(mpi::Comm node, const Config& config);

  Arena& arena() noexcept { return *arena_; }
  SharedMemory& memory() noexcept { return *memory_; }
  /// What the arena was made as large as: ATOLL_MEMORY, or the least that the system allows.
  const MemoryLimit& limit() const noexcept { return limit_; }
  /// Of the arena, for people.
  std::string describe() const;
  /// The part of the region in front of the arena, for the transport's tables.
  std::byte* reserved() const noexcept { return memory_->base(); }
  /// Bytes of it; page-aligned, zero at start.
  static constexpr std::uint64_t reserved_bytes = std::uint64_t{4} << 20;
  /// At its end, for self-tests at the start.
  static constexpr std::uint64_t scratch_bytes = std::uint64_t{128} << 10;

 private:
  MemoryLimit limit_;
  std::string beyond_;  // whose limit ATOLL_MEMORY was beyond at the start; empty: nobody's
  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace lagoon::atoll::detail

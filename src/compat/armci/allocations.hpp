// Memory that ARMCI_Malloc gave: from an address and the process that it belongs to, to a place in
// Atoll's memory.
//
// The address of a block on my node is where this process has it, and can be loaded from and stored
// to. That of another block is where its owner has it: only transfers can use it. What its owner
// calls it also finds a block of my node, so that addresses which programs send around are good.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <shared_mutex>
#include <vector>

#include "atoll/memory.hpp"

namespace lagoon::atoll::armci {

struct Place {
  Memory* memory = nullptr;  // null: found nothing
  int rank = 0;              // of the memory's group
  std::int64_t offset = 0;   // bytes
};

class Allocations {
 public:
  explicit Allocations(const Group& world) : world_(world) { change(); }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  /// Collective over `group`: `addresses` gets one of each member, null where it gave no bytes.
  void allocate(const Group& group, std::int64_t bytes, void** addresses);
  /// Collective over `group`. Each member passes its own address of one allocation, or null if it
  /// gave no bytes.
  void free(const Group& group, void* address);

  /// Where an address of process `process` (the world's number) points; the end of a block is in
  /// it.
  Place find(const void* address, int process) const;
  /// The same; Error(value) where it points to nothing.
  Place at(const void* address, int process) const;
  /// The number of the allocation, the same on all its members.
  std::int64_t number_of(const Memory& memory) const;
  /// What this process calls a place of an allocation; null if it does not know that.
  void* address_of(std::int64_t number, int process, std::int64_t offset) const;

 private:
  struct Block {
    std::uintptr_t begin = 0, end = 0;
    Memory* memory = nullptr;
    int rank = 0;
  };
  struct Allocation {
    Memory memory;
    std::vector<std::uintptr_t> begins;  // as this process calls them
    std::vector<std::uintptr_t> owners;  // as their owners do
  };
  using Blocks = std::map<std::uintptr_t, Block>;  // of one process, by where they end

  static const Block* find_in(const Blocks& blocks, std::uintptr_t address);
  Blocks& blocks_of(std::vector<Blocks>& all, const Group& group, int rank) const;
  void remove(std::int64_t number);

  const Group world_;
  std::map<std::int64_t, Allocation> allocations_;
  std::int64_t next_ = 1;
  std::vector<Blocks> here_{static_cast<std::size_t>(world_.size())};  // as this process calls them
  std::vector<Blocks> there_{static_cast<std::size_t>(world_.size())};  // as their owners do
  mutable std::shared_mutex mutex_;  // guards all of the above; threads look for blocks at once
  // Another number after each change, never the same of two tables: a thread remembers the block it
  // found last, since most programs stay in it for a while.
  std::atomic<std::uint64_t> state_;
  void change() noexcept;
};

}  // namespace lagoon::atoll::armci

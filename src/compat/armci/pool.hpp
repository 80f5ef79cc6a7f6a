// Memory that one process asks for by itself (ARMCI_Memget), so that others can reach it none the
// less: parts of what all processes set aside when ARMCI begins.
#pragma once

#include <cstdint>

#include "compat/armci/allocations.hpp"
#include "compat/parts.hpp"
#include "ga/armci.h"

namespace lagoon::atoll::armci {

class Pool {
 public:
  static constexpr std::int64_t bytes = std::int64_t{4} << 20;  // of each process

  /// Collective. The memory is one of the allocations, which outlive the pool.
  Pool(const Group& world, Allocations& allocations);

  /// Error(memory) where no part is large enough.
  armci_meminfo_t take(std::size_t size);
  /// Where this process finds a place in what a process, perhaps another, has taken.
  void* find(const armci_meminfo_t& taken, long offset) const;
  /// Of who has taken it; for others nothing is to be done.
  void give_back(const armci_meminfo_t& taken);

 private:
  const Allocations& allocations_;
  int me_;
  std::int64_t number_ = 0;  // of the allocation
  compat::Parts parts_;
};

}  // namespace lagoon::atoll::armci

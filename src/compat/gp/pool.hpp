// Memory of GP_Malloc: parts of what every process sets aside when GP begins, so that one process
// gets them by itself and all reach them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/memory.hpp"
#include "compat/parts.hpp"

namespace lagoon::atoll::gp {

class Pool {
 public:
  /// Collective. The processes of a node set aside equal ranges of addresses, half of its memory
  /// together; pages are taken when they are first touched.
  explicit Pool(const Group& world);
  /// Collective.
  void destroy() { memory_.destroy(); }
  bool alive() const noexcept { return memory_.alive(); }

  /// Also for 0 bytes an address of its own. Error(memory) where no gap is large enough.
  void* take(std::size_t size);
  /// Error(value) for an address that `take` did not give, or that was given back.
  void give_back(void* address);
  /// Where such bytes begin in my memory; never 0. Error(value) where they do not lie in one part
  /// that was taken.
  std::int64_t offset_of(const void* address, std::int64_t size) const;

  /// Of all processes, by their ranks in the world.
  Memory& memory() noexcept { return memory_; }

 private:
  std::int64_t distance(const void* address) const noexcept;
  Memory memory_;
  std::byte* base_;
  compat::Parts parts_;
};

}  // namespace lagoon::atoll::gp

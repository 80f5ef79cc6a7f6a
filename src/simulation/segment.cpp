// Mapping the segment; its heap.
#include "simulation/segment.hpp"

#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace lagoon::atoll::simulation {

bool map_segment(int descriptor) noexcept {
  const auto map = [&](std::size_t bytes) {
    return mmap(reinterpret_cast<void*>(segment_address), bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, descriptor, 0);
  };
  if (map(sizeof(Asked)) == MAP_FAILED) return false;
  const Asked asked = head().asked;
  munmap(reinterpret_cast<void*>(segment_address), sizeof(Asked));
  if (asked.magic != magic || asked.version != layout_version || asked.ranks > most_ranks) {
    errno = EPROTO;
    return false;
  }
  return map(static_cast<std::size_t>(asked.bytes)) != MAP_FAILED;
}

unsigned Heap::shift_of(std::size_t bytes) noexcept {
  return std::max(least_shift, static_cast<unsigned>(std::bit_width(bytes - (bytes > 0 ? 1 : 0))));
}

void* Heap::allocate(std::size_t bytes) noexcept {
  const unsigned shift = shift_of(bytes);
  if (Free* const found = free_[shift]; found != nullptr) {
    free_[shift] = found->next;
    return found;
  }
  const std::uint64_t size = std::uint64_t{1} << shift;
  if (next_ + size > end_) {
    std::fputs("atoll simulate: the memory of the simulation is full\n", stderr);
    std::_Exit(2);
  }
  void* const memory = reinterpret_cast<void*>(next_);
  next_ += size;
  return memory;
}

void Heap::free(void* memory, std::size_t bytes) noexcept {
  const unsigned shift = shift_of(bytes);
  free_[shift] = new (memory) Free{free_[shift]};
}

}  // namespace lagoon::atoll::simulation

#include "compat/gp/pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::gp {

namespace {

constexpr std::int64_t alignment = alignof(std::max_align_t);
constexpr std::int64_t least = std::int64_t{1} << 20;

/// My part of the node's physical memory.
std::int64_t share_of_node(const Group& world) {
  const auto processes = static_cast<std::int64_t>(world.node_ranks().size());
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / processes;
}

/// Half of what there is: arrays have their place beside the objects. What the node may hold in all
/// may be less than its memory (ATOLL_MEMORY).
Memory set_aside(const Group& world) {
  const std::int64_t share = share_of_node(world);
  for (int halvings = 1;; ++halvings) {
    const std::int64_t bytes = std::max(least, share >> halvings);
    // All go on until the last has come down to the least.
    const bool again = world.reduce(std::int32_t{bytes > least}, Reduction::maximum) != 0;
    try {
      Memory all(world, bytes, "GP_Malloc");
      if (halvings == 1 || !again) return all;
      all.destroy();
      return Memory(world, std::max(least, bytes / 2), "GP_Malloc");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::memory || !again) throw;
    }
  }
}

}  // namespace

// Nothing lies at offset 0: that stands for no object.
Pool::Pool(const Group& world)
    : memory_(set_aside(world)),
      base_(memory_.address(world.rank())),
      parts_(alignment, memory_.bytes(world.rank()), alignment) {}

std::int64_t Pool::distance(const void* address) const noexcept {
  // Of integers: the address may be of anything.
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) -
                                   reinterpret_cast<std::uintptr_t>(base_));
}

void* Pool::take(std::size_t size) {
  // An element of no bytes has an address, too.
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
  const auto bytes = static_cast<std::int64_t>(std::clamp(size, std::size_t{1}, most));
  if (const auto offset = parts_.take(bytes)) return base_ + *offset;
  throw Error(ErrorKind::memory, std::to_string(size) + " bytes are not left in one piece of the " +
                                     std::to_string(memory_.bytes(memory_.group().rank())) +
                                     " that each process has for objects");
}

void Pool::give_back(void* address) {
  if (!parts_.give_back(distance(address)))
    throw Error(ErrorKind::value, "ptr comes from no GP_Malloc, or was freed before");
}

std::int64_t Pool::offset_of(const void* address, std::int64_t size) const {
  const std::int64_t offset = distance(address);
  if (!parts_.holds(offset, size))
    throw Error(ErrorKind::value, "ptr and the " + std::to_string(size) +
                                      " bytes behind it do not lie in memory of GP_Malloc");
  return offset;
}

}  // namespace lagoon::atoll::gp

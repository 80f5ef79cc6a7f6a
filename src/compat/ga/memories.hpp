// Memory that programs get from GA_Getmem, known by its address.
#pragma once

#include <cstdint>
#include <map>

#include "atoll/group.hpp"
#include "atoll/memory.hpp"

namespace lagoon::atoll::ga {

class Memories {
 public:
  /// Collective over `group`: zeroed memory of this process, an address of its own also where it is
  /// to have no bytes. Null, on all alike, where the memory is not to be had.
  void* get(const Group& group, std::int64_t bytes);
  /// Collective over the group of the memory. Arrays in it keep it until they are destroyed.
  /// Error(value) for an address that is none of them.
  void free(const void* address);
  /// Error(value) for an address that is none of them.
  const Memory& at(const void* address) const;

 private:
  std::map<const void*, Memory> memories_;
};

/// Those of the running GA.
Memories& memories();

/// Collective over GA's group; the world for 0 and below. Error(value) for less than no elements,
/// Error(type) for a type that is none.
void* get_memory(std::int64_t type, std::int64_t elements, std::int64_t group);

}  // namespace lagoon::atoll::ga

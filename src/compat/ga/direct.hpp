// Direct access to the memory of an array: pointers in C, indices into MA's bases in Fortran.
#pragma once

#include <cstring>

#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// Memory of a patch that lies within one process's block: its first element, strides in elements.
struct DirectMemory {
  void* data;
  Index strides;
};

/// Error(value) where the patch is not all of one process on my node.
DirectMemory direct_memory(GlobalArray& a, const Patch& patch);

/// Of the array whose memory is released; 0: there is none, or nobody asks.
int dimensions_of_released(std::int64_t g_a) noexcept;
void note_released(std::int64_t g_a, const Patch& patch, bool wrote);

/// The index, from 1, of an address in MA's base for a type, as Fortran sees the type;
/// Error(value) where whole elements do not reach from the base to it.
std::int64_t index_in_base(int type, const void* address);
/// The same for memory of an array; bytes where its elements are only moved.
std::int64_t fortran_index(const GlobalArray& a, const void* address);

/// A program is done with such memory, and says whether it has written. That matters to the race
/// detector alone; also where there is no such array any more.
template <Language language, class I>
void release(std::int64_t g_a, const I* lo, const I* hi, bool wrote) {
  const int dimensions = dimensions_of_released(g_a);
  if (dimensions > 0) note_released(g_a, patch<language>(lo, hi, dimensions), wrote);
}

template <Language language, class I>
void access(const char* routine, std::int64_t g_a, const I* lo, const I* hi, void* pointer,
            I* leading) {
  compat::guarded(routine, [&] {
    GlobalArray& a = array_of(g_a);
    const DirectMemory memory = direct_memory(a, patch<language>(lo, hi, a.dimensions()));
    std::memcpy(pointer, &memory.data, sizeof memory.data);  // it may be of any type of pointer
    give_leading<language>(memory.strides, leading);
  });
}

}  // namespace lagoon::atoll::ga

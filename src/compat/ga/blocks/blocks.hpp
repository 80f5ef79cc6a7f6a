// Arrays whose processes may have several blocks. Blocks have numbers, from 0 in the order of
// C (the last dimension runs first), and places in the grid of blocks; both count from 0 in
// Fortran, too.
#pragma once

#include <cstdint>
#include <cstring>

#include "compat/ga/direct.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// Whether block numbers take the place of process numbers in GA's inquiries.
bool counts_blocks(const GlobalArray& a);
/// Blocks per dimension.
Index block_grid(const GlobalArray& a);
/// How many there are; -1 unless the array counts blocks.
std::int64_t total_blocks(const GlobalArray& a);
/// What a block covers; nothing for a number that is none.
Patch block_patch(const GlobalArray& a, std::int64_t number);
/// The number of the block that holds a position inside the array.
std::int64_t block_number(const GlobalArray& a, const Index& position);
/// Error(value) for a place outside the grid of blocks.
std::int64_t number_at(const GlobalArray& a, const Index& block);

/// Error(value) for a number that is none, and for a block on another node.
DirectMemory block_memory(const GlobalArray& a, std::int64_t number);
/// All memory of a process, and how many elements it has.
struct MemorySegment {
  void* data;
  std::int64_t elements;
};
MemorySegment memory_segment(const GlobalArray& a, int process);

/// Whether the blocks go round robin to a grid of processes.
bool uses_process_grid(const GlobalArray& a);
/// Processes per dimension; Error(value) where blocks are dealt out by number.
Index process_grid(const GlobalArray& a);
/// The place of a process in the grid.
Index process_place(const GlobalArray& a, int process);

template <Language language, class I>
void block_info(const char* routine, std::int64_t g_a, I* counts, I* extents) {
  compat::guarded(routine, [&] {
    const GlobalArray& a = array_of(g_a);
    give_extents<language>(block_grid(a), counts);
    give_extents<language>(a.without_bytes(a.array().distribution().block()), extents);
  });
}

// In Fortran's order in both languages: GA does not turn it round for C (measured).
template <class I>
void give_process_grid(const char* routine, std::int64_t g_a, I* dims) {
  compat::guarded(routine,
                  [&] { give_extents<Language::fortran>(process_grid(array_of(g_a)), dims); });
}

template <Language language, class I>
void give_process_place(const char* routine, std::int64_t g_a, std::int64_t process, I* subscript) {
  compat::guarded(routine, [&] {
    give_extents<language>(process_place(array_of(g_a), static_cast<int>(process)), subscript);
  });
}

/// A pointer for C; `pointer` may be of any type of pointer.
inline void give_pointer(void* data, void* pointer) {
  std::memcpy(pointer, static_cast<const void*>(&data), sizeof data);
}

template <class I>
void access_block(const char* routine, std::int64_t g_a, std::int64_t number, void* pointer,
                  I* leading) {
  compat::guarded(routine, [&] {
    const DirectMemory memory = block_memory(array_of(g_a), number);
    give_pointer(memory.data, pointer);
    give_leading<Language::c>(memory.strides, leading);
  });
}

template <class I>
void access_block_at(const char* routine, std::int64_t g_a, const I* place, void* pointer,
                     I* leading) {
  compat::guarded(routine, [&] {
    const GlobalArray& a = array_of(g_a);
    const std::int64_t number = number_at(a, extents<Language::c>(place, a.dimensions()));
    const DirectMemory memory = block_memory(a, number);
    give_pointer(memory.data, pointer);
    give_leading<Language::c>(memory.strides, leading);
  });
}

template <class I>
void access_segment(const char* routine, std::int64_t g_a, std::int64_t process, void* pointer,
                    I* length) {
  compat::guarded(routine, [&] {
    const MemorySegment segment = memory_segment(array_of(g_a), static_cast<int>(process));
    give_pointer(segment.data, pointer);
    *length = static_cast<I>(segment.elements);
  });
}

}  // namespace lagoon::atoll::ga

// Who owns what, and how an array is made, written once for both languages.
#pragma once

#include <algorithm>
#include <vector>

#include "compat/ga/blocks/blocks.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

/// A process and the part of a patch that it owns.
struct Holding {
  int process;
  Patch patch;
};

/// The patch of a process, or, of an array that counts blocks, of a block.
Patch held(const GlobalArray& a, std::int64_t process);
/// The owner of an element, -1 for one outside the array. For arrays cut into blocks that are
/// dealt, block numbers take the place of processes.
int locate(const GlobalArray& a, const Index& position);
/// The parts that cover a patch, in block order; none for one outside the array.
std::vector<Holding> locate_region(const GlobalArray& a, const Patch& patch);
/// 0 where two arrays have the same shape and the same blocks on the same processes, else 1.
int compare_distributions(const GlobalArray& a, const GlobalArray& b);
/// Where the block of a process lies in the grid of blocks; all -1 if it has none.
Index grid_position(const GlobalArray& a, int process);

template <Language language, class I>
void distribution(const char* routine, std::int64_t g_a, std::int64_t process, I* lo, I* hi) {
  compat::guarded(routine, [&] { give_patch<language>(held(array_of(g_a), process), lo, hi); });
}

template <Language language, class I>
int locate(const char* routine, std::int64_t g_a, const I* subscript) {
  return compat::guarded(routine, [&] {
    const GlobalArray& a = array_of(g_a);
    return locate(a, position<language>(subscript, a.dimensions()));
  });
}

/// `map` gets lo and hi of each part, `processes` its owner; how many there are.
template <Language language, class I, class P>
int locate_region(const char* routine, std::int64_t g_a, const I* lo, const I* hi, I* map,
                  P* processes) {
  return compat::guarded(routine, [&] {
    const GlobalArray& a = array_of(g_a);
    const int n = a.dimensions();
    const std::vector<Holding> holdings = locate_region(a, patch<language>(lo, hi, n));
    for (const Holding& holding : holdings) {
      give_patch<language>(holding.patch, map, map + n);
      map += 2 * n;
      *processes++ = static_cast<P>(holding.process);
    }
    return static_cast<int>(holdings.size());
  });
}

template <Language language, class I>
int count_of_locations(const char* routine, std::int64_t g_a, const I* lo, const I* hi) {
  return compat::guarded(routine, [&] {
    const GlobalArray& a = array_of(g_a);
    return static_cast<int>(locate_region(a, patch<language>(lo, hi, a.dimensions())).size());
  });
}

template <Language language, class T, class I>
void inquire(const char* routine, std::int64_t g_a, T* type, T* dimensions, I* dims) {
  compat::guarded(routine, [&] {
    const GlobalArray& a = array_of(g_a);
    const int code = a.plan.type;
    *type = static_cast<T>(language == Language::c ? code_for_c(code) : code_for_fortran(code));
    *dimensions = static_cast<T>(a.dimensions());
    give_extents<language>(a.shape(), dims);
  });
}

template <Language language, class I>
void block_counts(const char* routine, std::int64_t g_a, I* counts) {
  compat::guarded(routine, [&] { give_extents<language>(block_grid(array_of(g_a)), counts); });
}

}  // namespace lagoon::atoll::ga

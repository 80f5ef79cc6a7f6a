// Ghost cells: copies of what lies next to each process's block, around it in its own memory.
// Arrays go on at their other end in every dimension.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "atoll/error.hpp"
#include "atoll/halo.hpp"
#include "compat/ga/direct.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

bool has_ghosts(const GlobalArray& a);

/// Collective: brings all ghost cells up to date, corners only if the array wants them.
void update_ghosts(GlobalArray& a);
/// The same, to be completed by the handle.
Handle update_ghosts_begin(GlobalArray& a);
/// Collective: those on one side of Atoll's dimension `d`; `side` is -1 or 1. With `corners` those
/// diagonally beside this side, too.
void update_side(GlobalArray& a, int d, std::int64_t side, bool corners);
/// Not collective: mine in a direction with entries -1, 0 and 1.
void fetch_ghosts(GlobalArray& a, const Index& direction);

/// My block with its ghost cells: the patch reaches beyond the array at its edges.
LocalBlock ghost_memory(GlobalArray& a);
/// The place in it of a subscript that counts from its begin; Error(value) outside.
void* ghost_element(GlobalArray& a, const LocalBlock& memory, const Index& at);
/// A patch that may reach into my ghost cells, as they are. What does not lie in my memory is got
/// from its owners.
void get_ghost_patch(GlobalArray& a, const Patch& patch, void* buffer, const Index& strides);

template <Language language, class I>
void fetch_direction(const char* routine, std::int64_t g_a, const I* mask) {
  compat::guarded(routine, [&] {
    GlobalArray& a = array_of(g_a);
    fetch_ghosts(a, extents<language>(mask, a.dimensions()));
  });
}

template <Language language, class I>
void ghost_block(const char* routine, std::int64_t g_a, const I* lo, const I* hi, void* buffer,
                 const I* leading) {
  compat::guarded(routine, [&] {
    GlobalArray& a = array_of(g_a);
    const int n = a.dimensions();
    get_ghost_patch(a, patch<language>(lo, hi, n), buffer, strides<language>(leading, n));
  });
}

/// GA's number of a dimension is Fortran's, in C one less: there it is not turned round (measured).
inline int ghost_update_dimension(const GlobalArray& a, std::int64_t fortran_dimension) {
  if (fortran_dimension < 1 || fortran_dimension > a.dimensions())
    throw Error(ErrorKind::value, "dimension " + std::to_string(fortran_dimension) +
                                      " (from 1) is none of the array's " +
                                      std::to_string(a.dimensions()));
  return place<Language::fortran>(static_cast<int>(fortran_dimension - 1), a.dimensions());
}

}  // namespace lagoon::atoll::ga

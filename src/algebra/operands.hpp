// Running an element-wise kernel over this rank's part of the operands: on the arrays' own memory
// where all lie alike, on fetched batches where they do not.
//
// A halo cuts that memory into stretches of my elements. Outputs are written stretch by stretch;
// sums are taken of packed batches, so that they are pairwise however short the rows are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "algebra/batches.hpp"
#include "algebra/frame.hpp"
#include "algebra/sections.hpp"
#include "array/array_state.hpp"

// The iterations of the next loop may run side by side: its output is one of its inputs or apart
// from all of them. Without this compilers do not vectorise `c[i] = a[i] + b[i]` when c is a.
#if defined(__clang__)
#define ATOLL_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ATOLL_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define ATOLL_INDEPENDENT_ITERATIONS
#endif

namespace lagoon::atoll::detail {

template <std::size_t N>
using Inputs = std::array<const AnyArray*, N>;

/// My memory of an array, my elements in memory order and, around them, the halo: to be read, or,
/// of an array that is not const, written.
template <Element T>
T* own_memory(const AnyArray& array) {
  return reinterpret_cast<T*>(array.state()->block(array.group().rank()));
}
template <Element T>
T* own_memory(AnyArray& array) {
  array.state()->mark_own_written();
  return own_memory<T>(std::as_const(array));
}
inline std::int64_t own_elements(const AnyArray& array) {
  return array.distribution().local_elements(array.group().rank());
}

/// Calls `f(offset, count)` for every stretch of my memory that holds elements and no halo.
template <class F>
void for_each_own_stretch(const AnyArray& array, F&& f) {
  const Distribution& distribution = array.distribution();
  if (!distribution.has_halo()) {
    if (const std::int64_t count = own_elements(array); count > 0) f(std::int64_t{0}, count);
    return;
  }
  int rows = array.dimensions() - 1;  // dimensions behind the last with a halo join the stretch
  while (distribution.halo()[rows] == 0) --rows;
  for_each_owned_block(distribution, array.group().rank(), [&](const OwnedBlock& block) {
    Index turns = block.patch.shape();
    std::int64_t count = 1;
    for (int d = rows; d < turns.size(); ++d) {
      count *= turns[d];
      turns[d] = 1;
    }
    Index at = Index::filled(turns.size(), 0);
    do f(block.offset + dot_product(at, block.strides), count);
    while (next_position(at, turns));
  });
}

/// Calls `kernel(count, pointers)` with `std::array<const T*, N>` until every element of inputs[0]
/// that this rank owns has been passed once, along with its partners. In a fixed order.
template <Element T, std::size_t N, class Kernel>
void visit_operands(const Inputs<N>& inputs, Kernel&& kernel) {
  const std::int64_t count = own_elements(*inputs[0]);
  if (count == 0) return;
  std::array<const T*, N> pointers{};
  if (!inputs[0]->distribution().has_halo() &&
      std::all_of(inputs.begin(), inputs.end(),
                  [&](const AnyArray* input) { return aligned(*input, *inputs[0]); })) {
    for (std::size_t i = 0; i < N; ++i) pointers[i] = own_memory<T>(*inputs[i]);
    kernel(count, pointers);
    return;
  }
  for_each_batch(*inputs[0], inputs, [&](Batch& batch) {
    for (std::size_t i = 0; i < N; ++i) pointers[i] = static_cast<const T*>(batch.input(i));
    kernel(batch.elements(), pointers);
  });
}

/// Calls `kernel(elements, count)` until each of my elements of `array` has been passed once.
template <Element T, class Kernel>
void visit_own(const AnyArray& array, Kernel&& kernel) {
  visit_operands<T>(Inputs<1>{&array},
                    [&](std::int64_t count, const auto& in) { kernel(in[0], count); });
}

/// out = kernel(inputs...) on this rank's elements of `out`: calls `kernel(count, pointers, out)`,
/// which must work element by element, since `out` may be one of the inputs.
template <Element T, std::size_t N, class Kernel>
void transform_operands(const Inputs<N>& inputs, AnyArray& out, Kernel&& kernel) {
  if (own_elements(out) == 0) return;
  std::array<const T*, N> pointers{};
  if (std::all_of(inputs.begin(), inputs.end(),
                  [&](const AnyArray* input) { return aligned(*input, out); })) {
    for_each_own_stretch(out, [&](std::int64_t offset, std::int64_t count) {
      for (std::size_t i = 0; i < N; ++i) pointers[i] = own_memory<T>(*inputs[i]) + offset;
      kernel(count, pointers, own_memory<T>(out) + offset);
    });
    return;
  }
  // Each rank reads only the positions that it writes, so reading an input that is the output
  // meets no other rank's writes.
  for_each_batch(out, inputs, [&](Batch& batch) {
    for (std::size_t i = 0; i < N; ++i) pointers[i] = static_cast<const T*>(batch.input(i));
    T* result = static_cast<T*>(batch.input(0));
    kernel(batch.elements(), pointers, result);
    batch.store(out, result);
  });
}

}  // namespace lagoon::atoll::detail

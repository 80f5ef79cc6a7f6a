// Running an element-wise kernel over this rank's part of the operands: on the arrays' own memory
// where all lie alike, on fetched batches where they do not.
//
// A halo or a patch cuts that memory into stretches of my elements. Outputs are written stretch by
// stretch; sums are taken of packed batches, so that they are pairwise however short the rows are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "algebra/batches.hpp"
#include "algebra/operand.hpp"
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

/// Calls `f(offset, count)` for every stretch of elements that lie one behind the other in a
/// section of memory.
template <class F>
void for_each_stretch(std::int64_t offset, const Index& strides, const Index& shape, F&& f) {
  Index turns = shape;
  std::int64_t count = 1;  // trailing dimensions without a gap join the stretch
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] != 1 && strides[d] != count) break;
    count *= shape[d];
    turns[d] = 1;
  }
  Index at = Index::filled(turns.size(), 0);
  do f(offset + dot_product(at, strides), count);
  while (next_position(at, turns));
}

/// Calls `f(offset, count)` for every stretch of my memory that holds elements of the operand, and
/// nothing else.
template <class F>
void for_each_own_stretch(const Operand& operand, F&& f) {
  const Distribution& distribution = operand.array.distribution();
  const bool all = operand.all();
  if (all && !distribution.has_halo()) {
    if (const std::int64_t count = own_elements(operand.array); count > 0)
      f(std::int64_t{0}, count);
    return;
  }
  const Patch section = operand.section();
  for_each_owned_block(distribution, operand.array.group().rank(), [&](const OwnedBlock& block) {
    Range range;
    if (!section_in_block(section, block.patch, range)) return;
    const Patch part = subsection(section, range);
    Index strides = block.strides;
    for (int d = 0; d < strides.size(); ++d) strides[d] *= step_of(section, d);
    for_each_stretch(offset_in_block(block, part.lo), strides, range.shape(), f);
  });
}

/// Whether stretches of my memory are worth while: else packing costs less than going to each.
inline bool has_stretches(const Operand& operand) {
  const Patch section = operand.section();
  return step_of(section, section.lo.size() - 1) == 1;
}

/// Calls `kernel(count, pointers)` with `std::array<const T*, N>` until every element of inputs[0]
/// that this rank owns has been passed once, along with its partners. In a fixed order.
template <Element T, std::size_t N, class Kernel>
void visit_operands(const Operands<N>& inputs, Kernel&& kernel) {
  const std::int64_t count = own_elements(inputs[0].array);
  if (count == 0) return;
  std::array<const T*, N> pointers{};
  if (inputs[0].all() && !inputs[0].array.distribution().has_halo() &&
      std::all_of(inputs.begin(), inputs.end(),
                  [&](const Operand& input) { return aligned(input, inputs[0]); })) {
    for (std::size_t i = 0; i < N; ++i) pointers[i] = own_memory<T>(inputs[i].array);
    kernel(count, pointers);
    return;
  }
  for_each_batch(inputs[0], inputs, [&](Batch& batch) {
    for (std::size_t i = 0; i < N; ++i) pointers[i] = static_cast<const T*>(batch.input(i));
    kernel(batch.elements(), pointers);
  });
}

/// Calls `kernel(elements, count)` until each of my elements of an operand has been passed once.
template <Element T, class Kernel>
void visit_own(const Operand& operand, Kernel&& kernel) {
  visit_operands<T>(Operands<1>{operand},
                    [&](std::int64_t count, const auto& in) { kernel(in[0], count); });
}

/// out = kernel(inputs...) on this rank's elements of `out`: calls `kernel(count, pointers, out)`,
/// which must work element by element, since `out` may be one of the inputs.
template <Element T, std::size_t N, class Kernel>
void transform_operands(const Operands<N>& inputs, const Output& out, Kernel&& kernel) {
  const Operand target = out.operand();
  if (own_elements(out.array) == 0 || target.section().empty()) return;
  std::array<const T*, N> pointers{};
  if (has_stretches(target) && std::all_of(inputs.begin(), inputs.end(), [&](const Operand& input) {
        return aligned(input, target);
      })) {
    mark_written(out);
    T* const memory = own_memory<T>(target.array);
    for_each_own_stretch(target, [&](std::int64_t offset, std::int64_t count) {
      for (std::size_t i = 0; i < N; ++i) pointers[i] = own_memory<T>(inputs[i].array) + offset;
      kernel(count, pointers, memory + offset);
    });
    return;
  }
  // Each rank reads only the positions that it writes, or such as nobody writes, so reading an
  // input that is the output meets no other rank's writes.
  for_each_batch(target, inputs, [&, section = target.section()](Batch& batch) {
    for (std::size_t i = 0; i < N; ++i) pointers[i] = static_cast<const T*>(batch.input(i));
    T* result = static_cast<T*>(batch.input(0));
    kernel(batch.elements(), pointers, result);
    batch.store(out.array, section, result);
  });
}

}  // namespace lagoon::atoll::detail

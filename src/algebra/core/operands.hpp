// Running an element-wise kernel over this rank's part of the operands: on the arrays' own memory
// where all lie alike, on fetched batches where they do not.
//
// A halo or a patch cuts that memory into stretches of my elements. Outputs are written stretch by
// stretch; sums are taken of packed batches, so that they are pairwise however short the rows are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "algebra/core/batches.hpp"
#include "algebra/core/operand.hpp"
#include "algebra/core/sections.hpp"
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
const std::byte* own_bytes(const AnyArray& array);
std::byte* own_bytes(AnyArray& array);
template <Element T>
const T* own_memory(const AnyArray& array) {
  return reinterpret_cast<const T*>(own_bytes(array));
}
template <Element T>
T* own_memory(AnyArray& array) {
  return reinterpret_cast<T*>(own_bytes(array));
}
inline std::int64_t own_elements(const AnyArray& array) {
  return array.distribution().local_elements(array.group().rank());
}

/// Calls `f(offset, count)` for every stretch of my memory that holds elements of the operand, and
/// nothing else.
void for_each_own_stretch(const View& operand,
                          const std::function<void(std::int64_t, std::int64_t)>& f);

/// Where the elements of the inputs lie, packed, as the type in which theirs is computed.
using Elements = std::span<const std::byte* const>;

/// Calls `work` until every element of inputs[0] that this rank owns has been passed once, along
/// with its partners. In a fixed order.
void visit_memory(std::span<const View> inputs,
                  const std::function<void(std::int64_t count, Elements)>& work);

/// Calls `work` until it has written every element of `out` that this rank owns, element by element
/// from their partners: `out` may be one of the inputs.
void transform_memory(std::span<const View> inputs, const MutableView& out,
                      const std::function<void(std::int64_t count, Elements, std::byte*)>& work);

template <Element T, std::size_t N>
std::array<const T*, N> typed(Elements elements) {
  std::array<const T*, N> pointers{};
  for (std::size_t i = 0; i < N; ++i) pointers[i] = reinterpret_cast<const T*>(elements[i]);
  return pointers;
}

/// visit_memory with `kernel(count, std::array<const T*, N>)`; T is the type that is computed in.
template <Element T, std::size_t N, class Kernel>
void visit_operands(const Views<N>& inputs, Kernel&& kernel) {
  visit_memory(
      inputs, [&](std::int64_t count, Elements elements) { kernel(count, typed<T, N>(elements)); });
}

/// Calls `kernel(elements, count)` until each of my elements of an operand has been passed once.
template <Element T, class Kernel>
void visit_own(const View& operand, Kernel&& kernel) {
  visit_operands<T>(Views<1>{operand},
                    [&](std::int64_t count, const auto& in) { kernel(in[0], count); });
}

/// transform_memory with `kernel(count, std::array<const T*, N>, T*)`.
template <Element T, std::size_t N, class Kernel>
void transform_operands(const Views<N>& inputs, const MutableView& out, Kernel&& kernel) {
  transform_memory(inputs, out, [&](std::int64_t count, Elements elements, std::byte* result) {
    kernel(count, typed<T, N>(elements), reinterpret_cast<T*>(result));
  });
}

}  // namespace lagoon::atoll::detail

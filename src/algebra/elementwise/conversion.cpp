#include "algebra/elementwise/conversion.hpp"

#include <algorithm>
#include <complex>
#include <concepts>

#include "algebra/core/sections.hpp"
#include "world/copy_bytes.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll::detail {

namespace {

template <Element To, Element From>
constexpr To cast(From value) {
  if constexpr (is_complex(element_type_of<To>())) {
    using Real = typename To::value_type;
    if constexpr (is_complex(element_type_of<From>()))
      return To(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
    else
      return To(static_cast<Real>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <Element To, Element From>
ATOLL_EACH_PROCESSOR_OF_TEMPLATE void convert_row(To* to, const From* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = cast<To>(from[i]);
}

/// How a tile lies in memory, in elements.
struct Steps {
  std::int64_t row, column;
};
using MoveTile = void (*)(std::byte* to, Steps to_steps, const std::byte* from, Steps from_steps,
                          std::int64_t rows, std::int64_t columns);

template <Element To, Element From>
void move_tile(std::byte* to, Steps to_steps, const std::byte* from, Steps from_steps,
               std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    To* const out = reinterpret_cast<To*>(to) + i * to_steps.row;
    const From* const in = reinterpret_cast<const From*>(from) + i * from_steps.row;
    if (to_steps.column == 1 && from_steps.column == 1) {
      if constexpr (std::same_as<To, From>)
        copy_bytes(out, in, static_cast<std::size_t>(columns) * sizeof(To));
      else
        convert_row(out, in, columns);
    } else {
      for (std::int64_t j = 0; j < columns; ++j)
        out[j * to_steps.column] = cast<To>(in[j * from_steps.column]);
    }
  }
}

MoveTile tile_mover(ElementType to, ElementType from) {
  MoveTile mover = nullptr;
  with_element_type(from, [&]<class From>(From) {
    with_element_type(to, [&]<class To>(To) {
      if constexpr (can_cast(element_type_of<From>(), element_type_of<To>()))
        mover = move_tile<To, From>;
    });
  });
  return mover;
}

}  // namespace

void move_packed(Target to, Source from, std::int64_t count) {
  tile_mover(to.type, from.type)(to.memory, {0, 1}, from.memory, {0, 1}, 1, count);
}

void move_strided(Target to, const Index& to_strides, Source from, const Index& from_strides,
                  const Index& shape) {
  constexpr std::int64_t tile = 32;
  const MoveTile move_one = tile_mover(to.type, from.type);
  const int last = shape.size() - 1;
  const std::int64_t rows = last == 0 ? 1 : shape[0], columns = shape[last];
  const Steps to_steps{to_strides[0], to_strides[last]};
  const Steps from_steps{from_strides[0], from_strides[last]};
  const auto to_bytes = static_cast<std::int64_t>(size_of(to.type));
  const auto from_bytes = static_cast<std::int64_t>(size_of(from.type));
  Index planes = shape;  // one position for every plane of first and last dimension
  planes[0] = planes[last] = 1;
  for (const std::int64_t extent : shape)
    if (extent <= 0) return;
  Index at = Index::filled(shape.size(), 0);
  do {
    const std::int64_t to_plane = dot_product(at, to_strides);
    const std::int64_t from_plane = dot_product(at, from_strides);
    for (std::int64_t i = 0; i < rows; i += tile)
      for (std::int64_t j = 0; j < columns; j += tile)
        move_one(
            to.memory + (to_plane + i * to_steps.row + j * to_steps.column) * to_bytes, to_steps,
            from.memory + (from_plane + i * from_steps.row + j * from_steps.column) * from_bytes,
            from_steps, std::min(tile, rows - i), std::min(tile, columns - j));
  } while (next_position(at, planes));
}

}  // namespace lagoon::atoll::detail

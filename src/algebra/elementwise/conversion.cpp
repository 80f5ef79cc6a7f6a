#include "algebra/elementwise/conversion.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>

#include "algebra/core/sections.hpp"
#include "world/copy_bytes.hpp"
#include "world/processors.hpp"
#include "world/widening.hpp"

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
using MoveTile = void (*)(Target to, Steps to_steps, Source from, Steps from_steps,
                          std::int64_t rows, std::int64_t columns);

template <Element To, Element From>
void move_tile(Target to, Steps to_steps, Source from, Steps from_steps, std::int64_t rows,
               std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    To* const out = reinterpret_cast<To*>(to.memory) + i * to_steps.row;
    const From* const in = reinterpret_cast<const From*>(from.memory) + i * from_steps.row;
    if (to_steps.column == 1 && from_steps.column == 1)
      convert_row(out, in, columns);
    else
      for (std::int64_t j = 0; j < columns; ++j)
        out[j * to_steps.column] = cast<To>(in[j * from_steps.column]);
  }
}

/// Of equal types: elements of a size.
template <class Bytes>
void move_bytes(Target to, Steps to_steps, Source from, Steps from_steps, std::int64_t rows,
                std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    Bytes* const out = reinterpret_cast<Bytes*>(to.memory) + i * to_steps.row;
    const Bytes* const in = reinterpret_cast<const Bytes*>(from.memory) + i * from_steps.row;
    if (to_steps.column == 1 && from_steps.column == 1)
      copy_bytes(out, in, static_cast<std::size_t>(columns) * sizeof(Bytes));
    else
      for (std::int64_t j = 0; j < columns; ++j)
        out[j * to_steps.column] = in[j * from_steps.column];
  }
}
MoveTile byte_mover(ElementType type) {
  return with_element_size(size_of(type),
                           []<class Bytes>(Bytes) -> MoveTile { return move_bytes<Bytes>; });
}

/// Between types in which arithmetic is done; null where they cannot be cast.
MoveTile computed_mover(ElementType to, ElementType from) {
  MoveTile mover = nullptr;
  with_computed_type(from, [&]<class From>(From) {
    with_computed_type(to, [&]<class To>(To) {
      if constexpr (std::same_as<From, To>)
        mover = byte_mover(element_type_of<To>());
      else if constexpr (can_cast(element_type_of<From>(), element_type_of<To>()))
        mover = move_tile<To, From>;
    });
  });
  return mover;
}

/// `count` elements in a row, packed here and there, of which one type at least is narrow.
void convert_narrow(Target to, Source from, std::int64_t count) {
  if (to.type == ElementType::float16 && from.type == ElementType::float64)  // not by way of float
    return narrow_doubles(reinterpret_cast<const double*>(from.memory),
                          reinterpret_cast<Float16*>(to.memory), count);
  BatchMemory wide, converted;
  if (is_narrow(from.type)) {
    widen(from.type, from.memory, wide.data(), count);
    from = {traits_of(from.type).computed, wide.data()};
  }
  const ElementType type = traits_of(to.type).computed;
  // 16 bytes are in no batch: what is narrow has none of them.
  const Target aim{type, is_narrow(to.type) ? converted.data() : to.memory};
  computed_mover(type, from.type)(aim, {0, 1}, from, {0, 1}, 1, count);
  if (is_narrow(to.type)) narrow(to.type, aim.memory, to.memory, count);
}

void move_narrow(Target to, Steps to_steps, Source from, Steps from_steps, std::int64_t rows,
                 std::int64_t columns) {
  const auto to_size = static_cast<std::int64_t>(size_of(to.type));
  const auto from_size = static_cast<std::int64_t>(size_of(from.type));
  alignas(16) std::array<std::byte, static_cast<std::size_t>(batch_elements) * 16> packed_from,
      packed_to;
  for (std::int64_t i = 0; i < rows; ++i)
    for_each_batch_of(columns, [&](std::int64_t first, std::int64_t count) {
      const Source source{
          from.type, from.memory + (i * from_steps.row + first * from_steps.column) * from_size};
      const Target target{to.type,
                          to.memory + (i * to_steps.row + first * to_steps.column) * to_size};
      Source in = source;
      if (from_steps.column != 1) {
        byte_mover(from.type)({from.type, packed_from.data()}, {0, 1}, source, from_steps, 1,
                              count);
        in.memory = packed_from.data();
      }
      if (to_steps.column == 1) return convert_narrow(target, in, count);
      convert_narrow({to.type, packed_to.data()}, in, count);
      byte_mover(to.type)(target, to_steps, {to.type, packed_to.data()}, {0, 1}, 1, count);
    });
}

MoveTile tile_mover(ElementType to, ElementType from) {
  if (to == from) return byte_mover(to);
  if (is_narrow(to) || is_narrow(from)) return move_narrow;
  return computed_mover(to, from);
}

}  // namespace

void move_packed(Target to, Source from, std::int64_t count) {
  tile_mover(to.type, from.type)(to, {0, 1}, from, {0, 1}, 1, count);
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
            {to.type, to.memory + (to_plane + i * to_steps.row + j * to_steps.column) * to_bytes},
            to_steps,
            {from.type,
             from.memory + (from_plane + i * from_steps.row + j * from_steps.column) * from_bytes},
            from_steps, std::min(tile, rows - i), std::min(tile, columns - j));
  } while (next_position(at, planes));
}

}  // namespace lagoon::atoll::detail

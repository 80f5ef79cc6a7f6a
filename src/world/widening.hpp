// Between the types in which elements are stored and those in which arithmetic is done (the table
// in atoll/types.hpp), and loops over stored elements a batch at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

/// to[i] = from[i], from a narrow type to the one it is computed in.
void widen(ElementType narrow, const std::byte* from, std::byte* to, std::int64_t count) noexcept;
/// The other way round: integers are cut modulo 2^n, real numbers rounded, and what is not zero is
/// true.
void narrow(ElementType narrow, const std::byte* from, std::byte* to, std::int64_t count) noexcept;
/// From double, rounded once.
void narrow_doubles(const double* from, Float16* to, std::int64_t count) noexcept;

/// Room for a batch of elements, in any type.
inline constexpr std::int64_t batch_elements = 512;
struct alignas(64) BatchMemory {
  std::array<std::byte, static_cast<std::size_t>(batch_elements) * sizeof(std::int64_t)> bytes;
  std::byte* data() noexcept { return bytes.data(); }
};

/// Calls `f(first, count)` for batches that make up [0, elements).
template <class F>
void for_each_batch_of(std::int64_t elements, F&& f) {
  for (std::int64_t first = 0; first < elements; first += batch_elements)
    f(first, std::min(batch_elements, elements - first));
}

/// As many bytes as an element has, to move elements of any type. Complex numbers lie as their
/// parts do.
template <class Part, std::size_t parts = 1>
struct [[gnu::may_alias]] ElementBytes {
  std::array<Part, parts> bits;
};
/// Calls `f` with some, of this size.
template <class F>
[[gnu::always_inline]] constexpr decltype(auto) with_element_size(std::size_t size, F&& f) {
  switch (size) {
    case 1: return f(ElementBytes<std::uint8_t>{});
    case 2: return f(ElementBytes<std::uint16_t>{});
    case 4: return f(ElementBytes<std::uint32_t>{});
    case 8: return f(ElementBytes<std::uint64_t>{});
    default: return f(ElementBytes<std::uint64_t, 2>{});
  }
}

}  // namespace lagoon::atoll::detail

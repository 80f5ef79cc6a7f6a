// random_fill: a counter-based generator, so that an element depends on its position only.
//
// Number k of seed s is mix(mix(s) + (k + 1) * gamma): SplitMix64 (Steele, Lea, Flood: Fast
// splittable pseudorandom number generators, OOPSLA 2014) entered at an arbitrary place. The seed
// is mixed first, since two states that differ by a multiple of gamma give shifted copies of one
// sequence. k is the row-major number of the element; complex numbers take 2k and 2k + 1.
#include <concepts>
#include <cstdint>

#include "algebra/core/operands.hpp"
#include "algebra/core/sections.hpp"
#include "array/frame.hpp"
#include "atoll/algebra.hpp"

namespace lagoon::atoll {

namespace {

constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15ULL;

constexpr std::uint64_t scramble(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// From 64 random bits; real numbers take as many of the upper ones as their mantissa holds.
template <class T>
T uniform(std::uint64_t bits) noexcept {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::same_as<T, bool> ? bits >> 63 : bits >> 33);
  else if constexpr (sizeof(T) < sizeof(float))
    return T(static_cast<float>(static_cast<std::int32_t>(bits >> 53)) * 0x1p-11F);
  else if constexpr (sizeof(T) == sizeof(float))
    return static_cast<T>(static_cast<std::int32_t>(bits >> 40)) * T(0x1p-24);
  else
    return static_cast<T>(static_cast<std::int64_t>(bits >> 11)) * T(0x1p-53);
}

/// Numbers `first`, `first + 1`, ... of the sequence.
template <class T>
void draw(T* to, std::int64_t count, std::uint64_t start, std::uint64_t first) {
  std::uint64_t state = start + (first + 1) * gamma;
  for (std::int64_t i = 0; i < count; ++i, state += gamma) to[i] = uniform<T>(scramble(state));
}

}  // namespace

void random_fill(AnyArray& a, std::uint64_t seed) {
  detail::require_writable(a, "random_fill");
  detail::collectively(
      a.group(), "random_fill", detail::hash_of(a, seed), [] {},
      [&] {
        const std::uint64_t start = scramble(seed + gamma);
        const Index numbers = packed_strides(a.shape());
        with_element_type(a.type(), [&]<class T>(T) {
          T* const base = detail::own_memory<T>(a);
          const auto fill_block = [&](const detail::OwnedBlock& block) {
            T* memory = base + block.offset;
            const Index shape = block.patch.shape();
            const std::int64_t length = shape[shape.size() - 1];
            const std::int64_t corner = detail::dot_product(block.patch.lo, numbers);
            detail::for_each_row(shape, [&](const Index& at) {
              T* row = memory + detail::dot_product(at, block.strides);
              const auto number =
                  static_cast<std::uint64_t>(corner + detail::dot_product(at, numbers));
              if constexpr (is_complex(element_type_of<T>()))
                draw(reinterpret_cast<typename T::value_type*>(row), 2 * length, start, 2 * number);
              else
                draw(row, length, start, number);
            });
          };
          detail::for_each_owned_block(a.distribution(), a.group().rank(), fill_block);
        });
      });
}

}  // namespace lagoon::atoll

// Combiner: the loops of the built-in reductions, with wrapping integers and lasting NaNs.
#include "array/combine.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

template <Element T>
constexpr T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                          static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

template <Element T>
constexpr T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) *
                          static_cast<std::make_unsigned_t<T>>(b));
  else if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

/// The smaller (larger) one, or the NaN among them.
template <class T>
constexpr T least(T a, T b) {
  return a < b || a != a ? a : b;
}
template <class T>
constexpr T greatest(T a, T b) {
  return a > b || a != a ? a : b;
}

template <Element T>
struct Loop {
  T* __restrict into;
  const T* __restrict next;
  std::int64_t elements;
  bool into_is_first;

  template <class F>
  void operator()(F f) const {
    if (next == nullptr)
      for (std::int64_t i = 0; i < elements; ++i) into[i] = f(into[i], T());
    else if (into_is_first)
      for (std::int64_t i = 0; i < elements; ++i) into[i] = f(into[i], next[i]);
    else
      for (std::int64_t i = 0; i < elements; ++i) into[i] = f(next[i], into[i]);
  }
};

constexpr std::int64_t zeros_at_once = 1024;

}  // namespace

Combiner::Combiner(const Combination& combination, ElementType type, int nodes)
    : combination_(combination), type_(type) {
  const Reduction reduction = combination.reduction();
  if (combination.function()) {
    neutral_ = false;
    alignas(16) std::array<std::byte, 16> zero{};
    for (int node = 1; node < nodes; ++node) fold(zero.data(), nullptr, 1);
    zero_from_zeros_ =
        std::all_of(zero.begin(), zero.end(), [](std::byte b) { return b == std::byte{0}; });
    return;
  }
  if (is_complex(type) && reduction >= Reduction::minimum)
    throw Error(ErrorKind::type, "complex numbers have no minimum or maximum");
  neutral_ = reduction == Reduction::sum;
}

void Combiner::fold(std::byte* into, const std::byte* next, std::int64_t elements,
                    bool into_is_first) const {
  if (const Combination::Function& function = combination_.function()) {
    if (next != nullptr) {
      function(into, next, elements);
      return;
    }
    const std::size_t size = size_of(type_);
    const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min(elements, zeros_at_once)) *
                                       size);
    for (std::int64_t done = 0; done < elements; done += zeros_at_once)
      function(into + static_cast<std::size_t>(done) * size, zeros.data(),
               std::min(zeros_at_once, elements - done));
    return;
  }
  with_element_type(type_, [&]<class T>(T) {
    const Loop<T> loop{reinterpret_cast<T*>(into), reinterpret_cast<const T*>(next), elements,
                       into_is_first};
    switch (combination_.reduction()) {
      case Reduction::sum: loop([](T a, T b) { return add(a, b); }); break;
      case Reduction::product: loop([](T a, T b) { return multiply(a, b); }); break;
      case Reduction::minimum:
        if constexpr (std::is_arithmetic_v<T>) loop([](T a, T b) { return least(a, b); });
        break;
      case Reduction::maximum:
        if constexpr (std::is_arithmetic_v<T>) loop([](T a, T b) { return greatest(a, b); });
        break;
    }
  });
}

}  // namespace lagoon::atoll::detail

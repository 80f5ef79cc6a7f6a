// Element types: what an Atoll array may hold, and the tie between a C++ type and its run-time
// name.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

/// The six element types of Global Arrays' accumulate, and bytes; the order is part of the wire
/// protocol and of files on disk.
enum class ElementType : std::uint8_t {
  int32,
  int64,
  float32,
  float64,
  complex64,
  complex128,
  uint8
};

/// How many element types there are; they are numbered from zero.
inline constexpr std::size_t element_types = 7;

/// What a reduction over ranks or elements does.
enum class Reduction : std::uint8_t { sum, product, minimum, maximum };

/// Bytes of one element.
constexpr std::size_t size_of(ElementType type) noexcept {
  constexpr std::size_t sizes[element_types] = {4, 8, 4, 8, 8, 16, 1};
  return sizes[static_cast<std::size_t>(type)];
}

/// NumPy's name of the type ("float64", ...).
constexpr std::string_view name_of(ElementType type) noexcept {
  constexpr std::string_view names[element_types] = {
      "int32", "int64", "float32", "float64", "complex64", "complex128", "uint8"};
  return names[static_cast<std::size_t>(type)];
}

constexpr bool is_integer(ElementType type) noexcept {
  return type <= ElementType::int64 || type == ElementType::uint8;
}
constexpr bool is_complex(ElementType type) noexcept {
  return type == ElementType::complex64 || type == ElementType::complex128;
}

/// Whether an element of this integer type can be the number.
constexpr bool fits(std::int64_t value, ElementType type) noexcept {
  switch (type) {
    case ElementType::uint8: return value == static_cast<std::uint8_t>(value);
    case ElementType::int32: return value == static_cast<std::int32_t>(value);
    default: return true;
  }
}

template <class T>
concept Element =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, float> ||
    std::same_as<T, double> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>> || std::same_as<T, std::uint8_t>;

template <Element T>
constexpr ElementType element_type_of() noexcept {
  if constexpr (std::same_as<T, std::int32_t>) return ElementType::int32;
  if constexpr (std::same_as<T, std::int64_t>) return ElementType::int64;
  if constexpr (std::same_as<T, float>) return ElementType::float32;
  if constexpr (std::same_as<T, double>) return ElementType::float64;
  if constexpr (std::same_as<T, std::complex<float>>) return ElementType::complex64;
  if constexpr (std::same_as<T, std::complex<double>>) return ElementType::complex128;
  if constexpr (std::same_as<T, std::uint8_t>) return ElementType::uint8;
}

/// Calls `f(T{})` with the C++ type that `type` names.
template <class F>
constexpr decltype(auto) with_element_type(ElementType type, F&& f) {
  switch (type) {
    case ElementType::int32: return f(std::int32_t{});
    case ElementType::int64: return f(std::int64_t{});
    case ElementType::float32: return f(float{});
    case ElementType::float64: return f(double{});
    case ElementType::complex64: return f(std::complex<float>{});
    case ElementType::complex128: return f(std::complex<double>{});
    case ElementType::uint8: break;
  }
  return f(std::uint8_t{});
}

/// One number of any element type: what algebra takes as a factor and gives as a result.
/// Integers, reals and complex numbers keep their full width.
class Scalar {
 public:
  template <std::integral T>
  Scalar(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Scalar(T value) : value_(static_cast<double>(value)) {}
  template <std::floating_point T>
  Scalar(std::complex<T> value) : value_(std::complex<double>(value)) {}

  /// The number as a T. A complex number becomes real by dropping its imaginary part, a real one
  /// an integer by truncation: check with `exact<T>()` where that would lose something.
  template <Element T>
  T as() const {
    return std::visit([](auto v) { return convert<T>(v); }, value_);
  }
  /// Whether `as<T>()` is the same number.
  template <Element T>
  bool exact() const {
    return std::visit([this](auto v) { return convert<decltype(v)>(as<T>()) == v; }, value_);
  }
  const std::variant<std::int64_t, double, std::complex<double>>& value() const { return value_; }

 private:
  template <class To, class From>
  static To convert(From v) {
    constexpr bool from_complex =
        std::same_as<From, std::complex<double>> || std::same_as<From, std::complex<float>>;
    if constexpr (std::same_as<To, std::complex<double>> || std::same_as<To, std::complex<float>>) {
      using R = typename To::value_type;
      if constexpr (from_complex)
        return To(static_cast<R>(v.real()), static_cast<R>(v.imag()));
      else
        return To(static_cast<R>(v));
    } else if constexpr (from_complex) {
      return static_cast<To>(v.real());
    } else {
      return static_cast<To>(v);
    }
  }
  std::variant<std::int64_t, double, std::complex<double>> value_;
};

/// Whether the dimensions of an operand are taken in reverse order.
enum class Transpose : bool { no, yes };

}  // namespace lagoon::atoll

// Element types: what an Atoll array may hold. One table ties their C++ types to their names; all
// else that is known of a type, here and in other files, follows from its C++ type.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "atoll/float16.hpp"
#include "atoll/namespace.hpp"

namespace lagoon::atoll {

/// The order is part of the wire protocol and of files on disk: new ones go last.
enum class ElementType : std::uint8_t {
  int32,
  int64,
  float32,
  float64,
  complex64,
  complex128,
  uint8,
  boolean,
  int8,
  int16,
  uint16,
  uint32,
  uint64,
  float16
};

/// What a reduction over ranks or elements does.
enum class Reduction : std::uint8_t { sum, product, minimum, maximum };
/// Whether it compares, which complex numbers cannot.
constexpr bool needs_order(Reduction op) noexcept {
  return op == Reduction::minimum || op == Reduction::maximum;
}

namespace detail {

/// `Wider`: in which arithmetic on a `T` is done, a batch at a time, with results that are cut or
/// rounded to a `T` again. Loops are compiled for these types only.
template <class T, class Wider = T>
struct ElementRow {
  using Number = T;
  using Computed = Wider;
  ElementType type;
  std::string_view name;  ///< NumPy's, which is Zarr's too
};

/// The one table of element types, in the order of ElementType.
inline constexpr std::tuple element_table{
    ElementRow<std::int32_t>{ElementType::int32, "int32"},
    ElementRow<std::int64_t>{ElementType::int64, "int64"},
    ElementRow<float>{ElementType::float32, "float32"},
    ElementRow<double>{ElementType::float64, "float64"},
    ElementRow<std::complex<float>>{ElementType::complex64, "complex64"},
    ElementRow<std::complex<double>>{ElementType::complex128, "complex128"},
    ElementRow<std::uint8_t, std::int32_t>{ElementType::uint8, "uint8"},
    ElementRow<bool, std::int32_t>{ElementType::boolean, "bool"},
    ElementRow<std::int8_t, std::int32_t>{ElementType::int8, "int8"},
    ElementRow<std::int16_t, std::int32_t>{ElementType::int16, "int16"},
    ElementRow<std::uint16_t, std::int32_t>{ElementType::uint16, "uint16"},
    ElementRow<std::uint32_t, std::int64_t>{ElementType::uint32, "uint32"},
    ElementRow<std::uint64_t>{ElementType::uint64, "uint64"},
    ElementRow<Float16, float>{ElementType::float16, "float16"},
};

/// The place of a C++ type in the table; its length where it is not there.
template <class T>
constexpr std::size_t row_of() noexcept {
  return std::apply(
      [](auto... row) {
        std::size_t place = 0;
        (void)((std::same_as<T, typename decltype(row)::Number> || (++place, false)) || ...);
        return place;
      },
      element_table);
}
template <std::size_t row>
using RowOf = std::tuple_element_t<row, std::remove_const_t<decltype(element_table)>>;
template <std::size_t row>
using NumberOf = typename RowOf<row>::Number;

template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};
/// The type of a number's real part.
template <class T>
using Real = typename RealPart<T>::type;

}  // namespace detail

/// How many element types there are; they are numbered from zero.
inline constexpr std::size_t element_types = std::tuple_size_v<decltype(detail::element_table)>;

template <class T>
concept Element = detail::row_of<T>() < element_types;

namespace detail {
/// The type in which arithmetic on a `T` is done.
template <Element T>
using Computed = typename RowOf<row_of<T>()>::Computed;

/// Says in words what an element type may be; made where one is asked for.
template <class T>
struct RequireElement {
  static_assert(Element<T>,
                "elements of Atoll's arrays are bool, std::int8_t to std::int64_t, std::uint8_t to "
                "std::uint64_t, atoll::Float16, float, double, std::complex<float> or "
                "std::complex<double>, and not const (instead of long long: std::int64_t)");
  static constexpr bool met = true;
};
}  // namespace detail

template <Element T>
constexpr ElementType element_type_of() noexcept {
  return static_cast<ElementType>(detail::row_of<T>());
}

/// What the library asks of a type.
struct ElementTraits {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
  bool boolean;
  bool integer;  ///< or boolean
  bool complex, has_sign;
  ElementType real;      ///< that of the real and the imaginary part
  ElementType computed;  ///< in which arithmetic is done
  std::int64_t lowest;   ///< of integers
  std::uint64_t highest;
};

namespace detail {

template <Element T, Element Wider>
constexpr ElementTraits traits_of(const ElementRow<T, Wider>& row) noexcept {
  ElementTraits traits{.type = row.type,
                       .name = row.name,
                       .bytes = sizeof(T),
                       .boolean = std::same_as<T, bool>,
                       .integer = std::integral<T>,
                       .complex = !std::same_as<T, Real<T>>,
                       .has_sign = !std::unsigned_integral<T>,
                       .real = element_type_of<Real<T>>(),
                       .computed = element_type_of<Wider>(),
                       .lowest = 0,
                       .highest = 0};
  if constexpr (std::integral<T>) {
    traits.lowest = static_cast<std::int64_t>(std::numeric_limits<T>::min());
    traits.highest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  }
  return traits;
}

}  // namespace detail

inline constexpr std::array<ElementTraits, element_types> element_traits =
    std::apply([](const auto&... row) { return std::array{detail::traits_of(row)...}; },
               detail::element_table);
static_assert(
    [] {
      for (std::size_t i = 0; i < element_types; ++i)
        if (element_traits[i].type != static_cast<ElementType>(i)) return false;
      return true;
    }(),
    "the rows stand in the order of ElementType");

constexpr const ElementTraits& traits_of(ElementType type) noexcept {
  return element_traits[static_cast<std::size_t>(type)];
}
/// Bytes of one element.
constexpr std::size_t size_of(ElementType type) noexcept { return traits_of(type).bytes; }
/// NumPy's name of the type ("float64", ...).
constexpr std::string_view name_of(ElementType type) noexcept { return traits_of(type).name; }
constexpr bool is_integer(ElementType type) noexcept { return traits_of(type).integer; }
constexpr bool is_complex(ElementType type) noexcept { return traits_of(type).complex; }
/// Whether its numbers count: what fetch_add, swap and the counts of bins want.
constexpr bool can_count(ElementType type) noexcept {
  return is_integer(type) && !traits_of(type).boolean;
}
/// Whether BLAS and LAPACK know such matrices.
constexpr bool has_blas(ElementType type) noexcept {
  return !is_integer(type) && size_of(traits_of(type).real) >= sizeof(float);
}
/// Whether arithmetic on it is done in another type.
constexpr bool is_narrow(ElementType type) noexcept { return traits_of(type).computed != type; }

/// Whether an element of this integer type can be the number.
template <std::integral T>
constexpr bool fits(T value, ElementType type) noexcept {
  if constexpr (std::is_signed_v<T>)
    if (value < 0) return value >= traits_of(type).lowest;
  return static_cast<std::uint64_t>(value) <= traits_of(type).highest;
}

/// "int32, int64 or uint8": the names of the types that are `chosen`, for messages.
std::string element_names(bool (*chosen)(ElementType) noexcept);

namespace detail {
/// The first chosen row from `row` on; the length of the table where there is none.
template <bool (*chosen)(ElementType) noexcept>
constexpr std::size_t next_chosen(std::size_t row) noexcept {
  while (row < element_types && !chosen(static_cast<ElementType>(row))) ++row;
  return row;
}
constexpr bool any_type(ElementType) noexcept { return true; }
constexpr bool is_computed(ElementType type) noexcept { return !is_narrow(type); }
}  // namespace detail

/// Calls `f(T{})` with the C++ type that `type` names, which is one of the chosen.
template <bool (*chosen)(ElementType) noexcept, std::size_t row = detail::next_chosen<chosen>(0),
          class F>
[[gnu::always_inline]] constexpr decltype(auto) with_chosen_type(ElementType type, F&& f) {
  constexpr std::size_t next = detail::next_chosen<chosen>(row + 1);
  if constexpr (next < element_types)
    if (type != static_cast<ElementType>(row)) return with_chosen_type<chosen, next>(type, f);
  return f(detail::NumberOf<row>{});
}

/// The same of all types: for what is short. Loops go by `with_computed_type` or by the size.
template <class F>
[[gnu::always_inline]] constexpr decltype(auto) with_element_type(ElementType type, F&& f) {
  return with_chosen_type<detail::any_type>(type, std::forward<F>(f));
}

/// Calls `f(T{})` with the C++ type in which arithmetic on `type` is done.
template <class F>
[[gnu::always_inline]] constexpr decltype(auto) with_computed_type(ElementType type, F&& f) {
  return with_chosen_type<detail::is_computed>(traits_of(type).computed, std::forward<F>(f));
}

/// One number of any element type: what algebra takes as a factor and gives as a result.
/// Integers, reals and complex numbers keep their full width.
class Scalar {
 public:
  /// Held without a sign from 2^63 on only.
  template <std::integral T>
  Scalar(T value) : value_(static_cast<std::int64_t>(value)) {
    if constexpr (std::unsigned_integral<T> && sizeof(T) >= sizeof(std::int64_t))
      if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max()))
        value_ = static_cast<std::uint64_t>(value);
  }
  Scalar(Float16 value) : Scalar(static_cast<float>(value)) {}
  template <std::floating_point T>
  Scalar(T value) : value_(static_cast<double>(value)) {}
  template <std::floating_point T>
  Scalar(std::complex<T> value) : value_(std::complex<double>(value)) {}

  /// The number as a T. A complex number becomes real by dropping its imaginary part, a real one
  /// an integer by truncation: check with `exact<T>()` where that would lose something.
  template <class T>
  T as() const {
    static_assert(detail::RequireElement<T>::met);
    return std::visit([](auto v) { return convert<T>(v); }, value_);
  }
  /// Whether `as<T>()` is the same number.
  template <Element T>
  bool exact() const {
    return std::visit([this](auto v) { return convert<decltype(v)>(as<T>()) == v; }, value_);
  }
  using Value = std::variant<std::int64_t, double, std::complex<double>, std::uint64_t>;
  const Value& value() const { return value_; }
  /// It may be an integer, real or complex: a conversion that nobody wrote could lose a part.
  template <class T>
    requires std::is_arithmetic_v<T> || Element<T>
  operator T() const ATOLL_DELETED("a Scalar becomes a number by as<double>() or as<Another>()");
  friend void operator<<(std::ostream&, const Scalar&) ATOLL_DELETED("print its as<double>()");

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
  Value value_;
};

/// Whether the dimensions of an operand are taken in reverse order.
enum class Transpose : bool { no, yes };

}  // namespace lagoon::atoll

// scale, add and the functions of one to three operands that work element by element.
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "algebra/core/operands.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "world/arithmetic.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll {

namespace {

using detail::Views;

/// Whether a factor is real: then a complex array is twice as many real numbers.
bool is_real(const Scalar& factor) { return factor.as<std::complex<double>>().imag() == 0; }

template <Element T>
ATOLL_EACH_PROCESSOR_OF_TEMPLATE void scale_elements(std::int64_t count, const T* x, T factor,
                                                     T* out) {
  ATOLL_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < count; ++i) out[i] = detail::times(x[i], factor);
}

template <Element T>
ATOLL_EACH_PROCESSOR_OF_TEMPLATE void add_elements(std::int64_t count, T alpha, const T* x, T beta,
                                                   const T* y, T* out) {
  ATOLL_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = detail::plus(detail::times(alpha, x[i]), detail::times(beta, y[i]));
}

template <class F, class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::invocable<F, decltype(static_cast<void>(I), T())...>;
}

/// `f` by value: nothing that it holds can then be taken for an element that the loop writes.
template <Element T, class F, std::size_t... I>
ATOLL_EACH_PROCESSOR_OF_TEMPLATE void apply_elements(std::int64_t count,
                                                     std::array<const T*, sizeof...(I)> x, T* out,
                                                     F f, std::index_sequence<I...>) {
  ATOLL_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < count; ++i) out[i] = f(x[I][i]...);
}

/// out = f(inputs...): `f` is called with elements of the arrays' type, where it takes them.
template <std::size_t N, class F>
void apply(const Views<N>& inputs, const MutableView& out, const F& f) {
  constexpr auto all = std::make_index_sequence<N>();
  with_computed_type(out.array.type(), [&]<class T>(T) {
    if constexpr (takes<F, T>(all))
      detail::transform_operands<T>(inputs, out, [&](std::int64_t count, const auto& x, T* result) {
        apply_elements<T>(count, x, result, f, all);
      });
  });
}

constexpr auto nothing_special = [] {};

/// The call out = f(inputs...).
template <std::size_t N, class F>
void map(std::string_view operation, const Views<N>& inputs, const MutableView& out, const F& f) {
  detail::writing(operation, inputs, out, 0, nothing_special, [&] { apply(inputs, out, f); });
}

/// The same for what needs an order.
template <std::size_t N, class F>
void map_ordered(std::string_view operation, const Views<N>& inputs, const MutableView& out,
                 const F& f) {
  detail::writing(
      operation, inputs, out, 0, [&] { detail::check_not_complex(out.array); },
      [&] { apply(inputs, out, f); });
}

constexpr auto product = []<Element T>(T x, T y) { return detail::times(x, y); };
constexpr auto smaller = []<Element T>(T x, T y)
  requires(!detail::is_complex_type<T>)
{ return detail::smaller(x, y); };
constexpr auto larger = []<Element T>(T x, T y)
  requires(!detail::is_complex_type<T>)
{ return detail::larger(x, y); };
constexpr auto middle = []<Element T>(T x, T y, T z)
  requires(!detail::is_complex_type<T>)
{ return detail::larger(detail::smaller(x, y), detail::smaller(detail::larger(x, y), z)); };
constexpr auto modulus = []<Element T>(T x) { return detail::magnitude(x); };

}  // namespace

void scale(const MutableView& a, const Scalar& factor) {
  const auto check = [&] { detail::check_scalar(factor, a.array, "the factor"); };
  const Views<1> inputs{a};
  detail::writing("scale", inputs, a, detail::hash_of(factor), check, [&] {
    with_computed_type(a.array.type(), [&]<class T>(T) {
      detail::transform_operands<T>(inputs, a, [&](std::int64_t count, const auto& in, T* out) {
        if constexpr (detail::is_complex_type<T>) {
          using Real = typename T::value_type;
          if (is_real(factor)) {
            scale_elements(2 * count, reinterpret_cast<const Real*>(in[0]), factor.as<T>().real(),
                           reinterpret_cast<Real*>(out));
            return;
          }
        }
        scale_elements(count, in[0], factor.as<T>(), out);
      });
    });
  });
}

void add_constant(const MutableView& a, const Scalar& value) {
  const auto check = [&] { detail::check_scalar(value, a.array, "the value"); };
  const Views<1> inputs{a};
  detail::writing("add_constant", inputs, a, detail::hash_of(value), check, [&] {
    with_computed_type(a.array.type(), [&]<class T>(T) {
      const T constant = value.as<T>();
      apply(inputs, a, [constant]<std::same_as<T> U>(U x) { return detail::plus(x, constant); });
    });
  });
}

void add(const Scalar& alpha, const View& a, const Scalar& beta, const View& b,
         const MutableView& c) {
  const auto check = [&] {
    detail::check_scalar(alpha, c.array, "alpha");
    detail::check_scalar(beta, c.array, "beta");
  };
  const Views<2> inputs{a, b};
  detail::writing("add", inputs, c, detail::hash_of(alpha, beta), check, [&] {
    with_computed_type(c.array.type(), [&]<class T>(T) {
      detail::transform_operands<T>(inputs, c, [&](std::int64_t count, const auto& in, T* out) {
        if constexpr (detail::is_complex_type<T>) {
          using Real = typename T::value_type;
          if (is_real(alpha) && is_real(beta)) {
            add_elements(2 * count, alpha.as<T>().real(), reinterpret_cast<const Real*>(in[0]),
                         beta.as<T>().real(), reinterpret_cast<const Real*>(in[1]),
                         reinterpret_cast<Real*>(out));
            return;
          }
        }
        add_elements(count, alpha.as<T>(), in[0], beta.as<T>(), in[1], out);
      });
    });
  });
}

void multiply(const View& a, const View& b, const MutableView& c) {
  map("multiply", Views<2>{a, b}, c, product);
}

void minimum(const View& a, const View& b, const MutableView& c) {
  map_ordered("minimum", Views<2>{a, b}, c, smaller);
}

void maximum(const View& a, const View& b, const MutableView& c) {
  map_ordered("maximum", Views<2>{a, b}, c, larger);
}

void median(const View& a, const View& b, const View& c, const MutableView& m) {
  map_ordered("median", Views<3>{a, b, c}, m, middle);
}

void absolute(const View& a, const MutableView& b) { map("absolute", Views<1>{a}, b, modulus); }

std::int64_t divide(const View& a, const View& b, const MutableView& c) {
  const Views<2> inputs{a, b};
  std::int64_t zeros = 0;
  detail::writing("divide", inputs, c, 0, nothing_special, [&] {
    with_computed_type(c.array.type(), [&]<class T>(T) {
      detail::transform_operands<T>(inputs, c, [&](std::int64_t count, const auto& x, T* out) {
        if constexpr (detail::is_integer_type<T>)
          for (std::int64_t i = 0; i < count; ++i) zeros += x[1][i] == T(0) ? 1 : 0;
        apply_elements<T>(
            count, x, out,
            [](T dividend, T divisor) { return detail::quotient(dividend, divisor); },
            std::make_index_sequence<2>());
      });
    });
  });
  return is_integer(c.array.type()) ? c.array.group().reduce(zeros, Reduction::sum) : 0;
}

void reciprocal(const View& a, const MutableView& b) {
  const auto check = [&] {
    if (is_integer(a.array.type()))
      throw Error(ErrorKind::type, detail::description(a.array) + " holds " +
                                       std::string(name_of(a.array.type())) +
                                       "; integers have no reciprocals");
  };
  const Views<1> inputs{a};
  detail::writing("reciprocal", inputs, b, 0, check, [&] {
    apply(inputs, b,
          []<Element T>(T x)
            requires(!detail::is_integer_type<T>)
          { return detail::quotient(T(1), x); });
  });
}

}  // namespace lagoon::atoll

// scale, add and the functions of one or two arrays that work element by element.
#include <string_view>

#include "algebra/arithmetic.hpp"
#include "algebra/operands.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

namespace {

using detail::Inputs;

void check_operands(const AnyArray& a, const AnyArray& b) {
  detail::check_same_type(a, b);
  detail::check_same_shape(a, b);
}

/// Whether a factor is real: then a complex array is twice as many real numbers.
bool is_real(const Scalar& factor) { return factor.as<std::complex<double>>().imag() == 0; }

template <Element T>
void scale_elements(std::int64_t count, T* x, T factor) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = detail::times(x[i], factor);
}

template <Element T>
void add_elements(std::int64_t count, T alpha, const T* x, T beta, const T* y, T* out) {
  ATOLL_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = detail::plus(detail::times(alpha, x[i]), detail::times(beta, y[i]));
}

/// c = f(a, b): `f` is called with two elements of the arrays' type.
template <class F>
void apply_binary(const AnyArray& a, const AnyArray& b, AnyArray& c, F f) {
  with_element_type(c.type(), [&]<class T>(T) {
    if constexpr (requires(T x) { f(x, x); })
      detail::transform_operands<T>(Inputs<2>{&a, &b}, c,
                                    [&](std::int64_t count, const auto& in, T* out) {
                                      const T *x = in[0], *y = in[1];
                                      ATOLL_INDEPENDENT_ITERATIONS
                                      for (std::int64_t i = 0; i < count; ++i)
                                        out[i] = f(x[i], y[i]);
                                    });
  });
}

template <class F>
void apply_unary(const AnyArray& a, AnyArray& b, F f) {
  with_element_type(b.type(), [&]<class T>(T) {
    if constexpr (requires(T x) { f(x); })
      detail::transform_operands<T>(Inputs<1>{&a}, b,
                                    [&](std::int64_t count, const auto& in, T* out) {
                                      const T* x = in[0];
                                      ATOLL_INDEPENDENT_ITERATIONS
                                      for (std::int64_t i = 0; i < count; ++i) out[i] = f(x[i]);
                                    });
  });
}

/// The frame of c = f(a, b). `check` looks at what is special about the operation.
template <class Check, class Body>
void binary(std::string_view operation, const AnyArray& a, const AnyArray& b, AnyArray& c,
            Check check, Body body) {
  for (const AnyArray* array : {&a, &b}) detail::require_alive(*array, operation);
  detail::require_writable(c, operation);
  detail::require_same_members(a, c, operation);
  detail::require_same_members(b, c, operation);
  detail::collectively(
      c.group(), operation, detail::hash_of(a, b, c),
      [&] {
        check_operands(a, c);
        check_operands(b, c);
        check();
      },
      body);
}

template <class Check, class Body>
void unary(std::string_view operation, const AnyArray& a, AnyArray& b, Check check, Body body) {
  detail::require_alive(a, operation);
  detail::require_writable(b, operation);
  detail::require_same_members(a, b, operation);
  detail::collectively(
      b.group(), operation, detail::hash_of(a, b),
      [&] {
        check_operands(a, b);
        check();
      },
      body);
}

constexpr auto nothing_special = [] {};

/// Throws on all members when an integer array holds a zero. Before anything is written.
void forbid_zeros(const AnyArray& divisor) {
  if (!is_integer(divisor.type())) return;
  std::int64_t zeros = 0;
  with_element_type(divisor.type(), [&]<class T>(T) {
    detail::visit_own<T>(divisor, [&](const T* x, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) zeros += x[i] == T(0) ? 1 : 0;
    });
  });
  zeros = divisor.group().reduce(zeros, Reduction::sum);
  if (zeros > 0)
    throw Error(ErrorKind::value, "division of integers by zero: " + detail::description(divisor) +
                                      " holds " + std::to_string(zeros) +
                                      (zeros == 1 ? " zero" : " zeros"))
        .during("divide");
}

}  // namespace

void scale(AnyArray& a, const Scalar& factor) {
  detail::require_writable(a, "scale");
  detail::collectively(
      a.group(), "scale", detail::hash_of(a, factor),
      [&] { detail::check_scalar(factor, a, "the factor"); },
      [&] {
        with_element_type(a.type(), [&]<class T>(T) {
          detail::for_each_own_stretch(a, [&](std::int64_t offset, std::int64_t count) {
            T* x = detail::own_memory<T>(a) + offset;
            if constexpr (detail::is_complex_type<T>) {
              using Real = typename T::value_type;
              if (is_real(factor)) {
                scale_elements(2 * count, reinterpret_cast<Real*>(x), factor.as<T>().real());
                return;
              }
            }
            scale_elements(count, x, factor.as<T>());
          });
        });
      });
}

void add(const Scalar& alpha, const AnyArray& a, const Scalar& beta, const AnyArray& b,
         AnyArray& c) {
  for (const AnyArray* array : {&a, &b}) detail::require_alive(*array, "add");
  detail::require_writable(c, "add");
  detail::require_same_members(a, c, "add");
  detail::require_same_members(b, c, "add");
  const auto validate = [&] {
    check_operands(a, c);
    check_operands(b, c);
    detail::check_scalar(alpha, c, "alpha");
    detail::check_scalar(beta, c, "beta");
  };
  detail::collectively(c.group(), "add", detail::hash_of(alpha, a, beta, b, c), validate, [&] {
    with_element_type(c.type(), [&]<class T>(T) {
      detail::transform_operands<T>(
          Inputs<2>{&a, &b}, c, [&](std::int64_t count, const auto& in, T* out) {
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

void multiply(const AnyArray& a, const AnyArray& b, AnyArray& c) {
  binary("multiply", a, b, c, nothing_special,
         [&] { apply_binary(a, b, c, []<Element T>(T x, T y) { return detail::times(x, y); }); });
}

void divide(const AnyArray& a, const AnyArray& b, AnyArray& c) {
  binary("divide", a, b, c, nothing_special, [&] {
    forbid_zeros(b);
    apply_binary(a, b, c, []<Element T>(T x, T y) { return detail::quotient(x, y); });
  });
}

void minimum(const AnyArray& a, const AnyArray& b, AnyArray& c) {
  binary(
      "minimum", a, b, c, [&] { detail::check_not_complex(c); },
      [&] {
        apply_binary(a, b, c,
                     []<Element T>(T x, T y)
                       requires(!detail::is_complex_type<T>)
                     { return detail::smaller(x, y); });
      });
}

void maximum(const AnyArray& a, const AnyArray& b, AnyArray& c) {
  binary(
      "maximum", a, b, c, [&] { detail::check_not_complex(c); },
      [&] {
        apply_binary(a, b, c,
                     []<Element T>(T x, T y)
                       requires(!detail::is_complex_type<T>)
                     { return detail::larger(x, y); });
      });
}

void absolute(const AnyArray& a, AnyArray& b) {
  unary("absolute", a, b, nothing_special,
        [&] { apply_unary(a, b, []<Element T>(T x) { return detail::magnitude(x); }); });
}

void reciprocal(const AnyArray& a, AnyArray& b) {
  const auto check = [&] {
    if (is_integer(a.type()))
      throw Error(ErrorKind::type, detail::description(a) + " holds " +
                                       std::string(name_of(a.type())) +
                                       "; integers have no reciprocals");
  };
  unary("reciprocal", a, b, check, [&] {
    apply_unary(a, b,
                []<Element T>(T x)
                  requires(!detail::is_integer_type<T>)
                { return detail::quotient(T(1), x); });
  });
}

}  // namespace lagoon::atoll

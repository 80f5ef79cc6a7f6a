#include "compat/ga/algebra/elementwise.hpp"

#include <cmath>
#include <complex>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "compat/ga/algebra/combine.hpp"
#include "compat/ga/algebra/reshape.hpp"
#include "compat/ga/algebra/steps.hpp"
#include "compat/ga/mask.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

/// work(a, b) with both in c's shape.
template <class F>
void in_shape_of(const View& c, const View& a, const View& b, const F& work) {
  Shaped left(a, c.shape()), right(b, c.shape());
  work(left.view(), right.view());
}

void check_equal(const View& a, const View& c) {
  if (a.array.type() != c.array.type())
    throw Error(ErrorKind::type, "elements of '" + a.array.name() + "' are " +
                                     std::string(name_of(a.array.type())) + ", those of '" +
                                     c.array.name() + "' " + std::string(name_of(c.array.type())));
  if (a.shape() != c.shape())
    throw Error(ErrorKind::value, "patch " + a.section().to_string() + " of '" + a.array.name() +
                                      "' does not fit patch " + c.section().to_string() + " of '" +
                                      c.array.name() + "'");
}

/// c = f(a, b), where f takes elements of any type.
template <class F>
void combine_elements_of(const View& a, const View& b, const MutableView& c, const F& f) {
  in_shape_of(c, a, b, [&](const View& left, const View& right) {
    check_equal(left, c);
    check_equal(right, c);
    with_datatype(c.array.type(), [&]<class T>(T) { combine<T>(left, right, c, f); });
  });
}

/// c = the one of a and b that comes first in an order of moduli, b where they are equal.
template <class Order>
void choose_complex(const View& a, const View& b, const MutableView& c, Order order) {
  combine_elements_of(a, b, c, [order]<class T>(T x, T y) {
    if constexpr (std::unsigned_integral<T>)
      return order(y, x) ? y : x;
    else
      return order(std::abs(x), std::abs(y)) ? x : y;
  });
}

/// b = 0, and a = 0 where the divisor has this sign: as many steps as one likes.
void divide_for_steps(const View& a, const View& b, const MutableView& c, int free_sign) {
  if (is_complex(c.array.type()))
    throw Error(ErrorKind::type, "'" + c.array.name() + "' is complex; expected real numbers");
  combine_elements_of(a, b, c, [=]<class T>(T x, T y) {
    if constexpr (std::is_arithmetic_v<T>) {
      const bool towards_nothing = x == T(0) && (free_sign > 0 ? y > T(0) : y < T(0));
      if (y == T(0) || towards_nothing) return endless<T>();
      return static_cast<T>(x / y);
    } else {
      return x;
    }
  });
}

}  // namespace

void copy_elements(const GlobalArray& from, View source, const GlobalArray& to,
                   const MutableView& target) {
  if (from.type().element != to.type().element || from.type().bytes != to.type().bytes)
    throw Error(ErrorKind::type, "elements are of types " + std::to_string(from.plan.type) +
                                     " and " + std::to_string(to.plan.type));
  const Mask mask = take_mask();
  if (from.dimensions() == 1) source.form = Form::plain;  // bytes of elements are no dimension
  const bool turned = source.transposed();
  if (&from == &to && !turned && source.section() == target.section()) return;  // onto itself
  if (turned && from.opaque())
    throw Error(ErrorKind::unsupported, "elements of type " + std::to_string(from.plan.type) +
                                            " are copied without transposition only");
  if (source.shape() == target.shape()) {
    if (!mask.complete() && !turned && &from != &to)
      with_datatype(target.array.type(), [&]<class T>(T) {
        combine<T>(source, source, target, [](T x, T) { return x; }, mask);
      });
    else
      copy(source, target);
  } else {
    Shaped operand(source, target.shape());
    copy_in_order(operand.view(), target);
  }
}

namespace {

/// Ends the job, as in GA, where integers were divided by zero.
void refuse_zeros(std::int64_t zeros) {
  if (zeros > 0)
    throw Error(ErrorKind::value, "division of integers by zero: the divisor holds " +
                                      std::to_string(zeros) + (zeros == 1 ? " zero" : " zeros"));
}

/// f(x, y) of numbers; of integers without a sign, whose overflow is defined.
template <class T, class F>
T wrapped(T x, T y, const F& f) {
  if constexpr (std::integral<T>)
    return static_cast<T>(f(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
  else
    return f(x, y);
}

/// all(number) where every process passes the same and waits for the others; else each one's own
/// part becomes own(element, its number).
template <class All, class Own>
void with_number(const MutableView& a, const void* value, const All& all, const Own& own) {
  const Mask mask = take_mask();
  if (mask.complete())
    if (const std::optional<Scalar> common = common_number(a, value)) return all(*common);
  with_datatype(a.array.type(), [&]<class T>(T) {
    T mine;
    std::memcpy(&mine, value, sizeof mine);
    change<T>(a, [&](T x) { return wrapped(x, mine, own); }, mask);
  });
}

}  // namespace

void set_to_zero(const MutableView& a) {
  const Mask mask = take_mask();
  if (mask.complete()) return zero(a);
  with_datatype(a.array.type(), [&]<class T>(T) { change<T>(a, [](T) { return T{}; }, mask); });
}

void fill_with(const MutableView& a, const void* value) {
  with_number(a, value, [&](const Scalar& x) { fill(a, x); }, [](auto, auto y) { return y; });
}
void scale_by(const MutableView& a, const void* factor) {
  with_number(
      a, factor, [&](const Scalar& x) { scale(a, x); }, [](auto x, auto y) { return x * y; });
}
void add_number(const MutableView& a, const void* number) {
  with_number(
      a, number, [&](const Scalar& x) { add_constant(a, x); },
      [](auto x, auto y) { return x + y; });
}
void absolute_values(const MutableView& a) { absolute(a, a); }
void reciprocals(const MutableView& a) {
  if (!is_integer(a.array.type())) return reciprocal(a, a);
  std::int64_t zeros = 0;
  with_datatype(a.array.type(), [&]<class T>(T) {
    combine<T>(a, a, a, [&zeros](T x, T) {
      if (x == T(0)) ++zeros;
      return x == T(0) ? x : static_cast<T>(T(1) / x);
    });
  });
  refuse_zeros(a.array.group().reduce(zeros, Reduction::sum));
}

namespace {
struct Seed {
  std::int64_t last = 0;
};
}  // namespace

void randomize(const MutableView& a, const void* value) {
  // Another one each time, the same ones in each run. Processes may have filled arrays of smaller
  // groups before: all go on from the one that is farthest.
  std::int64_t& seed = Runtime::get().keep<Seed>().last;
  seed = a.array.group().reduce(seed + 1, Reduction::maximum);
  random_fill(a.array, static_cast<std::uint64_t>(seed));
  const Scalar limit = number_for(a, value);
  with_datatype(a.array.type(), [&]<class T>(T) {
    const T up_to = limit.as<T>();
    combine<T>(a, a, a, [up_to](T x, T) {
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<double>(x) * 0x1p-31 * static_cast<double>(up_to));
      else if constexpr (std::is_floating_point_v<T>)
        return x * up_to;
      else
        return T(x.real() * up_to.real(), x.imag() * up_to.imag());
    });
  });
}

namespace {

/// The processes' own parts of c = alpha a + beta b, each with the numbers that it passes.
void add_own(const void* alpha, const View& a, const void* beta, const View& b,
             const MutableView& c, Mask mask) {
  check_equal(a, c);
  check_equal(b, c);
  with_datatype(c.array.type(), [&]<class T>(T) {
    T for_a, for_b;
    std::memcpy(&for_a, alpha, sizeof for_a);
    std::memcpy(&for_b, beta, sizeof for_b);
    const auto times = [](auto u, auto v) { return u * v; };
    const auto plus = [](auto u, auto v) { return u + v; };
    combine<T>(
        a, b, c,
        [&](T x, T y) { return wrapped(wrapped(for_a, x, times), wrapped(for_b, y, times), plus); },
        mask);
  });
}

}  // namespace

void add_scaled(const void* alpha, const View& a, const void* beta, const View& b,
                const MutableView& c) {
  const Mask mask = take_mask();
  if (!mask.complete() && a.shape() == c.shape() && b.shape() == c.shape())
    return add_own(alpha, a, beta, b, c, mask);
  const std::optional<Scalar> for_a = common_number(c, alpha), for_b = common_number(c, beta);
  in_shape_of(c, a, b, [&](const View& left, const View& right) {
    if (for_a && for_b)
      add(*for_a, left, *for_b, right, c);
    else
      add_own(alpha, left, beta, right, c, {});
  });
}

void multiply_elements(const View& a, const View& b, const MutableView& c) {
  in_shape_of(c, a, b, [&](const View& left, const View& right) { multiply(left, right, c); });
}

void divide_elements(const View& a, const View& b, const MutableView& c) {
  in_shape_of(c, a, b,
              [&](const View& left, const View& right) { refuse_zeros(divide(left, right, c)); });
}

void minimum_elements(const View& a, const View& b, const MutableView& c) {
  if (is_complex(c.array.type())) return choose_complex(a, b, c, std::less<>());
  in_shape_of(c, a, b, [&](const View& left, const View& right) { minimum(left, right, c); });
}

void maximum_elements(const View& a, const View& b, const MutableView& c) {
  if (is_complex(c.array.type())) return choose_complex(a, b, c, std::greater<>());
  in_shape_of(c, a, b, [&](const View& left, const View& right) { maximum(left, right, c); });
}

void step_divide_elements(const View& a, const View& b, const MutableView& c) {
  divide_for_steps(a, b, c, 1);
}

void stepb_divide_elements(const View& a, const View& b, const MutableView& c) {
  divide_for_steps(a, b, c, -1);
}

void median_elements(const View& a, const View& b, const View& c, const MutableView& m) {
  Shaped third(c, m.shape());
  in_shape_of(m, a, b, [&](const View& first_one, const View& second) {
    if (!is_complex(m.array.type())) return median(first_one, second, third.view(), m);
    ArrayOptions options;
    options.zero = false;
    options.mirrored = m.array.mirrored();
    AnyArray less(m.array.whole_group(), m.shape(), m.array.type(), options),
        more = less.duplicate({}, false);
    minimum_elements(first_one, second, less);
    maximum_elements(first_one, second, more);
    minimum_elements(more, third.view(), more);
    maximum_elements(less, more, m);
  });
}

}  // namespace lagoon::atoll::ga

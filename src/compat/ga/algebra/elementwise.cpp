#include "compat/ga/algebra/elementwise.hpp"

#include <cmath>
#include <complex>
#include <concepts>
#include <string>

#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "compat/ga/algebra/combine.hpp"
#include "compat/ga/algebra/reshape.hpp"
#include "compat/ga/algebra/steps.hpp"
#include "compat/ga/runtime.hpp"

namespace lagoon::atoll::ga {

namespace {

/// work(a, b) with both in c's shape.
template <class F>
void in_shape_of(const Section& c, const Section& a, const Section& b, const F& work) {
  Shaped left(a, c.shape()), right(b, c.shape());
  work(left.section(), right.section());
}

void check_equal(const Section& a, const Section& c) {
  if (a.array.type() != c.array.type())
    throw Error(ErrorKind::type, "elements of '" + a.array.name() + "' are " +
                                     std::string(name_of(a.array.type())) + ", those of '" +
                                     c.array.name() + "' " + std::string(name_of(c.array.type())));
  if (a.shape() != c.shape())
    throw Error(ErrorKind::value, "patch " + a.patch.to_string() + " of '" + a.array.name() +
                                      "' does not fit patch " + c.patch.to_string() + " of '" +
                                      c.array.name() + "'");
}

/// c = f(a, b), where f takes elements of any type.
template <class F>
void combine_elements_of(const Section& a, const Section& b, const Section& c, const F& f) {
  in_shape_of(c, a, b, [&](const Section& left, const Section& right) {
    check_equal(left, c);
    check_equal(right, c);
    with_element_type(c.array.type(), [&]<class T>(T) { combine<T>(left, right, c, f); });
  });
}

/// c = the one of a and b that comes first in an order of moduli, b where they are equal.
template <class Order>
void choose_complex(const Section& a, const Section& b, const Section& c, Order order) {
  combine_elements_of(a, b, c, [order]<class T>(T x, T y) {
    if constexpr (std::unsigned_integral<T>)
      return order(y, x) ? y : x;
    else
      return order(std::abs(x), std::abs(y)) ? x : y;
  });
}

/// b = 0, and a = 0 where the divisor has this sign: as many steps as one likes.
void divide_for_steps(const Section& a, const Section& b, const Section& c, int free_sign) {
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

bool is_transposed(char character) {
  switch (character) {
    case 'n':
    case 'N': return false;
    case 't':
    case 'T': return true;
    default:
      throw Error(ErrorKind::value,
                  "the transposition is '" + std::string(1, character) + "'; expected n or t");
  }
}

void copy_elements(const GlobalArray& from, const Section& source, const GlobalArray& to,
                   const Section& target, bool transposed) {
  if (from.type().element != to.type().element || from.type().bytes != to.type().bytes)
    throw Error(ErrorKind::type, "elements are of types " + std::to_string(from.plan.type) +
                                     " and " + std::to_string(to.plan.type));
  const bool turned = transposed && from.dimensions() > 1;
  if (&from == &to && !turned && source.patch == target.patch) return;  // onto itself
  if (turned && from.opaque())
    throw Error(ErrorKind::unsupported, "elements of type " + std::to_string(from.plan.type) +
                                            " are copied without transposition only");
  if (shape_of(source, turned) != target.shape()) {
    Shaped operand(source, turned, target.shape());
    copy_in_order(operand.section(), target);
  } else if (turned) {
    copy(source.array, source.patch, target.array, target.patch, Transpose::yes);
  } else {
    with([](auto&... arguments) { copy(arguments...); }, source, target);
  }
}

void zero_elements(const Section& a) {
  with([](auto&... arguments) { zero(arguments...); }, a);
}

void fill_with(const Section& a, const void* value) {
  with([&](auto&... arguments) { fill(arguments..., number_for(a, value)); }, a);
}

void scale_by(const Section& a, const void* factor) {
  with([&](auto&... arguments) { scale(arguments..., number_for(a, factor)); }, a);
}

void add_number(const Section& a, const void* number) {
  with([&](auto&... arguments) { add_constant(arguments..., number_for(a, number)); }, a);
}

void absolute_values(const Section& a) {
  with([](auto&... arguments) { absolute(arguments...); }, a, a);
}

void reciprocals(const Section& a) {
  with([](auto&... arguments) { reciprocal(arguments...); }, a, a);
}

namespace {
struct Seed {
  std::int64_t last = 0;
};
}  // namespace

void randomize(const Section& a, const void* value) {
  // Another one each time, the same ones in each run. Processes may have filled arrays of smaller
  // groups before: all go on from the one that is farthest.
  std::int64_t& seed = Runtime::get().keep<Seed>().last;
  seed = a.array.group().reduce(seed + 1, Reduction::maximum);
  random_fill(a.array, static_cast<std::uint64_t>(seed));
  const Scalar limit = number_for(a, value);
  with_element_type(a.array.type(), [&]<class T>(T) {
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

void add_scaled(const void* alpha, const Section& a, const void* beta, const Section& b,
                const Section& c) {
  const Scalar for_a = number_for(c, alpha), for_b = number_for(c, beta);
  in_shape_of(c, a, b, [&](const Section& left, const Section& right) {
    if (left.all && right.all && c.all)
      add(for_a, left.array, for_b, right.array, c.array);
    else
      add(for_a, left.array, left.patch, for_b, right.array, right.patch, c.array, c.patch);
  });
}

void multiply_elements(const Section& a, const Section& b, const Section& c) {
  in_shape_of(c, a, b, [&](const Section& left, const Section& right) {
    with([](auto&... arguments) { multiply(arguments...); }, left, right, c);
  });
}

void divide_elements(const Section& a, const Section& b, const Section& c) {
  in_shape_of(c, a, b, [&](const Section& left, const Section& right) {
    std::int64_t zeros = 0;
    with([&](auto&... arguments) { zeros = divide(arguments...); }, left, right, c);
    if (zeros > 0)  // ends the job, as in GA
      throw Error(ErrorKind::value, "division of integers by zero: the divisor holds " +
                                        std::to_string(zeros) + (zeros == 1 ? " zero" : " zeros"));
  });
}

void minimum_elements(const Section& a, const Section& b, const Section& c) {
  if (is_complex(c.array.type())) return choose_complex(a, b, c, std::less<>());
  in_shape_of(c, a, b, [&](const Section& left, const Section& right) {
    with([](auto&... arguments) { minimum(arguments...); }, left, right, c);
  });
}

void maximum_elements(const Section& a, const Section& b, const Section& c) {
  if (is_complex(c.array.type())) return choose_complex(a, b, c, std::greater<>());
  in_shape_of(c, a, b, [&](const Section& left, const Section& right) {
    with([](auto&... arguments) { maximum(arguments...); }, left, right, c);
  });
}

void step_divide_elements(const Section& a, const Section& b, const Section& c) {
  divide_for_steps(a, b, c, 1);
}

void stepb_divide_elements(const Section& a, const Section& b, const Section& c) {
  divide_for_steps(a, b, c, -1);
}

void median_elements(const Section& a, const Section& b, const Section& c, const Section& m) {
  Shaped third(c, m.shape());
  in_shape_of(m, a, b, [&](const Section& first_one, const Section& second) {
    with([](auto&... arguments) { median(arguments...); }, first_one, second, third.section(), m);
  });
}

}  // namespace lagoon::atoll::ga

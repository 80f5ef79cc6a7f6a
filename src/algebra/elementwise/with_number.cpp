// What an array and one number give, and the negative: a pass over the array's own memory.
#include <string>

#include "algebra/core/operands.hpp"
#include "atoll/algebra.hpp"
#include "atoll/error.hpp"
#include "world/arithmetic.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll {

namespace {

using detail::Views;

/// `f` by value: nothing that it holds can then be taken for an element that the loop writes.
template <Element T, class F>
ATOLL_EACH_PROCESSOR_OF_TEMPLATE void each_element(std::int64_t count, const T* x, T* out, F f) {
  ATOLL_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < count; ++i) out[i] = f(x[i]);
}

template <Element T, class F>
void pass(const Views<1>& inputs, const MutableView& out, const F& f) {
  detail::transform_operands<T>(inputs, out, [&](std::int64_t count, const auto& in, T* result) {
    each_element(count, in[0], result, f);
  });
}

/// Minus one times a number is its negative to the last bit, but for complex ones.
template <Element T>
T negated(T a) {
  if constexpr (detail::is_complex_type<T>)
    return -a;
  else
    return detail::times(T(-1), a);
}

template <Element T>
void compute(NumberOperation operation, const Views<1>& inputs, T number, const MutableView& out) {
  switch (operation) {
    case NumberOperation::plus:
      return pass<T>(inputs, out, [number](T x) { return detail::plus(x, number); });
    case NumberOperation::minus:
      return pass<T>(inputs, out, [number](T x) { return detail::plus(x, negated(number)); });
    case NumberOperation::from:
      return pass<T>(inputs, out, [number](T x) { return detail::plus(number, negated(x)); });
    case NumberOperation::times:
      return pass<T>(inputs, out, [number](T x) { return detail::times(x, number); });
    case NumberOperation::over:
      return pass<T>(inputs, out, [number](T x) { return detail::quotient(x, number); });
    case NumberOperation::under:
      return pass<T>(inputs, out, [number](T x) { return detail::quotient(number, x); });
  }
}

}  // namespace

void with_number(NumberOperation operation, const View& a, const Scalar& value,
                 const MutableView& b) {
  const bool divides = operation == NumberOperation::over || operation == NumberOperation::under;
  const auto check = [&] {
    detail::check_scalar(value, b.array, "the number");
    if (divides && is_integer(b.array.type()))
      throw Error(ErrorKind::type, detail::description(b.array) + " holds " +
                                       std::string(name_of(b.array.type())) +
                                       "; integers are divided by `divide`");
  };
  const Views<1> inputs{a};
  const auto which = static_cast<std::uint64_t>(operation);
  detail::writing("with_number", inputs, b, detail::hash_of(which, value), check, [&] {
    with_computed_type(b.array.type(),
                       [&]<class T>(T) { compute<T>(operation, inputs, value.as<T>(), b); });
  });
}

void negative(const View& a, const MutableView& b) {
  const auto check = [&] {
    if (traits_of(b.array.type()).boolean)
      throw Error(ErrorKind::type,
                  detail::description(b.array) + " holds bool, which has no negatives");
  };
  const Views<1> inputs{a};
  detail::writing("negative", inputs, b, 0, check, [&] {
    with_computed_type(b.array.type(),
                       [&]<class T>(T) { pass<T>(inputs, b, [](T x) { return negated(x); }); });
  });
}

}  // namespace lagoon::atoll

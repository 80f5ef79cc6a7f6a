// Element-wise algebra for Python.
#include <array>
#include <cfenv>
#include <cstdint>
#include <span>
#include <type_traits>

#include "atoll/algebra.hpp"
#include "atoll/line_search.hpp"
#include "bindings.hpp"
#include "entry.hpp"
#include "numpy.hpp"
#include "operand.hpp"

namespace lagoon::atoll::python {

namespace {

/// Does what may hit the limits of numbers, and tells in NumPy's bits what did on any rank: 1
/// division by zero, 2 overflow, 4 underflow, 8 an invalid operation. `f` gives how often it
/// divided integers by zero, on all ranks together.
template <class F>
int watched(const AnyArray& target, const F& f) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const std::int64_t zeros = waiting(f);
  if (is_integer(target.type())) return zeros > 0 ? 1 : 0;
  std::array<std::int32_t, 4> met{};
  constexpr std::array flags{FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INVALID};
  for (std::size_t i = 0; i < flags.size(); ++i) met[i] = std::fetestexcept(flags[i]) != 0 ? 1 : 0;
  waiting([&] { target.group().reduce(std::span<std::int32_t>(met), Reduction::maximum); });
  return met[0] | met[1] << 1 | met[2] << 2 | met[3] << 3;
}

void bind_in_place(nb::module_& m, const char* name, void (*f)(const MutableView&, const Scalar&),
                   Rule rule = Rule::same_kind) {
  m.def(
      name,
      [f, rule](const Operand& a, nb::handle value) {
        const MutableView target = a.write();
        const Scalar scalar = scalar_from(value, target.array.type(), "the value", rule);
        waiting([&] { f(target, scalar); });
      },
      nb::arg("a"), nb::arg("value").none());
}

void bind_unary(nb::module_& m, const char* name, void (*f)(const View&, const MutableView&)) {
  m.def(
      name,
      [f](const Operand& a, const Operand& b) {
        const View source = a.read();
        const MutableView target = b.write();
        waiting([&] { f(source, target); });
      },
      nb::arg("a"), nb::arg("b"));
}

/// `told`: whether what it meets is.
template <class Result>
void bind_binary(nb::module_& m, const char* name,
                 Result (*f)(const View&, const View&, const MutableView&), bool told = true) {
  m.def(
      name,
      [f, told](const Operand& a, const Operand& b, const Operand& c) {
        const View first = a.read(), second = b.read();
        const MutableView target = c.write();
        const auto compute = [&]() -> std::int64_t {
          if constexpr (std::is_void_v<Result>) {
            f(first, second, target);
            return 0;
          } else {
            return f(first, second, target);
          }
        };
        if (told) return watched(target.array, compute);
        waiting(compute);
        return 0;
      },
      nb::arg("a"), nb::arg("b"), nb::arg("c"));
}

int add_arrays(nb::handle alpha, const Operand& a, nb::handle beta, const Operand& b,
               const Operand& c) {
  const View first = a.read(), second = b.read();
  const MutableView target = c.write();
  const Scalar factor_a = scalar_from(alpha, target.array.type(), "alpha"),
               factor_b = scalar_from(beta, target.array.type(), "beta");
  return watched(target.array, [&] {
    add(factor_a, first, factor_b, second, target);
    return 0;
  });
}

template <NumberOperation operation>
int with_one_number(const Operand& a, nb::handle number, const Operand& b) {
  const View source = a.read();
  const MutableView target = b.write();
  const Scalar scalar = scalar_from(number, target.array.type(), "the number");
  return watched(target.array, [&] {
    with_number(operation, source, scalar, target);
    return 0;
  });
}

void median_of(const Operand& a, const Operand& b, const Operand& c, const Operand& m) {
  const View first = a.read(), second = b.read(), third = c.read();
  const MutableView target = m.write();
  waiting([&] { median(first, second, third, target); });
}

double largest_step(const Operand& x, const Operand& v) {
  const View from = x.read(), along = v.read();
  return waiting([&] { return step_max(from, along); });
}

nb::tuple steps_to_bounds(const Operand& x, const Operand& v, const Operand& lower,
                          const Operand& upper) {
  const View from = x.read(), along = v.read(), low = lower.read(), high = upper.read();
  const StepBounds found = waiting([&] { return step_bound_info(from, along, low, high); });
  return nb::make_tuple(found.bound_min, found.wolfe_min, found.bound_max);
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  bind_in_place(m, "fill", &fill, Rule::assign);
  bind_in_place(m, "scale", &scale);
  bind_in_place(m, "add_constant", &add_constant);
  bind_unary(m, "absolute", &absolute);
  bind_unary(m, "reciprocal", &reciprocal);
  bind_binary<void>(m, "multiply", &multiply);
  bind_binary<std::int64_t>(m, "divide", &divide);
  bind_binary<void>(m, "minimum", &minimum, false);  // comparing with NaN is nothing in NumPy
  bind_binary<void>(m, "maximum", &maximum, false);
  m.def("add", &add_arrays, nb::arg("alpha").none(), nb::arg("a"), nb::arg("beta").none(),
        nb::arg("b"), nb::arg("c"));
  bind_unary(m, "negative", &negative);
  const auto number = nb::arg("number").none();
  m.def("plus_number", &with_one_number<NumberOperation::plus>, nb::arg("a"), number, nb::arg("b"));
  m.def("minus_number", &with_one_number<NumberOperation::minus>, nb::arg("a"), number,
        nb::arg("b"));
  m.def("number_minus", &with_one_number<NumberOperation::from>, nb::arg("a"), number,
        nb::arg("b"));
  m.def("times_number", &with_one_number<NumberOperation::times>, nb::arg("a"), number,
        nb::arg("b"));
  m.def("over_number", &with_one_number<NumberOperation::over>, nb::arg("a"), number, nb::arg("b"));
  m.def("number_over", &with_one_number<NumberOperation::under>, nb::arg("a"), number,
        nb::arg("b"));
  m.def("median", &median_of, nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("m"));
  m.def("step_max", &largest_step, nb::arg("x"), nb::arg("v"));
  m.def("step_bound_info", &steps_to_bounds, nb::arg("x"), nb::arg("v"), nb::arg("lower"),
        nb::arg("upper"),
        nb::sig("def step_bound_info(x: ArrayBase | ViewBase, v: ArrayBase | ViewBase, lower: "
                "ArrayBase | ViewBase, upper: ArrayBase | ViewBase) -> "
                "tuple[float, float, float]"));
}

}  // namespace lagoon::atoll::python

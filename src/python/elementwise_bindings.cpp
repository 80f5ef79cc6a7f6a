// Element-wise algebra on patches for Python: every operand may come with a key.
#include <array>
#include <cfenv>
#include <cstdint>
#include <span>
#include <type_traits>

#include "array_object.hpp"
#include "atoll/algebra.hpp"
#include "atoll/line_search.hpp"
#include "bindings.hpp"
#include "numpy.hpp"
#include "operands.hpp"

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

void bind_in_place(nb::module_& m, const char* name,
                   void (*f)(AnyArray&, const Patch&, const Scalar&)) {
  m.def(
      name,
      [f](const ArrayObject& a, nb::handle value, nb::handle key) {
        AnyArray& array = a.get();
        const Scalar scalar = scalar_from(value, array.type());
        const Patch patch = patch_or_all(key, array);
        waiting([&] { f(array, patch, scalar); });
      },
      nb::arg("a"), nb::arg("value"), nb::arg("key").none() = nb::none());
}

void bind_unary(nb::module_& m, const char* name,
                void (*f)(const AnyArray&, const Patch&, AnyArray&, const Patch&)) {
  m.def(
      name,
      [f](const ArrayObject& a, const ArrayObject& b, nb::handle a_key, nb::handle b_key) {
        const AnyArray& source = a.get();
        AnyArray& target = b.get();
        const Patch p = patch_or_all(a_key, source), q = patch_or_all(b_key, target);
        waiting([&] { f(source, p, target, q); });
      },
      nb::arg("a"), nb::arg("b"), nb::arg("a_key").none() = nb::none(),
      nb::arg("b_key").none() = nb::none());
}

/// `told`: whether what it meets is.
template <class Result>
void bind_binary(nb::module_& m, const char* name,
                 Result (*f)(const AnyArray&, const Patch&, const AnyArray&, const Patch&,
                             AnyArray&, const Patch&),
                 bool told = true) {
  m.def(
      name,
      [f, told](const ArrayObject& a, const ArrayObject& b, const ArrayObject& c, nb::handle a_key,
                nb::handle b_key, nb::handle c_key) {
        const AnyArray &first = a.get(), &second = b.get();
        AnyArray& target = c.get();
        const Patch p = patch_or_all(a_key, first), q = patch_or_all(b_key, second),
                    r = patch_or_all(c_key, target);
        const auto compute = [&]() -> std::int64_t {
          if constexpr (std::is_void_v<Result>) {
            f(first, p, second, q, target, r);
            return 0;
          } else {
            return f(first, p, second, q, target, r);
          }
        };
        if (told) return watched(target, compute);
        waiting(compute);
        return 0;
      },
      nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("a_key").none() = nb::none(),
      nb::arg("b_key").none() = nb::none(), nb::arg("c_key").none() = nb::none());
}

int add_arrays(nb::handle alpha, const ArrayObject& a, nb::handle beta, const ArrayObject& b,
               const ArrayObject& c, nb::handle a_key, nb::handle b_key, nb::handle c_key) {
  const AnyArray &first = a.get(), &second = b.get();
  AnyArray& target = c.get();
  const Scalar factor_a = scalar_from(alpha, target.type()),
               factor_b = scalar_from(beta, target.type());
  const Patch p = patch_or_all(a_key, first), q = patch_or_all(b_key, second),
              r = patch_or_all(c_key, target);
  return watched(target, [&] {
    add(factor_a, first, p, factor_b, second, q, target, r);
    return 0;
  });
}

void median_of(const ArrayObject& a, const ArrayObject& b, const ArrayObject& c,
               const ArrayObject& m, nb::handle a_key, nb::handle b_key, nb::handle c_key,
               nb::handle m_key) {
  const AnyArray &first = a.get(), &second = b.get(), &third = c.get();
  AnyArray& target = m.get();
  const Patch p = patch_or_all(a_key, first), q = patch_or_all(b_key, second),
              r = patch_or_all(c_key, third), s = patch_or_all(m_key, target);
  waiting([&] { median(first, p, second, q, third, r, target, s); });
}

double largest_step(const ArrayObject& x, const ArrayObject& v, nb::handle x_key,
                    nb::handle v_key) {
  const AnyArray &from = x.get(), &along = v.get();
  const Patch p = patch_or_all(x_key, from), q = patch_or_all(v_key, along);
  return waiting([&] { return step_max(from, p, along, q); });
}

nb::tuple steps_to_bounds(const ArrayObject& x, const ArrayObject& v, const ArrayObject& lower,
                          const ArrayObject& upper, nb::handle x_key, nb::handle v_key,
                          nb::handle lower_key, nb::handle upper_key) {
  const AnyArray &from = x.get(), &along = v.get(), &low = lower.get(), &high = upper.get();
  const Patch p = patch_or_all(x_key, from), q = patch_or_all(v_key, along),
              r = patch_or_all(lower_key, low), s = patch_or_all(upper_key, high);
  const StepBounds found =
      waiting([&] { return step_bound_info(from, p, along, q, low, r, high, s); });
  return nb::make_tuple(found.bound_min, found.wolfe_min, found.bound_max);
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  bind_in_place(m, "scale", &scale);
  bind_in_place(m, "add_constant", &add_constant);
  bind_unary(m, "absolute", &absolute);
  bind_unary(m, "reciprocal", &reciprocal);
  bind_binary(m, "multiply", &multiply);
  bind_binary(m, "divide", &divide);
  bind_binary(m, "minimum", &minimum, false);  // comparing with NaN is nothing in NumPy
  bind_binary(m, "maximum", &maximum, false);
  m.def("add", &add_arrays, nb::arg("alpha"), nb::arg("a"), nb::arg("beta"), nb::arg("b"),
        nb::arg("c"), nb::arg("a_key").none() = nb::none(), nb::arg("b_key").none() = nb::none(),
        nb::arg("c_key").none() = nb::none());
  m.def("median", &median_of, nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("m"),
        nb::arg("a_key").none(), nb::arg("b_key").none(), nb::arg("c_key").none(),
        nb::arg("m_key").none());
  m.def("step_max", &largest_step, nb::arg("x"), nb::arg("v"), nb::arg("x_key").none(),
        nb::arg("v_key").none());
  m.def("step_bound_info", &steps_to_bounds, nb::arg("x"), nb::arg("v"), nb::arg("lower"),
        nb::arg("upper"), nb::arg("x_key").none(), nb::arg("v_key").none(),
        nb::arg("lower_key").none(), nb::arg("upper_key").none(),
        nb::sig("def step_bound_info(x: ArrayBase, v: ArrayBase, lower: ArrayBase, upper: "
                "ArrayBase, x_key: object | None, v_key: object | None, lower_key: object | None, "
                "upper_key: object | None) -> tuple[float, float, float]"));
}

}  // namespace lagoon::atoll::python

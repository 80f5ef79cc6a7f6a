// Algebra of patches with bounds of 64 bits: the same as with narrow ones on a copy, and what loops
// say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include "algebra_serial.hpp"

namespace algebra_test {

namespace {

using Narrow = std::vector<int>;
using Wide = std::vector<int64_t>;

/// A patch with bounds of both widths.
struct Part {
  explicit Part(const Bounds& bounds)
      : lo(bounds.lo),
        hi(bounds.hi),
        wide_lo(lo.begin(), lo.end()),
        wide_hi(hi.begin(), hi.end()) {}
  Narrow lo, hi;
  Wide wide_lo, wide_hi;
};

/// Two arrays of the same numbers, to change one by narrow and one by wide bounds, and the patch to
/// change.
template <class T>
struct Twins {
  Twins(const std::vector<int>& shape, const Bounds& patch, Chance& chance)
      : narrow(shape, chance), wide(shape, chance), bounds(patch), part(patch) {
    wide.values = narrow.values;
    wide.write();
  }
  /// Both have the values that f makes of those of the patch and their number in it.
  template <class F>
  void expect(F&& f) {
    const std::vector<std::size_t> places = narrow.places(bounds);
    for (std::size_t i = 0; i < places.size(); ++i)
      narrow.values[places[i]] = f(narrow.values[places[i]], i);
    EXPECT_EQ(narrow.read(), narrow.values);
    EXPECT_EQ(wide.read(), narrow.values);
  }
  T in_patch(std::size_t i) const { return narrow.values[narrow.places(bounds)[i]]; }

  Twin<T> narrow, wide;
  Bounds bounds;
  Part part;
};

using Unary = void(int, int*, int*);
using Unary64 = void(int, int64_t*, int64_t*);
using Binary = void(int, int*, int*, int, int*, int*, int, int*, int*);
using Binary64 = void(int, int64_t*, int64_t*, int, int64_t*, int64_t*, int, int64_t*, int64_t*);

/// Parts of 3 x 4 elements of arrays of different shapes.
class WideAlgebra : public testing::Test {
 protected:
  void check(Unary* call, Unary64* call64, const std::function<double(double)>& f) {
    c.expect([](double x, std::size_t) { return x; });
    call(c.narrow.handle(), c.part.lo.data(), c.part.hi.data());
    call64(c.wide.handle(), c.part.wide_lo.data(), c.part.wide_hi.data());
    c.expect([&](double x, std::size_t) { return f(x); });
  }
  void check(Binary* call, Binary64* call64, const std::function<double(double, double)>& f) {
    call(a.narrow.handle(), a.part.lo.data(), a.part.hi.data(), b.narrow.handle(), b.part.lo.data(),
         b.part.hi.data(), c.narrow.handle(), c.part.lo.data(), c.part.hi.data());
    call64(a.narrow.handle(), a.part.wide_lo.data(), a.part.wide_hi.data(), b.narrow.handle(),
           b.part.wide_lo.data(), b.part.wide_hi.data(), c.wide.handle(), c.part.wide_lo.data(),
           c.part.wide_hi.data());
    c.expect([&](double, std::size_t i) { return f(a.in_patch(i), b.in_patch(i)); });
  }

  Chance chance{64};
  Twins<double> a{{5, 6}, {{1, 2}, {3, 5}}, chance}, b{{3, 7}, {{0, 3}, {2, 6}}, chance},
      c{{6, 4}, {{2, 0}, {4, 3}}, chance};
};

TEST_F(WideAlgebra, CombinesElements) {
  check(GA_Elem_multiply_patch, GA_Elem_multiply_patch64, std::multiplies<>());
  check(GA_Elem_divide_patch, GA_Elem_divide_patch64, std::divides<>());
  check(GA_Elem_maximum_patch, GA_Elem_maximum_patch64,
        [](double x, double y) { return std::max(x, y); });
  check(GA_Elem_minimum_patch, GA_Elem_minimum_patch64,
        [](double x, double y) { return std::min(x, y); });
}

TEST_F(WideAlgebra, ChangesElements) {
  check(GA_Abs_value_patch, GA_Abs_value_patch64, [](double x) { return std::abs(x); });
  check(GA_Recip_patch, GA_Recip_patch64, [](double x) { return 1 / x; });
  check(NGA_Zero_patch, NGA_Zero_patch64, [](double) { return 0.0; });
}

TEST_F(WideAlgebra, ChangesElementsByANumber) {
  double number = 3.5;
  int narrow = a.narrow.handle(), wide = a.wide.handle();
  int *lo = a.part.lo.data(), *hi = a.part.hi.data();
  int64_t *wide_lo = a.part.wide_lo.data(), *wide_hi = a.part.wide_hi.data();
  GA_Add_constant_patch(narrow, lo, hi, &number);
  GA_Add_constant_patch64(wide, wide_lo, wide_hi, &number);
  a.expect([](double x, std::size_t) { return x + 3.5; });
  NGA_Scale_patch(narrow, lo, hi, &number);
  NGA_Scale_patch64(wide, wide_lo, wide_hi, &number);
  a.expect([](double x, std::size_t) { return x * 3.5; });
  NGA_Fill_patch(narrow, lo, hi, &number);
  NGA_Fill_patch64(wide, wide_lo, wide_hi, &number);
  a.expect([](double, std::size_t) { return 3.5; });
}

TEST_F(WideAlgebra, AddsAndCopies) {
  double alpha = 2, beta = -3;
  NGA_Add_patch(&alpha, a.narrow.handle(), a.part.lo.data(), a.part.hi.data(), &beta,
                b.narrow.handle(), b.part.lo.data(), b.part.hi.data(), c.narrow.handle(),
                c.part.lo.data(), c.part.hi.data());
  NGA_Add_patch64(&alpha, a.narrow.handle(), a.part.wide_lo.data(), a.part.wide_hi.data(), &beta,
                  b.narrow.handle(), b.part.wide_lo.data(), b.part.wide_hi.data(), c.wide.handle(),
                  c.part.wide_lo.data(), c.part.wide_hi.data());
  c.expect([&](double, std::size_t i) { return 2 * a.in_patch(i) - 3 * b.in_patch(i); });
  NGA_Copy_patch('n', a.narrow.handle(), a.part.lo.data(), a.part.hi.data(), c.narrow.handle(),
                 c.part.lo.data(), c.part.hi.data());
  NGA_Copy_patch64('n', a.narrow.handle(), a.part.wide_lo.data(), a.part.wide_hi.data(),
                   c.wide.handle(), c.part.wide_lo.data(), c.part.wide_hi.data());
  c.expect([&](double, std::size_t i) { return a.in_patch(i); });
}

TEST_F(WideAlgebra, TakesMedians) {
  std::vector<double> third;
  for (std::size_t i = 0; i < 12; ++i) third.push_back(c.in_patch(i));
  GA_Median_patch(a.narrow.handle(), a.part.lo.data(), a.part.hi.data(), b.narrow.handle(),
                  b.part.lo.data(), b.part.hi.data(), c.narrow.handle(), c.part.lo.data(),
                  c.part.hi.data(), c.narrow.handle(), c.part.lo.data(), c.part.hi.data());
  GA_Median_patch64(a.narrow.handle(), a.part.wide_lo.data(), a.part.wide_hi.data(),
                    b.narrow.handle(), b.part.wide_lo.data(), b.part.wide_hi.data(),
                    c.wide.handle(), c.part.wide_lo.data(), c.part.wide_hi.data(), c.wide.handle(),
                    c.part.wide_lo.data(), c.part.wide_hi.data());
  c.expect([&](double, std::size_t i) {
    std::vector<double> three{a.in_patch(i), b.in_patch(i), third[i]};
    std::ranges::sort(three);
    return three[1];
  });
}

TEST_F(WideAlgebra, FindsSteps) {
  Twin<double> x({4}, chance), direction({4}, chance), lower({4}, chance), upper({4}, chance);
  x.values = {9, 1, 2, 3};
  direction.values = {9, 1, -1, 2};
  lower.values = {0, 0, 0, 0};
  upper.values = {0, 5, 5, 5};
  for (Twin<double>* each : {&x, &direction, &lower, &upper}) each->write();
  double step = 0, step64 = 0, bounds[3] = {}, bounds64[3] = {};
  int lo = 1, hi = 3;
  int64_t lo64 = 1, hi64 = 3;
  GA_Step_max_patch(x.handle(), &lo, &hi, direction.handle(), &lo, &hi, &step);
  GA_Step_max_patch64(x.handle(), &lo64, &hi64, direction.handle(), &lo64, &hi64, &step64);
  EXPECT_EQ(step, 2);
  EXPECT_EQ(step64, 2);
  GA_Step_bound_info_patch(x.handle(), &lo, &hi, direction.handle(), &lo, &hi, lower.handle(), &lo,
                           &hi, upper.handle(), &lo, &hi, bounds, bounds + 1, bounds + 2);
  GA_Step_bound_info_patch64(x.handle(), &lo64, &hi64, direction.handle(), &lo64, &hi64,
                             lower.handle(), &lo64, &hi64, upper.handle(), &lo64, &hi64, bounds64,
                             bounds64 + 1, bounds64 + 2);
  const double expected[] = {1, 1, 4};
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(bounds[k], expected[k]);
    EXPECT_EQ(bounds64[k], expected[k]);
  }
}

template <class T>
T number(T value) {
  return value;
}
std::complex<float> number(SingleComplex value) { return {value.real, value.imag}; }
std::complex<double> number(DoubleComplex value) { return {value.real, value.imag}; }

/// Sums of products of two patches, by bounds of both widths.
template <class T, class Call, class Call64>
void check_dot(Call call, Call64 call64) {
  Chance chance(11);
  Twin<T> a({5, 6}, chance), b({3, 7}, chance);
  const Bounds bounds_a{{1, 2}, {3, 5}}, bounds_b{{0, 3}, {2, 6}};
  Part in_a(bounds_a), in_b(bounds_b);
  const auto places_a = a.places(bounds_a), places_b = b.places(bounds_b);
  T expected(0);
  for (std::size_t i = 0; i < places_a.size(); ++i)
    expected += a.values[places_a[i]] * b.values[places_b[i]];
  EXPECT_EQ(number(call(a.handle(), 'n', in_a.lo.data(), in_a.hi.data(), b.handle(), 'n',
                        in_b.lo.data(), in_b.hi.data())),
            expected);
  EXPECT_EQ(number(call64(a.handle(), 'n', in_a.wide_lo.data(), in_a.wide_hi.data(), b.handle(),
                          'n', in_b.wide_lo.data(), in_b.wide_hi.data())),
            expected);
}

TEST(WideDots, SumTheSameProducts) {
  check_dot<int>(NGA_Idot_patch, NGA_Idot_patch64);
  check_dot<long>(NGA_Ldot_patch, NGA_Ldot_patch64);
  check_dot<long>(NGA_Lldot_patch, NGA_Lldot_patch64);
  check_dot<float>(NGA_Fdot_patch, NGA_Fdot_patch64);
  check_dot<double>(NGA_Ddot_patch, NGA_Ddot_patch64);
  check_dot<std::complex<float>>(NGA_Cdot_patch, NGA_Cdot_patch64);
  check_dot<std::complex<double>>(NGA_Zdot_patch, NGA_Zdot_patch64);
}

}  // namespace

}  // namespace algebra_test

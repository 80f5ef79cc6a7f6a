// Whole arrays: sums of products in all types, and elements combined, against loops over copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include "algebra_serial.hpp"
#include "atoll/error.hpp"
#include "compat/ga/algebra/elementwise.hpp"

namespace algebra_test {

namespace {

template <class T>
T number(T value) {
  return value;
}
std::complex<float> number(SingleComplex value) { return {value.real, value.imag}; }
std::complex<double> number(DoubleComplex value) { return {value.real, value.imag}; }

template <class T, class Call>
void check_dot(Call call) {
  Chance chance(12);
  Twin<T> a({7, 5}, chance), b({7, 5}, chance);
  T expected(0);
  for (std::size_t i = 0; i < a.values.size(); ++i) expected += a.values[i] * b.values[i];
  EXPECT_EQ(number(call(a.handle(), b.handle())), expected);
}

TEST(AlgebraOfArrays, DotsSumProductsWithoutConjugation) {
  check_dot<int>(GA_Idot);
  check_dot<long>(GA_Ldot);
  check_dot<long>(GA_Lldot);
  check_dot<float>(GA_Fdot);
  check_dot<double>(GA_Ddot);
  check_dot<std::complex<float>>(GA_Cdot);
  check_dot<std::complex<double>>(GA_Zdot);
}

template <class T>
void check(void (*call)(int, int, int), const std::function<T(T, T)>& f) {
  Chance chance(13);
  Twin<T> a({4, 3, 5}, chance), b({4, 3, 5}, chance), c({4, 3, 5}, chance);
  call(a.handle(), b.handle(), c.handle());
  const std::vector<T> found = c.read();
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LT(std::abs(found[i] - f(a.values[i], b.values[i])), 1e-6);
}

TEST(AlgebraOfArrays, IntegersAreNotDividedByZero) {
  namespace ga = lagoon::atoll::ga;
  Chance chance(14);
  const Twin<int> a({4, 3}, chance), b({4, 3}, chance), c({4, 3}, chance);
  GA_Zero(b.handle());
  EXPECT_THROW(ga::divide_elements(ga::elements(a.handle()), ga::elements(b.handle()),
                                   ga::elements(c.handle())),
               lagoon::atoll::Error);
}

TEST(AlgebraOfArrays, ElementsAreDividedAndChosen) {
  check<double>(GA_Elem_divide, std::divides<>());
  check<int>(GA_Elem_divide, std::divides<>());
  check<std::complex<float>>(GA_Elem_divide, std::divides<>());
  check<double>(GA_Elem_maximum, [](double x, double y) { return std::max(x, y); });
  check<long>(GA_Elem_maximum, [](long x, long y) { return std::max(x, y); });
  check<float>(GA_Elem_minimum, [](float x, float y) { return std::min(x, y); });
  check<int>(GA_Elem_minimum, [](int x, int y) { return std::min(x, y); });
}

int taken = 0;
void* take(size_t, int, char*) {
  ++taken;
  return nullptr;
}
void give(void*) { ++taken; }

TEST(AlgebraOfArrays, NeedsNoMemoryOfTheProgram) {
  GA_Register_stack_memory(take, give);
  check<double>(GA_Elem_multiply, std::multiplies<>());
  check_dot<double>(GA_Ddot);
  EXPECT_EQ(taken, 0);
}

TEST(AlgebraOfIntegers, ReciprocalsAreThoseOfC) {
  Chance chance(6);
  Twin<int> a({4, 5}, chance);
  Twin<long> b({11}, chance);
  a.values[3] = 1;
  a.values[7] = -1;
  a.write();
  GA_Recip(a.handle());
  for (int& x : a.values) x = 1 / x;
  EXPECT_EQ(a.read(), a.values);
  int lo[] = {2}, hi[] = {8};
  b.values.assign(11, -1);
  b.values[5] = 7;
  b.write();
  GA_Recip_patch(b.handle(), lo, hi);
  b.values[5] = 0;
  EXPECT_EQ(b.read(), b.values);
}

TEST(AlgebraOfComplexNumbers, TheMedianIsTheOneOfTheMiddleModulus) {
  using Complex = std::complex<double>;
  Chance chance(7);
  Twin<Complex> a({6, 5}, chance), b({6, 5}, chance), c({6, 5}, chance), m({6, 5}, chance);
  for (std::size_t i = 0; i < 30; ++i) {  // of three moduli, in any order
    const auto turn = [](int of_five) { return std::polar(1.0, of_five * 1.3); };
    a.values[i] = (1.0 + static_cast<double>(i % 3)) * turn(static_cast<int>(i % 5));
    b.values[i] = (1.0 + static_cast<double>((i + 1 + i / 6 % 2) % 3)) * turn(2);
    c.values[i] = (1.0 + static_cast<double>((i + 2 - i / 6 % 2) % 3)) * turn(4);
  }
  for (Twin<Complex>* one : {&a, &b, &c}) one->write();
  const auto middle = [&](std::size_t i) {
    std::vector<Complex> three{a.values[i], b.values[i], c.values[i]};
    std::ranges::sort(three, {}, [](Complex z) { return std::abs(z); });
    return three[1];
  };
  int lo[] = {1, 2}, hi[] = {4, 3};
  GA_Median_patch(a.handle(), lo, hi, b.handle(), lo, hi, c.handle(), lo, hi, m.handle(), lo, hi);
  for (const std::size_t i : m.places({{1, 2}, {4, 3}})) m.values[i] = middle(i);
  EXPECT_EQ(m.read(), m.values);
  GA_Median(a.handle(), b.handle(), c.handle(), m.handle());
  for (std::size_t i = 0; i < 30; ++i) m.values[i] = middle(i);
  EXPECT_EQ(m.read(), m.values);
}

}  // namespace

}  // namespace algebra_test

// What does not compile: atomic operations on elements that have none, arrays of several element
// types in one call. And shapes of any range of integers.
#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "atoll/algebra.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
concept Counts = requires(Array<T>& a) {
  a.fetch_add(Index{0}, 1);
  a.swap(Index{0}, 1);
};
static_assert(Counts<std::int32_t> && Counts<std::int64_t>);
static_assert(!Counts<float> && !Counts<double> && !Counts<std::complex<double>>);

template <class A, class B>
concept Together = requires(Array<A>& a, Array<B>& b) {
  multiply(a, b, a);
  add(1, a, 1, b, b);
  minimum(b, a, a);
  (void)divide(a, b, a);
  absolute(a, b);
  dot(a, b);
};
static_assert(Together<double, double> && Together<std::int32_t, std::int32_t>);
static_assert(!Together<double, float> && !Together<std::int64_t, std::int32_t>);
template <class A, class B>
concept Copied = requires(Array<A>& a, Array<B>& b) { copy(a, b); };
static_assert(Copied<float, double>);

static_assert(std::convertible_to<std::vector<int>, Index>);
static_assert(std::convertible_to<std::array<std::size_t, 2>, Index>);
static_assert(std::convertible_to<std::span<const std::int64_t>, Index>);
static_assert(!std::convertible_to<std::string, Index>);
static_assert(!std::convertible_to<std::vector<double>, Index>);

TEST(CompileTime, ShapesAreOfAnyRangeOfIntegers) {
  const std::vector<int> shape{3, 4};
  Array<double> array(world(), shape);
  EXPECT_EQ(array.shape(), (Index{3, 4}));
  EXPECT_EQ(Index(std::array<std::int16_t, 3>{1, 2, 3}), (Index{1, 2, 3}));
  EXPECT_THROW(Index(std::vector<int>(9, 1)), Error);
}

}  // namespace
}  // namespace lagoon::atoll::test

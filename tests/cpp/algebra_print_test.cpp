// print against what NumPy 2 writes (numpy.set_printoptions(threshold=0, edgeitems=3,
// linewidth=100000)), and that only rank 0 of the group writes.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <sstream>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

/// The text behind the heading, on rank 0 of the group; the others must have written nothing, and
/// give back `expected` so that a comparison holds on all ranks.
std::string printed(const AnyArray& array, const std::string& expected, int edge_items = 3) {
  std::ostringstream stream;
  print(array, stream, edge_items);
  const std::string text = stream.str();
  if (array.group().rank() != 0) return text.empty() ? expected : "written: " + text;
  return text.substr(text.find('\n') + 1);
}

template <Element T>
void expect_text(const Index& shape, const std::vector<T>& values, const std::string& expected) {
  const Layout layouts[] = {Layout::blocked(), Layout::tiled(Index::filled(shape.size(), 2))};
  for (const Layout& layout : layouts) {
    const Array<T> array = array_with(world(), shape, values, layout);
    EXPECT_EQ(printed(array, expected + "\n"), expected + "\n");
  }
}

template <Element T>
std::vector<T> counted(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

TEST(AlgebraPrint, Integers) {
  expect_text<std::int32_t>({7}, {-7, -14, -21, -28, -35, -42, -49},
                            "[ -7 -14 -21 ... -35 -42 -49]");
  expect_text<std::uint8_t>({3}, {0, 65, 255}, "[  0  65 255]");
  expect_text<std::int64_t>({2, 2}, {1, -1000, 30, 4}, "[[    1 -1000]\n [   30     4]]");
  expect_text<std::int64_t>({2, 3, 4}, counted<std::int64_t>(24),
                            "[[[ 0  1  2  3]\n  [ 4  5  6  7]\n  [ 8  9 10 11]]\n\n"
                            " [[12 13 14 15]\n  [16 17 18 19]\n  [20 21 22 23]]]");
}

TEST(AlgebraPrint, Decimals) {
  expect_text<double>({5}, {0, 0.25, 0.5, 0.75, 1}, "[0.   0.25 0.5  0.75 1.  ]");
  expect_text<double>({3}, {1.0 / 3, 2.0 / 3, 1}, "[0.33333333 0.66666667 1.        ]");
  expect_text<float>({3}, {1.0F / 3, 2.0F / 3, 1}, "[0.33333334 0.6666667  1.        ]");
  expect_text<double>({3}, {0, 0, 0}, "[0. 0. 0.]");
  expect_text<double>({1, 1}, {0.5}, "[[0.5]]");
}

TEST(AlgebraPrint, Exponents) {
  expect_text<double>({3}, {1e10, 1.5, -2}, "[ 1.0e+10  1.5e+00 -2.0e+00]");
  expect_text<double>({2}, {1e-5, 1}, "[1.e-05 1.e+00]");
  expect_text<double>({2}, {1234567.125, 0.1}, "[1.23456712e+06 1.00000000e-01]");
  expect_text<double>({3}, {1e100, 1e-100, 0}, "[1.e+100 1.e-100 0.e+000]");
}

TEST(AlgebraPrint, NotANumberAndInfinity) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   infinity = std::numeric_limits<double>::infinity();
  expect_text<double>({4}, {nan, infinity, -infinity, 1.5}, "[ nan  inf -inf  1.5]");
  expect_text<double>({2}, {1.5e10, nan}, "[1.5e+10     nan]");
  expect_text<std::complex<double>>({2}, {{nan, 1}, {1, -2}}, "[nan+1.j  1.-2.j]");
}

TEST(AlgebraPrint, ComplexNumbers) {
  expect_text<std::complex<double>>({2}, {{1, 2}, {3, -4.5}}, "[1.+2.j  3.-4.5j]");
  expect_text<std::complex<float>>({2}, {{1e-5F, 1}, {1, -2.5F}}, "[1.e-05+1.j  1.e+00-2.5j]");
}

TEST(AlgebraPrint, LongDimensionsShowTheirEnds) {
  expect_text<double>({8, 8}, counted<double>(64),
                      "[[ 0.  1.  2. ...  5.  6.  7.]\n"
                      " [ 8.  9. 10. ... 13. 14. 15.]\n"
                      " [16. 17. 18. ... 21. 22. 23.]\n"
                      " ...\n"
                      " [40. 41. 42. ... 45. 46. 47.]\n"
                      " [48. 49. 50. ... 53. 54. 55.]\n"
                      " [56. 57. 58. ... 61. 62. 63.]]");
  expect_text<std::int64_t>({9, 2, 8}, counted<std::int64_t>(144),
                            "[[[  0   1   2 ...   5   6   7]\n  [  8   9  10 ...  13  14  15]]\n\n"
                            " [[ 16  17  18 ...  21  22  23]\n  [ 24  25  26 ...  29  30  31]]\n\n"
                            " [[ 32  33  34 ...  37  38  39]\n  [ 40  41  42 ...  45  46  47]]\n\n"
                            " ...\n\n"
                            " [[ 96  97  98 ... 101 102 103]\n  [104 105 106 ... 109 110 111]]\n\n"
                            " [[112 113 114 ... 117 118 119]\n  [120 121 122 ... 125 126 127]]\n\n"
                            " [[128 129 130 ... 133 134 135]\n  [136 137 138 ... 141 142 143]]]");
}

TEST(AlgebraPrint, EdgeItemsAreTheCallersChoice) {
  const Array<std::int64_t> a = array_with(world(), {6}, counted<std::int64_t>(6), {});
  EXPECT_EQ(printed(a, "[0 ... 5]\n", 1), "[0 ... 5]\n");
  EXPECT_EQ(printed(a, "[0 1 2 3 4 5]\n", 1000000), "[0 1 2 3 4 5]\n");
  EXPECT_TRUE(
      all_throw_error(world(), [&] { printed(a, "", 0); }, ErrorKind::value, {"edge_items"}));
}

TEST(AlgebraPrint, LargeArraysShowTheirCorners) {
  Array<std::int32_t> a(world(), {1 << 12, 1 << 12}, {{}, "big", false});
  fill(a, 7);
  const std::string row = "[7 ... 7]";
  EXPECT_EQ(printed(a, "[" + row + "\n ...\n " + row + "]\n", 1),
            "[" + row + "\n ...\n " + row + "]\n");
}

TEST(AlgebraPrint, EmptyArrays) {
  const Array<double> a(world(), {0, 5});
  EXPECT_EQ(printed(a, "[]\n"), "[]\n");
}

TEST(AlgebraPrint, HeadingSaysWhatItIs) {
  const Array<float> a(world(), {3, 4}, {{}, "field"});
  std::ostringstream stream;
  print(a, stream);
  if (world().rank() == 0) {
    const std::string heading = stream.str().substr(0, stream.str().find('\n'));
    for (const char* text : {"'field'", "(3, 4)", "float32", "blocked"})
      EXPECT_NE(heading.find(text), std::string::npos) << heading;
  }
}

TEST(AlgebraPrint, RankZeroOfTheGroupWrites) {
  for_each_group([](const Group& group) {
    const Array<std::int64_t> a = array_with<std::int64_t>(group, {3}, {1, 2, 3}, {});
    EXPECT_EQ(printed(a, "[1 2 3]\n"), "[1 2 3]\n");
  });
}

}  // namespace
}  // namespace lagoon::atoll::test

// The value types: Index, Patch, ElementType, Scalar, Error.
#include <limits>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

static_assert(!std::is_copy_constructible_v<Handle>, "a handle is one operation");
static_assert(std::is_nothrow_move_constructible_v<Handle>);
static_assert(!std::is_copy_constructible_v<AnyArray>, "an array has one handle a rank");
static_assert(std::is_nothrow_move_constructible_v<AnyArray>);
static_assert(!std::is_copy_constructible_v<World> && !std::is_move_constructible_v<World>);
static_assert(!Element<long double> && !Element<char> && !Element<long long>);

TEST(Index, HoldsUpToEightEntriesAndNoMore) {
  const Index eight{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(eight.size(), 8);
  EXPECT_EQ(eight[7], 8);
  EXPECT_TRUE(throws_error([] { Index{1, 2, 3, 4, 5, 6, 7, 8, 9}; }, ErrorKind::value, {"9", "8"}));
  EXPECT_TRUE(throws_error([] { Index::filled(9, 1); }, ErrorKind::value));
  Index growing = eight;
  EXPECT_TRUE(throws_error([&] { growing.push_back(9); }, ErrorKind::value));
  EXPECT_EQ(growing, eight);
}

TEST(Index, ComparesBySizeAndEntries) {
  EXPECT_EQ((Index{1, 2}), (Index{1, 2}));
  EXPECT_NE((Index{1, 2}), (Index{1, 2, 0}));
  EXPECT_NE((Index{1, 2}), (Index{2, 1}));
  EXPECT_EQ(Index{}, Index{});
  EXPECT_EQ((Index{3, -4}).to_string(), "(3, -4)");
}

TEST(Index, ProductIsExactOrAnError) {
  EXPECT_EQ(Index{}.product(), 1);
  EXPECT_EQ((Index{3'000'000'000, 3}).product(), 9'000'000'000);
  EXPECT_EQ((Index{5, 0, 7}).product(), 0);
  EXPECT_TRUE(throws_error([] { (void)Index{std::int64_t{1} << 40, 1 << 30}.product(); },
                           ErrorKind::value, {"1099511627776"}));
}

TEST(Index, PackedStridesAreRowMajor) {
  EXPECT_EQ(packed_strides({4, 5, 6}), (Index{30, 6, 1}));
  EXPECT_EQ(packed_strides({7}), Index{1});
}

TEST(Patch, CountsElementsWithSteps) {
  const Patch patch{{0, 3}, {512, 9}, {1, 2}};
  EXPECT_EQ(patch.shape(), (Index{512, 3}));
  EXPECT_EQ(patch.elements(), 1536);
  EXPECT_EQ(patch.to_string(), "[0:512, 3:9:2]");
  EXPECT_EQ((Patch{{2}, {5}, {4}}).elements(), 1);
  EXPECT_FALSE((Patch{{2}, {5}, {4}}).empty());
}

TEST(Patch, IsEmptyWhereOneExtentIs) {
  EXPECT_TRUE((Patch{{0, 4}, {9, 4}}).empty());
  EXPECT_EQ((Patch{{0, 4}, {9, 4}}).elements(), 0);
  EXPECT_EQ((Patch{{0, 4}, {9, 4}}).shape(), (Index{9, 0}));
}

TEST(Patch, IntersectionIsTheCommonPart) {
  const Patch a{{0, 0}, {5, 5}};
  EXPECT_EQ(intersection(a, {{3, 2}, {9, 4}}), (Patch{{3, 2}, {5, 4}}));
  EXPECT_TRUE(intersection(a, {{5, 0}, {6, 5}}).empty());
  EXPECT_EQ(intersection(a, whole({5, 5})), a);
}

TEST(Scalar, KeepsTheFullWidthOfIntegers) {
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(Scalar(large).as<std::int64_t>(), large);
  EXPECT_TRUE(Scalar(large).exact<std::int64_t>());
  EXPECT_FALSE(Scalar(large).exact<double>());
  EXPECT_FALSE(Scalar(large).exact<std::int32_t>());
}

TEST(Scalar, TellsWhatAConversionLoses) {
  EXPECT_TRUE(Scalar(2.0).exact<std::int32_t>());
  EXPECT_FALSE(Scalar(2.5).exact<std::int32_t>());
  EXPECT_FALSE(Scalar(0.1).exact<float>());
  EXPECT_FALSE(Scalar(std::complex<double>(1, 2)).exact<double>());
  EXPECT_TRUE(Scalar(std::complex<double>(1, 0)).exact<double>());
  EXPECT_EQ(Scalar(std::complex<float>(1, 2)).as<std::complex<double>>(),
            std::complex<double>(1, 2));
}

TEST(ElementType, NumbersStayAsFilesAndMessagesHaveThem) {
  EXPECT_EQ(static_cast<int>(ElementType::int32), 0);
  EXPECT_EQ(static_cast<int>(ElementType::complex128), 5);
  EXPECT_EQ(static_cast<int>(ElementType::uint8), 6);
  EXPECT_EQ(static_cast<int>(ElementType::boolean), 7);
  EXPECT_EQ(static_cast<int>(ElementType::float16), 13);
}

TEST(ElementType, KindsAreThoseOfTheirNumbers) {
  for (std::size_t i = 0; i < element_types; ++i)
    with_element_type(static_cast<ElementType>(i), [&]<class T>(T) {
      EXPECT_EQ(is_integer(static_cast<ElementType>(i)), std::is_integral_v<T>);
      EXPECT_EQ(is_complex(static_cast<ElementType>(i)), (!std::same_as<T, detail::Real<T>>));
    });
}

TEST(ElementType, IntegersFitWithinTheirLimits) {
  EXPECT_TRUE(fits(0, ElementType::uint8) && fits(255, ElementType::uint8));
  EXPECT_FALSE(fits(-1, ElementType::uint8) || fits(256, ElementType::uint8));
  EXPECT_TRUE(fits(INT32_MIN, ElementType::int32) && fits(INT32_MAX, ElementType::int32));
  EXPECT_FALSE(fits(std::int64_t{INT32_MAX} + 1, ElementType::int32));
  EXPECT_TRUE(fits(INT64_MIN, ElementType::int64) && fits(INT64_MAX, ElementType::int64));
}

TEST(ElementType, NamesAndSizesAreThoseOfNumPy) {
  EXPECT_EQ(name_of(element_type_of<std::complex<double>>()), "complex128");
  EXPECT_EQ(name_of(element_type_of<float>()), "float32");
  for (std::size_t i = 0; i < element_types; ++i) {
    const auto type = static_cast<ElementType>(i);
    with_element_type(type, [&](auto zero) {
      EXPECT_EQ(size_of(type), sizeof zero);
      EXPECT_EQ(element_type_of<decltype(zero)>(), type);
    });
  }
}

TEST(Error, GainsContextOnTheWayUp) {
  const Error bare(ErrorKind::index, "patch [0:9] lies outside");
  EXPECT_EQ(bare.kind(), ErrorKind::index);
  EXPECT_EQ(bare.message(), "patch [0:9] lies outside");
  const Error full = bare.during("get", "A", "[0:9]");
  EXPECT_EQ(full.kind(), ErrorKind::index);
  EXPECT_EQ(full.operation(), "get");
  EXPECT_EQ(full.array(), "A");
  EXPECT_EQ(full.patch(), "[0:9]");
  EXPECT_EQ(full.message(), bare.message());
  EXPECT_EQ(full.rank(), world().rank());
  const std::string what = full.what();
  for (const char* part : {"get", "patch [0:9] lies outside", "'A'"})
    EXPECT_NE(what.find(part), std::string::npos) << what;
  EXPECT_NE(what.find("rank " + std::to_string(world().rank())), std::string::npos) << what;
}

}  // namespace
}  // namespace lagoon::atoll::test

// The table of element types: what it says of each type, and that each goes all ways. The tests go
// over the table itself, so that a new row is tested by being there.
#include <concepts>
#include <limits>
#include <type_traits>

#include "file_support.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class ElementTypes : public testing::Test {};
TYPED_TEST_SUITE(ElementTypes, AllTypes);

constexpr std::int64_t length = 10;

/// 1, 2, ..., the same on all ranks.
template <Element T>
std::vector<T> counted() {
  std::vector<T> values;
  for (std::int64_t i = 0; i < length; ++i) values.push_back(number<T>(i + 1));
  return values;
}

TYPED_TEST(ElementTypes, TraitsAreThoseOfTheNumbers) {
  using T = TypeParam;
  constexpr ElementTraits traits = traits_of(element_type_of<T>());
  EXPECT_EQ(traits.type, element_type_of<T>());
  EXPECT_EQ(traits.bytes, sizeof(T));
  const std::string kind = traits.complex    ? "complex"
                           : !traits.integer ? "float"
                           : traits.has_sign ? "int"
                                             : "uint";
  EXPECT_EQ(traits.name, kind + std::to_string(8 * sizeof(T)));
  EXPECT_EQ(size_of(traits.real), traits.complex ? sizeof(T) / 2 : sizeof(T));
  EXPECT_TRUE(with_element_type(traits.type, []<class U>(U) { return std::same_as<T, U>; }));
  if constexpr (std::integral<T>) {
    using Limits = std::numeric_limits<T>;
    EXPECT_TRUE(fits(Limits::min(), traits.type) && fits(Limits::max(), traits.type));
    if constexpr (sizeof(T) < sizeof(std::int64_t)) {
      EXPECT_FALSE(fits(std::int64_t{Limits::min()} - 1, traits.type));
      EXPECT_FALSE(fits(std::int64_t{Limits::max()} + 1, traits.type));
    }
  }
}

TYPED_TEST(ElementTypes, PutsGetsAndAccumulatesArriveEverywhere) {
  using T = TypeParam;
  const std::vector<T> ones(length, number<T>(1));
  const int ranks = world().size();
  Array<T> array(world(), {ranks, length});
  const int to = (world().rank() + 1) % ranks;
  const Patch row{{to, 0}, {to + 1, length}};
  array.put(row, counted<T>().data());
  world().sync();
  for (std::int64_t other = 0; other < ranks; ++other)
    array.accumulate({{other, 0}, {other + 1, length}}, ones.data(), number<T>(2));
  world().sync();
  std::vector<T> expected;
  for (int rank = 0; rank < ranks; ++rank)
    for (const T value : counted<T>()) expected.push_back(T(value + number<T>(2 * ranks)));
  EXPECT_TRUE(holds(array, expected));
  // Every other element, one by one.
  Patch sparse = row;
  sparse.step = {1, 2};
  world().sync();
  array.accumulate(sparse, ones.data(), number<T>(1));
  world().sync();
  for (std::size_t i = 0; i < expected.size(); i += 2) expected[i] = T(expected[i] + T(1));
  EXPECT_TRUE(holds(array, expected));
  world().sync();
}

TYPED_TEST(ElementTypes, ReductionsWrapAndKeepTheirOrder) {
  using T = TypeParam;
  const int ranks = world().size();
  T sum{}, product = number<T>(1);
  for (int rank = 0; rank < ranks; ++rank) {
    sum = T(sum + number<T>(2 + rank));
    product = T(product * number<T>(2 + rank));
  }
  const T mine = number<T>(2 + world().rank());
  EXPECT_EQ(world().reduce(mine), sum);
  EXPECT_EQ(world().reduce(mine, Reduction::product), product);
  if constexpr (is_complex(element_type_of<T>())) {
    EXPECT_TRUE(throws_error([&] { world().reduce(mine, Reduction::minimum); }, ErrorKind::type));
  } else {
    EXPECT_EQ(world().reduce(mine, Reduction::minimum), number<T>(2));
    EXPECT_EQ(world().reduce(mine, Reduction::maximum), number<T>(1 + ranks));
  }
  if constexpr (std::integral<T>) {
    const auto highest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const auto wrapped = static_cast<T>(highest * static_cast<std::uint64_t>(ranks));
    EXPECT_EQ(world().reduce(std::numeric_limits<T>::max()), wrapped);
  }
}

TYPED_TEST(ElementTypes, ComeBackFromDisk) {
  using T = TypeParam;
  const Folder folder;
  constexpr ElementType type = element_type_of<T>();
  Array<T> array(world(), {length}), back(world(), {length});
  if (world().rank() == 0) array.put(whole(array.shape()), counted<T>().data());
  world().sync();
  const std::string path = folder / std::string(name_of(type));
  DiskArray::create(world(), path, {length}, type).write(array);
  DiskArray disk = DiskArray::open(world(), path, false);
  EXPECT_EQ(disk.type(), type);
  disk.read(back);
  world().sync();
  EXPECT_TRUE(holds(back, counted<T>()));
}

TEST(ScalarOfUnsigned, DoesNotTurnNegativeAbove2To63) {
  const Scalar largest(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(largest.as<double>(), 18446744073709551616.0);
  EXPECT_EQ(largest.as<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Scalar(std::uint64_t{1} << 63).as<double>(), 9223372036854775808.0);
  EXPECT_EQ(Scalar((std::uint64_t{1} << 63) - 1).as<std::int64_t>(), INT64_MAX);
  Array<std::int64_t> a(world(), {4});
  EXPECT_THROW(fill(a, largest), Error);
}

TEST(ElementTable, NamesTypesInMessages) {
  EXPECT_EQ(element_names(can_count), "int32, int64, uint8, int8, int16, uint16, uint32 or uint64");
  EXPECT_EQ(element_names(is_complex), "complex64 or complex128");
}

}  // namespace
}  // namespace lagoon::atoll::test

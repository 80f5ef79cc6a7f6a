// Types in which no arithmetic is compiled (short integers, truth values, float16) and integers
// without a sign. The tests go over the table, so that a new row is tested by being there; truth is
// a loop over 64-bit integers or doubles, of which the low bytes or the nearest number count.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "file_support.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr std::int64_t length = 1030;  // more than two batches

template <class F>
void for_each_type(const F& f) {
  for (const ElementTraits& traits : element_traits) {
    SCOPED_TRACE(std::string(traits.name));
    f(traits.type);
  }
}

/// Elements as bytes, and as numbers that say exactly what they are.
struct Elements {
  ElementType type;
  std::vector<std::byte> bytes;

  explicit Elements(ElementType of, std::int64_t count = length)
      : type(of), bytes(static_cast<std::size_t>(count) * size_of(of)) {}
  std::int64_t count() const {
    return std::ssize(bytes) / static_cast<std::int64_t>(size_of(type));
  }
  void set(std::int64_t i, const Scalar& value) {
    with_element_type(type, [&]<class T>(T) {
      const T number = value.as<T>();
      std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof number), &number,
                  sizeof number);
    });
  }
  Scalar at(std::int64_t i) const {
    return with_element_type(type, [&]<class T>(T) {
      T number;
      std::memcpy(&number, bytes.data() + i * static_cast<std::int64_t>(sizeof number),
                  sizeof number);
      return Scalar(number);
    });
  }
};

/// The same on all ranks: of integers all bits, of others small numbers with a fraction.
Elements some(ElementType type, std::uint64_t seed) {
  Elements made(type);
  std::mt19937_64 draw(seed);
  for (std::int64_t i = 0; i < made.count(); ++i) {
    const auto bits = static_cast<std::int64_t>(draw());
    if (traits_of(type).boolean)
      made.set(i, bits & 1);
    else if (is_integer(type))
      made.set(i, bits >> (i % 64));
    else
      made.set(i, static_cast<double>(bits % 128) / 16);  // sums of 16 are exact
  }
  return made;
}

Elements read(const AnyArray& array) {
  world().sync();
  Elements found(array.type(), array.elements());
  array.get(whole(array.shape()), found.bytes.data());
  world().sync();
  return found;
}

AnyArray array_of(const Elements& elements) {
  AnyArray array(world(), {elements.count()}, elements.type);
  if (world().rank() == 0) array.put(whole(array.shape()), elements.bytes.data());
  world().sync();
  return array;
}

/// What `f` gives of exact numbers, stored as the type stores it: cut, or rounded to the nearest.
template <class F>
Scalar stored(ElementType type, const Scalar& a, const Scalar& b, const F& f) {
  if (is_complex(type)) return f(a.as<std::complex<double>>(), b.as<std::complex<double>>());
  if (!is_integer(type)) return f(a.as<double>(), b.as<double>());
  return with_element_type(type, [&]<class T>(T) -> Scalar {
    const std::int64_t result = f(a.as<std::int64_t>(), b.as<std::int64_t>());
    return Scalar(Scalar(result).as<T>());
  });
}

void expect_equal(const Elements& found, const Elements& expected) {
  ASSERT_EQ(found.type, expected.type);
  for (std::int64_t i = 0; i < expected.count(); ++i)
    ASSERT_EQ(found.at(i).as<std::complex<double>>(), expected.at(i).as<std::complex<double>>())
        << "at " << i;
}

constexpr auto sum_of_two = []<class W>(W x, W y) {
  if constexpr (std::integral<W>)
    return static_cast<W>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  else
    return x + y;
};
constexpr auto product_of_two = []<class W>(W x, W y) {
  if constexpr (std::integral<W>)
    return static_cast<W>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  else
    return x * y;
};

/// Of real numbers alone.
template <class F>
auto real(const F& f) {
  return [f]<class W>(W x, W y) {
    if constexpr (std::is_arithmetic_v<W>)
      return static_cast<W>(f(x, y));
    else
      return x;
  };
}

TEST(Float16, AllNumbersComeBackFromFloat) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto number = Float16::of_bits(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(Float16(static_cast<float>(number)).bits(), bits);
    if (std::isnan(static_cast<float>(number))) continue;  // a double may have it quiet
    ASSERT_EQ(Float16(static_cast<double>(number)).bits(), bits);
  }
  EXPECT_EQ(static_cast<float>(Float16(1)), 1.0F);
  EXPECT_EQ(static_cast<float>(Float16::of_bits(0x3555)), 0.333251953125F);
  EXPECT_EQ(static_cast<float>(Float16::of_bits(1)), 0x1p-24F);
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(std::nanf("")))));
}

TEST(Float16, RoundsToTheNearestAndHalvesToEven) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = Float16::of_bits(bits), high = Float16::of_bits(bits + 1);
    const double middle = (low + high) / 2;
    const auto even = static_cast<std::uint16_t>(bits + (bits & 1));
    ASSERT_EQ(Float16(middle).bits(), even) << middle;
    ASSERT_EQ(Float16(static_cast<float>(middle)).bits(), even) << middle;
    ASSERT_EQ(Float16(-middle).bits(), even | 0x8000) << middle;
    // So near to the middle that a float is the middle.
    ASSERT_EQ(Float16(std::nextafter(middle, 1e9)).bits(), bits + 1) << middle;
    ASSERT_EQ(Float16(std::nextafter(middle, 0)).bits(), bits) << middle;
  }
  EXPECT_EQ(Float16(65519.99).bits(), 0x7bff);
  EXPECT_EQ(Float16(65520.0).bits(), 0x7c00);
  EXPECT_EQ(Float16(1e300).bits(), 0x7c00);
}

TEST(ElementTable, ArithmeticIsCompiledForOnlyAFew) {
  EXPECT_EQ(element_names(detail::is_computed),
            "int32, int64, float32, float64, complex64, complex128 or uint64");
  for (const ElementTraits& traits : element_traits) {
    EXPECT_FALSE(is_narrow(traits.computed));
    EXPECT_LE(traits.bytes, size_of(traits.computed));
  }
}

TEST(NarrowTypes, ArithmeticWrapsAndRoundsAsTheNumbersDo) {
  for_each_type([](ElementType type) {
    const Elements x = some(type, 1), y = some(type, 2);
    const AnyArray a = array_of(x), b = array_of(y);
    AnyArray c(world(), {length}, type);
    const auto expect = [&](const auto& f) {
      Elements expected(type);
      for (std::int64_t i = 0; i < length; ++i) expected.set(i, stored(type, x.at(i), y.at(i), f));
      expect_equal(read(c), expected);
    };
    add(1, a, 1, b, c);
    expect(sum_of_two);
    multiply(a, b, c);
    expect(product_of_two);
    if (is_complex(type) || type == ElementType::uint64) return;  // see below
    minimum(a, b, c);
    expect(real([](auto u, auto v) { return u < v ? u : v; }));
    maximum(a, b, c);
    expect(real([](auto u, auto v) { return u > v ? u : v; }));
    absolute(a, c);
    expect(real([](auto u, auto) { return u < 0 ? 0 - u : u; }));
  });
}

TEST(NarrowTypes, SectionsAndOtherLayoutsAreComputedLikewise) {
  for (const ElementType type : {ElementType::int8, ElementType::float16, ElementType::boolean}) {
    const Elements x = some(type, 3);
    const AnyArray a = array_of(x);
    AnyArray c(world(), {length / 2}, type);
    multiply({a, Patch{{0}, {length}, {2}}}, {a, Patch{{1}, {length}, {2}}}, c);
    Elements expected(type, length / 2);
    for (std::int64_t i = 0; i < length / 2; ++i)
      expected.set(i, stored(type, x.at(2 * i), x.at(2 * i + 1), product_of_two));
    expect_equal(read(c), expected);
  }
}

TEST(NarrowTypes, SumsAndExtremaAreThoseOfTheNumbers) {
  for_each_type([](ElementType type) {
    if (is_complex(type)) return;
    const Elements x = some(type, 4);
    const AnyArray a = array_of(x);
    if (is_integer(type)) {
      std::uint64_t total = 0, products = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        const auto value = static_cast<std::uint64_t>(x.at(i).as<std::int64_t>());
        total += value;
        products += value * value;
      }
      EXPECT_EQ(static_cast<std::uint64_t>(sum(a).as<std::int64_t>()), total);
      EXPECT_EQ(static_cast<std::uint64_t>(dot(a, a).as<std::int64_t>()), products);
    } else {
      double total = 0;
      for (std::int64_t i = 0; i < length; ++i) total += x.at(i).as<double>();
      EXPECT_EQ(sum(a).as<double>(), total);  // fractions of 16 are exact
    }
    std::int64_t least = 0;
    const auto key = [&](std::int64_t i) -> long double {
      return type == ElementType::uint64 ? static_cast<long double>(x.at(i).as<std::uint64_t>())
                                         : static_cast<long double>(x.at(i).as<double>());
    };
    for (std::int64_t i = 1; i < length; ++i)
      if (key(i) < key(least)) least = i;
    const Extremum found = minimum_element(a);
    EXPECT_EQ(found.position, Index{least});
    EXPECT_EQ(found.value.as<double>(), x.at(least).as<double>());
  });
}

TEST(UnsignedNumbers, AreLargerThanThoseWithASign) {
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  Array<std::uint64_t> a(world(), {3}), b(world(), {3}), c(world(), {3});
  const std::uint64_t x[] = {high + 5, 7, ~std::uint64_t{0}}, y[] = {3, high + 1, 1};
  if (world().rank() == 0) {
    a.put(whole(a.shape()), x);
    b.put(whole(b.shape()), y);
  }
  world().sync();
  maximum(a, b, c);
  EXPECT_TRUE(holds(c, std::vector<std::uint64_t>{high + 5, high + 1, ~std::uint64_t{0}}));
  EXPECT_EQ(divide(a, b, c), 0);
  EXPECT_TRUE(holds(c, std::vector<std::uint64_t>{(high + 5) / 3, 0, ~std::uint64_t{0}}));
  EXPECT_EQ(maximum_element(a).value.as<std::uint64_t>(), ~std::uint64_t{0});
  EXPECT_EQ(minimum_element(a).position, Index{1});
  EXPECT_EQ(sum(a).as<std::uint64_t>(), high + 11);
  fill(c, ~std::uint64_t{0});
  EXPECT_TRUE(holds(c, std::vector<std::uint64_t>(3, ~std::uint64_t{0})));
  EXPECT_TRUE(throws_error([&] { fill(c, -1); }, ErrorKind::value, {"-1", "uint64"}));
  EXPECT_EQ(world().reduce(high + static_cast<std::uint64_t>(world().rank()), Reduction::maximum),
            high + static_cast<std::uint64_t>(world().size()) - 1);
  world().sync();
}

TEST(NarrowTypes, EachConvertsToEachThatHoldsItsKind) {
  for_each_type([](ElementType from) {
    const Elements x = some(from, 5);
    const AnyArray source = array_of(x);
    for (const ElementTraits& to : element_traits) {
      if (!is_narrow(from) && !is_narrow(to.type) && from != ElementType::uint64 &&
          to.type != ElementType::uint64)
        continue;  // in algebra_copy_test.cpp
      AnyArray target(world(), {length}, to.type);
      const auto kind = [](ElementType type) {
        const ElementTraits& traits = traits_of(type);
        return traits.boolean ? 0 : traits.integer ? 1 : traits.complex ? 3 : 2;
      };
      if (kind(from) > kind(to.type)) {
        EXPECT_TRUE(
            throws_error([&] { copy(source, target); }, ErrorKind::type, {std::string(to.name)}));
        continue;
      }
      copy(source, target);
      Elements expected(to.type);
      for (std::int64_t i = 0; i < length; ++i)
        with_element_type(to.type, [&]<class T>(T) { expected.set(i, x.at(i).as<T>()); });
      const bool twice = to.type == ElementType::float16 && is_integer(from);  // by way of float
      if (!twice) expect_equal(read(target), expected);
    }
  });
}

TEST(NarrowTypes, ReductionsMergesAndFilesHaveAllTypes) {
  for_each_type([](ElementType type) {
    const Elements x = some(type, 6);
    // Over ranks.
    Elements mine = x, expected = x;
    for (int rank = 1; rank < world().size(); ++rank)
      for (std::int64_t i = 0; i < length; ++i)
        expected.set(i, stored(type, expected.at(i), x.at(i), sum_of_two));
    world().reduce_elements(mine.bytes.data(), length, type, Reduction::sum);
    expect_equal(mine, expected);
    if (!is_complex(type)) {
      mine = x;
      world().reduce_elements(mine.bytes.data(), length, type, Reduction::maximum);
      expect_equal(mine, x);
    }
    // Over nodes.
    AnyArray copies(world(), {length}, type, {{}, "copies", true, true});
    if (copies.group().rank() == 0) copies.put(whole(copies.shape()), x.bytes.data());
    copies.group().sync();
    merge(copies);
    Elements merged = x;
    for (int node = 1; node < world().nodes(); ++node)
      for (std::int64_t i = 0; i < length; ++i)
        merged.set(i, stored(type, merged.at(i), x.at(i), sum_of_two));
    expect_equal(read(copies), merged);
    // In a file.
    const Folder folder;
    const AnyArray array = array_of(x);
    AnyArray back(world(), {length}, type);
    const std::string path = folder / std::string(name_of(type));
    DiskArray::create(world(), path, {length}, type).write(array);
    DiskArray::open(world(), path, false).read(back);
    expect_equal(read(back), x);
  });
}

TEST(NarrowTypes, AccumulatesLeaveTheirNeighboursAlone) {
  constexpr int times = 300;
  for (const ElementType type : {ElementType::int8, ElementType::uint8, ElementType::int16,
                                 ElementType::uint16, ElementType::uint32, ElementType::float16}) {
    const std::int64_t ranks = world().size();
    AnyArray array(world(), {64 * ranks}, type);
    Elements one(type, 64);
    for (std::int64_t i = 0; i < 64; ++i) one.set(i, 1);
    // Ranks add to elements in turn, of each other's nodes, too; one of them counts.
    const Patch mine{{world().rank()}, {64 * ranks}, {ranks}};
    for (int time = 0; time < times; ++time) array.accumulate(mine, one.bytes.data());
    if (can_count(type))
      for (std::int64_t i = 0; i < 64; ++i) array.fetch_add({(7 * i * ranks) % (64 * ranks)}, 0);
    for (int time = 0; time < times; ++time) array.accumulate(mine, one.bytes.data());
    const Elements found = read(array);
    Elements expected(type, 64 * ranks);
    for (std::int64_t i = 0; i < 64 * ranks; ++i)
      expected.set(i, stored(type, 2 * times, 0, [](auto x, auto) { return x; }));
    expect_equal(found, expected);
  }
}

TEST(NarrowTypes, CountersOfAllSizesCountAlone) {
  for_each_type([](ElementType type) {
    AnyArray array(world(), {8}, type);
    if (!can_count(type)) {
      EXPECT_TRUE(throws_error([&] { array.fetch_add({3}, 1); }, ErrorKind::type, {"int8"}));
      world().sync();
      return;
    }
    for (int time = 0; time < 10; ++time) array.fetch_add({3}, 2);
    world().sync();
    Elements expected(type, 8);
    for (std::int64_t i = 0; i < 8; ++i) expected.set(i, i == 3 ? 20 * world().size() : 0);
    expect_equal(read(array), expected);
    if (world().rank() == 0) {
      EXPECT_EQ(array.swap({3}, 100), 20 * world().size());
    }
    expected.set(3, 100);
    expect_equal(read(array), expected);
  });
}

TEST(TruthValues, AreAddedByOrAndPrintedInWords) {
  Array<bool> a(world(), {3});
  const bool one[] = {false, true, true};
  a.accumulate(whole(a.shape()), one);
  a.accumulate({{2}, {3}}, one + 2);
  world().sync();
  std::ostringstream text;
  print(a, text, 3);
  if (world().rank() == 0) {
    EXPECT_NE(text.str().find("[False  True  True]"), std::string::npos) << text.str();
  }
  EXPECT_EQ(sum(a).as<std::int64_t>(), 2);
  EXPECT_TRUE(throws_error([&] { fill(a, 2); }, ErrorKind::value, {"2", "bool"}));
  world().sync();
}

TEST(Float16, IsPrintedAsShortAsItIs) {
  Array<Float16> a(world(), {3});
  const Float16 values[] = {Float16(0.1), Float16(1), Float16(2.5)};
  if (world().rank() == 0) a.put(whole(a.shape()), values);
  world().sync();
  std::ostringstream text;
  print(a, text, 3);
  if (world().rank() == 0) {
    EXPECT_NE(text.str().find("[0.1 1.  2.5]"), std::string::npos) << text.str();
  }
  world().sync();
}

}  // namespace
}  // namespace lagoon::atoll::test

// Prefix sums, packing, unpacking and numbering of vectors against serial loops.
#include "atoll/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "algebra_support.hpp"

namespace lagoon::atoll::test {
namespace {

template <class T>
class ScanTyped : public testing::Test {};
TYPED_TEST_SUITE(ScanTyped, AllTypes);

/// A vector with values and a mask, each anyhow distributed, and a patch.
template <Element T>
struct Vector {
  Vector(const Group& on, Random& random)
      : group(on),
        length(random.between(1, 200)),
        values(small_values<T>(random, {length})),
        mask(static_cast<std::size_t>(length)) {
    for (auto& m : mask)
      m = random.chance(0.15) ? static_cast<std::int32_t>(random.between(1, 3)) : 0;
    lo = random.between(0, length);
    hi = random.between(lo, length);
  }
  Array<T> array(Random& random) const {
    return array_with(group, {length}, values, random_layout(random, {length}, group.size()));
  }
  Array<std::int32_t> mask_array(Random& random) const {
    return array_with(group, {length}, mask, random_layout(random, {length}, group.size()));
  }
  Patch patch() const { return {{lo}, {hi}, {}}; }
  bool marked(std::int64_t i) const { return mask[static_cast<std::size_t>(i)] != 0; }

  const Group& group;
  std::int64_t length, lo = 0, hi = 0;
  std::vector<T> values;
  std::vector<std::int32_t> mask;
};

template <Element T>
void several_times(const std::function<void(Vector<T>&, Random&)>& check) {
  for_each_group([&](const Group& group) {
    Random random(131);
    for (int i = 0; i < 10; ++i) {
      Vector<T> v(group, random);
      check(v, random);
    }
  });
}

TYPED_TEST(ScanTyped, SumsBeginAnewWhereTheMaskSays) {
  using T = TypeParam;
  several_times<T>([](Vector<T>& v, Random& random) {
    for (const Scan kind : {Scan::inclusive, Scan::exclusive}) {
      const Array<T> source = v.array(random);
      const Array<std::int32_t> mask = v.mask_array(random);
      Array<T> target = v.array(random);
      scan_add(source, mask, target, v.patch(), kind);
      std::vector<T> expected = v.values;
      T sum{};
      for (std::int64_t i = v.lo; i < v.hi; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (v.marked(i)) sum = T{};
        if (kind == Scan::exclusive) expected[at] = sum;
        sum = static_cast<T>(sum + v.values[at]);
        if (kind == Scan::inclusive) expected[at] = sum;
      }
      EXPECT_TRUE(holds(target, expected)) << v.patch().to_string();
      scan_add(target, mask, target, {{0}, {0}, {}});  // empty
      EXPECT_TRUE(holds(target, expected));
    }
  });
}

TYPED_TEST(ScanTyped, SumsWithoutAMaskAreOfTheWholePatch) {
  using T = TypeParam;
  several_times<T>([](Vector<T>& v, Random& random) {
    for (const Scan kind : {Scan::inclusive, Scan::exclusive}) {
      Array<T> array = v.array(random);
      scan_add(array, array, v.patch(), kind);
      std::vector<T> expected = v.values;
      T sum{};
      for (std::int64_t i = v.lo; i < v.hi; ++i) {
        const T before = sum;
        sum = static_cast<T>(sum + v.values[static_cast<std::size_t>(i)]);
        expected[static_cast<std::size_t>(i)] = kind == Scan::exclusive ? before : sum;
      }
      EXPECT_TRUE(holds(array, expected)) << v.patch().to_string();
    }
  });
}

TYPED_TEST(ScanTyped, CopiesRepeatTheFirstElementOfASegment) {
  using T = TypeParam;
  several_times<T>([](Vector<T>& v, Random& random) {
    Array<T> array = v.array(random);
    const Array<std::int32_t> mask = v.mask_array(random);
    scan_copy(array, mask, array, v.patch());
    std::vector<T> expected = v.values;
    for (std::int64_t i = v.lo + 1; i < v.hi; ++i)
      if (!v.marked(i))
        expected[static_cast<std::size_t>(i)] = expected[static_cast<std::size_t>(i - 1)];
    EXPECT_TRUE(holds(array, expected)) << v.patch().to_string();
  });
}

TYPED_TEST(ScanTyped, PackAndUnpackKeepTheOrder) {
  using T = TypeParam;
  several_times<T>([](Vector<T>& v, Random& random) {
    const Array<T> source = v.array(random);
    const Array<std::int32_t> mask = v.mask_array(random);
    Array<T> packed(v.group, {v.length}), back(v.group, {v.length});
    std::vector<T> chosen(v.values.size()), unpacked(v.values.size());
    std::int64_t count = 0;
    for (std::int64_t i = v.lo; i < v.hi; ++i) {
      if (!v.marked(i)) continue;
      unpacked[static_cast<std::size_t>(i)] = v.values[static_cast<std::size_t>(i)];
      chosen[static_cast<std::size_t>(count++)] = v.values[static_cast<std::size_t>(i)];
    }
    EXPECT_EQ(pack(source, mask, packed, v.patch()), count);
    EXPECT_TRUE(holds(packed, chosen));
    EXPECT_EQ(unpack(packed, mask, back, v.patch()), count);
    EXPECT_TRUE(holds(back, unpacked));
  });
}

TYPED_TEST(ScanTyped, EnumerateNumbersAPatch) {
  using T = TypeParam;
  several_times<T>([](Vector<T>& v, Random& random) {
    Array<T> array = v.array(random);
    const T step = number<T>(-2);  // of bytes 254
    enumerate(array, v.patch(), 7, step);
    std::vector<T> expected = v.values;
    for (std::int64_t i = v.lo; i < v.hi; ++i)
      expected[static_cast<std::size_t>(i)] = Scalar(7 - 2 * (i - v.lo)).as<T>();
    EXPECT_TRUE(holds(array, expected));
  });
}

TEST(ScanErrors, NameWhatDoesNotFit) {
  Array<double> a(world(), {10}), b(world(), {10}), small(world(), {3}), matrix(world(), {2, 5});
  Array<float> floats(world(), {10});
  Array<std::int64_t> mask(world(), {10}), short_mask(world(), {9});
  fill(mask, 1);
  const Patch all{{0}, {10}, {}};
  const auto throws = [](ErrorKind kind, const std::function<void()>& call,
                         const std::vector<std::string>& texts) {
    EXPECT_TRUE(all_throw_error(world(), call, kind, texts));
  };
  throws(ErrorKind::value, [&] { pack(a, mask, small, all); }, {"pack", "room for 3", "10"});
  throws(ErrorKind::value, [&] { unpack(small, mask, a, all); }, {"unpack", "has only 3", "10"});
  throws(ErrorKind::value, [&] { scan_add(a, short_mask, b, all); }, {"scan_add", "(9)"});
  throws(ErrorKind::value, [&] { scan_copy(matrix, mask, matrix, all); }, {"scan_copy", "vector"});
  throws(ErrorKind::value, [&] { pack(a, mask, a, all); }, {"pack", "both"});
  throws(ErrorKind::type, [&] { scan_add(a, b, b, all); }, {"scan_add", "float64", "mask"});
  throws(ErrorKind::type, [&] { scan_add(a, mask, floats, all); }, {"scan_add", "float32"});
  throws(ErrorKind::type, [&] { enumerate(mask, all, 0, 0.5); }, {"enumerate", "step"});
  throws(ErrorKind::index, [&] { enumerate(a, {{0}, {11}, {}}, 0, 1); }, {"enumerate"});
}

}  // namespace
}  // namespace lagoon::atoll::test

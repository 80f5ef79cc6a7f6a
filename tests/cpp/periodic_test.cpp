// Periodic get, put and accumulate against plain loops with the modulo written out.
#include "support.hpp"
#include "user_buffer.hpp"

namespace lagoon::atoll::test {
namespace {

Index wrapped(Index position, const Index& shape) {
  for (int d = 0; d < shape.size(); ++d)
    position[d] = ((position[d] % shape[d]) + shape[d]) % shape[d];
  return position;
}

/// A patch that may begin up to two extents below the array and ends up to three beyond.
Patch far_patch(Random& random, const Index& shape, std::int64_t most) {
  Patch patch{shape, shape, Index::filled(shape.size(), 1)};
  const bool steps = random.chance(0.4);
  std::int64_t left = most;
  for (int d = 0; d < shape.size(); ++d) {
    patch.lo[d] = random.between(-2 * shape[d] - 1, 2 * shape[d]);
    const std::int64_t length = random.between(1, std::min(left, 3 * shape[d]));
    if (steps) patch.step[d] = random.between(1, 2 * shape[d] + 1);
    patch.hi[d] = patch.lo[d] + length;
    left = std::max<std::int64_t>(1, left / patch.shape()[d]);
  }
  if (!steps) patch.step = {};
  return patch;
}

std::size_t place(const Patch& patch, const Index& at, const Index& shape) {
  return static_cast<std::size_t>(linear_index(wrapped(array_position(patch, at), shape), shape));
}

template <class T>
class Periodic : public testing::Test {};
TYPED_TEST_SUITE(Periodic, AllTypes);

TYPED_TEST(Periodic, GetsPutsAndAccumulatesMatchASerialLoop) {
  using T = TypeParam;
  Random random(501);
  for (int n = 1; n <= 4; ++n) {
    const Index shape = random_shape(random, n, 150);
    for (const Layout& layout : sample_layouts(shape, world().size())) {
      Array<T> array(world(), shape, {.layout = layout});
      SCOPED_TRACE(shape.to_string() + " " + array.distribution().to_string());
      std::vector<T> model(static_cast<std::size_t>(shape.product()));
      for (std::size_t i = 0; i < model.size(); ++i)
        model[i] = marked_value<T>(static_cast<std::int64_t>(i));
      if (world().rank() == 0) array.put(whole(shape), model.data());
      world().sync();
      for (int round = 0; round < 4; ++round) {
        const Patch patch = far_patch(random, shape, 300);
        SCOPED_TRACE(patch.to_string());
        const Index extents = patch.shape();
        UserBuffer<T> out(random, extents, gettable_buffers[random.between(0, 3)]);
        get_periodic(array, patch, out.data(), out.strides());
        for_each_position(extents, [&](const Index& at, std::int64_t) {
          EXPECT_EQ(out.at(at), model[place(patch, at, shape)]) << at.to_string();
        });
        EXPECT_TRUE(out.padding_untouched());
        world().sync();

        const int writer = round % world().size();
        UserBuffer<T> in(random, extents, all_buffers[random.between(0, 4)]);
        in.fill(random);
        const bool adds = random.chance(0.5);
        if (world().rank() == writer) {
          if (adds)
            accumulate_periodic(array, patch, in.data(), number<T>(2), in.strides());
          else
            put_periodic(array, patch, in.data(), in.strides());
        }
        for_each_position(extents, [&](const Index& at, std::int64_t) {
          T& element = model[place(patch, at, shape)];
          element = adds ? static_cast<T>(element + number<T>(2) * in.at(at)) : in.at(at);
        });
        world().sync();
        EXPECT_TRUE(holds(array, model));
        world().barrier();
      }
    }
  }
}

TEST(PeriodicAccess, AddsOfAllRanksAllCount) {
  Array<std::int64_t> array(world(), {5, 3});
  const std::vector<std::int64_t> ones(15 * 9, 1);
  accumulate_periodic(array, {{-7, -4}, {8, 5}}, ones.data());
  world().sync();
  EXPECT_TRUE(holds(array, std::vector<std::int64_t>(15, std::int64_t{9} * world().size())));
  world().barrier();
}

TEST(PeriodicAccess, AnUnnamedAlphaIsOne) {
  Array<double> array(world(), {4});
  const std::vector<double> values{1, 2, 3};
  AnyArray& any = array;
  if (world().rank() == 0) accumulate_periodic(any, {{3}, {6}}, values.data());
  world().sync();
  EXPECT_TRUE(holds(array, {2.0, 3.0, 0.0, 1.0}));
  world().barrier();
}

TEST(PeriodicAccess, LargePatchesStreamBetweenNodes) {
  const Index shape{400, 300};
  Array<double> array(world(), shape);
  std::vector<double> model(400 * 300);
  for (std::size_t i = 0; i < model.size(); ++i) model[i] = static_cast<double>(i);
  if (world().rank() == 0) array.put(whole(shape), model.data());
  world().sync();
  const Patch patch{{-150, 250}, {450, 650}};
  std::vector<double> out(600 * 400);
  get_periodic(array, patch, out.data());
  bool right = true;
  for_each_position(patch.shape(), [&](const Index& at, std::int64_t linear) {
    right = right && out[static_cast<std::size_t>(linear)] == model[place(patch, at, shape)];
  });
  EXPECT_TRUE(right);
  world().barrier();
}

TEST(PeriodicAccess, VeryFarPositionsAreFound) {
  Array<std::int64_t> array(world(), {7});
  const std::vector<std::int64_t> values{0, 1, 2, 3, 4, 5, 6};
  if (world().rank() == 0) array.put(whole({7}), values.data());
  world().sync();
  constexpr std::int64_t far = std::int64_t{1} << 61;
  std::int64_t got[2] = {-1, -1};
  get_periodic(array, {{far - 2}, {far}}, got);
  EXPECT_EQ(got[0], (far - 2) % 7);
  EXPECT_EQ(got[1], (far - 1) % 7);
  get_periodic(array, {{-far}, {far}, {far}}, got);  // two elements, nothing between is visited
  EXPECT_EQ(got[0], (7 - far % 7) % 7);
  EXPECT_EQ(got[1], 0);
  world().barrier();
}

TEST(PeriodicAccess, EmptyPatchesDoNothing) {
  Array<double> array(world(), {4, 4}), empty(world(), {0, 4});
  get_periodic(array, {{9, -3}, {9, 5}}, nullptr);
  put_periodic(array, {{-9, -3}, {-9, 5}}, static_cast<const double*>(nullptr));
  get_periodic(empty, {{0, 0}, {0, 9}}, nullptr);
  world().barrier();
}

TEST(PeriodicAccess, BadArgumentsAreErrors) {
  Array<double> array(world(), {4, 4}, {.name = "ring"}), empty(world(), {0, 4});
  std::vector<double> buffer(64);
  const auto refuse = [&](const AnyArray& from, const Patch& patch, ErrorKind kind,
                          const std::vector<std::string>& texts, const Index& strides = {}) {
    EXPECT_TRUE(
        throws_error([&] { get_periodic(from, patch, buffer.data(), strides); }, kind, texts));
  };
  refuse(array, {{3, 0}, {2, 1}}, ErrorKind::index, {"(3, 0)", "dimension 0", "ring"});
  refuse(array, {{3}, {4}}, ErrorKind::index, {"2 dimensions", "get_periodic"});
  refuse(array, {{0, 0}, {1, 1}, {1, 0}}, ErrorKind::value, {"step below 1"});
  refuse(array, {{0, 0}, {std::int64_t{1} << 61 | 1, 1}}, ErrorKind::index, {"dimension 0"});
  refuse(array, {{0, 0}, {1, 1}}, ErrorKind::value, {"strides (1)"}, {1});
  refuse(empty, {{0, 0}, {1, 1}}, ErrorKind::index, {"no elements"});
  EXPECT_TRUE(throws_error([&] { get_periodic(array, {{0, 0}, {1, 1}}, nullptr); },
                           ErrorKind::value, {"null"}));
  array.destroy();
  refuse(array, {{0, 0}, {1, 1}}, ErrorKind::state, {"destroyed"});
}

}  // namespace
}  // namespace lagoon::atoll::test

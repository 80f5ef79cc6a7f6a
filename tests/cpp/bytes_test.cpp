// Arrays of bytes: odd lengths at odd places on every path that data take, neighbours that
// different ranks write at once, and records of any size as a last dimension that is not cut.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "serial_model.hpp"
#include "user_buffer.hpp"

namespace lagoon::atoll::test {
namespace {

using Byte = std::uint8_t;

std::vector<Byte> random_bytes(Random& random, std::int64_t count) {
  std::vector<Byte> bytes(static_cast<std::size_t>(count));
  for (Byte& byte : bytes) byte = static_cast<Byte>(random.between(0, 255));
  return bytes;
}

/// All ranks' vectors are the model; one rank acts, all compare.
class Bytes : public testing::Test {
 protected:
  /// Puts, adds and reads `length` bytes from `first` on, from and to odd addresses.
  void check_run(Random& random, Array<Byte>& array, SerialArray<Byte>& model, std::int64_t first,
                 std::int64_t length) {
    const Patch patch{{first}, {first + length}};
    const Byte alpha = static_cast<Byte>(random.between(0, 2));
    const std::vector<Byte> put = random_bytes(random, length),
                            added = random_bytes(random, length);
    model.put(patch, put);
    model.accumulate(patch, added, alpha);
    if (world().rank() == actor_) {
      std::vector<Byte> odd(static_cast<std::size_t>(length) + 1);
      std::copy(put.begin(), put.end(), odd.begin() + 1);
      array.put(patch, odd.data() + 1);
      std::copy(added.begin(), added.end(), odd.begin() + 1);
      array.accumulate(patch, odd.data() + 1, alpha);
    }
    world().sync();
    EXPECT_TRUE(holds(array, model.values())) << patch.to_string();
    world().sync();
    actor_ = (actor_ + 1) % world().size();
  }

  int actor_ = 0;
};

TEST_F(Bytes, RunsOfAnyLengthGoToAnyPlace) {
  Random random(701);
  const Index shape{world().size() * 401 + 3};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<Byte> array(world(), shape, {.layout = layout});
    SerialArray<Byte> model(shape);
    SCOPED_TRACE(array.distribution().to_string());
    for (std::int64_t length = 1; length < 40; length += 2) {
      check_run(random, array, model, random.between(0, shape[0] - length), length);
    }
  }
}

// What is small, fits a message, is a chunk, or several, ends inside a stripe of locks or behind
// it.
TEST_F(Bytes, LengthsAtTheEdgesOfMessagesChunksAndStripes) {
  Random random(702);
  const std::int64_t block = (std::int64_t{2} << 20) + 77;
  const Index shape{block * world().size() - 5};
  Array<Byte> array(world(), shape);
  SerialArray<Byte> model(shape);
  for (const std::int64_t edge : {2048, 16384, 40960, 65536, 262144, 1048576})
    for (const std::int64_t length : {edge - 1, edge + 1}) {
      const std::int64_t owner = random.between(0, world().size() - 1);
      check_run(random, array, model, owner * block + random.between(1, block / 3), length);
    }
}

TEST_F(Bytes, SectionsWithStepsFromAnyBuffer) {
  Random random(703);
  for (int dimensions = 1; dimensions <= 4; ++dimensions)
    for (int round = 0; round < 12; ++round) {
      const Index shape = random_shape(random, dimensions, round < 10 ? 700 : 60'000);
      Array<Byte> array(world(), shape, {.layout = random_layout(random, shape, world().size())});
      SerialArray<Byte> model(shape);
      SCOPED_TRACE(shape.to_string() + " " + array.distribution().to_string());
      for (const BufferKind kind : all_buffers) {
        const Patch patch = random_patch(random, shape, true);
        UserBuffer<Byte> buffer(random, patch.shape(), kind);
        buffer.fill(random);
        const Byte alpha = small_value<Byte>(random);
        const bool adds = random.chance(0.5), later = random.chance(0.5);
        if (adds)
          model.accumulate(patch, buffer.packed(), alpha);
        else
          model.put(patch, buffer.packed());
        if (world().rank() == actor_) {
          const Index strides = buffer.strides();
          if (later)
            (adds ? array.accumulate_async(patch, buffer.data(), alpha, strides)
                  : array.put_async(patch, buffer.data(), strides))
                .wait();
          else if (adds)
            array.accumulate(patch, buffer.data(), alpha, strides);
          else
            array.put(patch, buffer.data(), strides);
        }
        world().sync();
        EXPECT_TRUE(holds(array, model.values()));
        const Patch read = random_patch(random, shape, true);
        UserBuffer<Byte> got(random, read.shape(), BufferKind::padded);
        array.get(read, got.data(), got.strides());
        EXPECT_TRUE(same_elements(got.packed(), model.get(read), read.shape()));
        EXPECT_TRUE(got.padding_untouched());
        world().sync();
        actor_ = (actor_ + 1) % world().size();
      }
    }
}

TEST_F(Bytes, ScatterAndGatherOddNumbersOfThem) {
  Random random(704);
  const Index shape{157, 63};
  for (const Layout& layout : sample_layouts(shape, world().size()))
    for (const int count : {1, 3, 7, 1821, 5003}) {
      Array<Byte> array(world(), shape, {.layout = layout});
      SerialArray<Byte> model(shape);
      std::vector<std::int64_t> positions;
      const std::vector<Byte> values = random_bytes(random, count),
                              added = random_bytes(random, count);
      const Byte alpha = small_value<Byte>(random);
      for (const Byte value : values) {
        const Index at = random_position(random, shape);
        positions.insert(positions.end(), at.begin(), at.end());
        model.at(at) = value;
      }
      for (std::size_t i = 0; i < added.size(); ++i)
        add_product(model.at({positions[2 * i], positions[2 * i + 1]}), alpha, added[i]);
      if (world().rank() == actor_) {
        array.scatter(positions, values.data());
        array.scatter_accumulate(positions, added.data(), alpha);
      }
      world().sync();
      EXPECT_TRUE(holds(array, model.values())) << count << " " << alpha;
      std::vector<Byte> got(values.size());
      array.gather(positions, got.data());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], model.at({positions[2 * i], positions[2 * i + 1]}));
      world().sync();
      actor_ = (actor_ + 1) % world().size();
    }
}

// Each rank writes, or adds to, every size-th byte: nobody may touch more than its own.
TEST_F(Bytes, NeighboursOfDifferentRanksAreKept) {
  const std::int64_t size = world().size(), each = 1001;
  const Index shape{each * size};
  for (const Layout& layout : sample_layouts(shape, world().size())) {
    Array<Byte> array(world(), shape, {.layout = layout});
    const Patch mine{{world().rank()}, {shape[0]}, {size}};
    const bool adds = world().rank() % 2 == 1;
    for (int round = 1; round <= 30; ++round) {
      const std::vector<Byte> values(each, static_cast<Byte>(adds ? 1 : round));
      if (adds)
        array.accumulate(mine, values.data());
      else
        array.put(mine, values.data());
    }
    world().sync();
    EXPECT_TRUE(holds(array, std::vector<Byte>(static_cast<std::size_t>(shape[0]), 30)));
    world().sync();
  }
}

TEST_F(Bytes, AddsOfAllRanksCountModulo256) {
  Array<Byte> array(world(), {37});
  const std::vector<Byte> values(37, 3);
  for (int round = 0; round < 100; ++round) array.accumulate(whole({37}), values.data(), 7);
  world().sync();
  EXPECT_TRUE(holds(array, std::vector<Byte>(37, number<Byte>(2100 * world().size()))));
}

TEST_F(Bytes, HaveNoAtomicOperations) {
  Array<Byte> array(world(), {5}, {.name = "bytes"});
  AnyArray& any = array;  // of an Array<Byte> they do not compile
  for (const std::string text : {"int32 or int64", "uint8", "bytes"}) {
    EXPECT_TRUE(throws_error([&] { (void)any.fetch_add({1}, 1); }, ErrorKind::type, {text}));
    EXPECT_TRUE(throws_error([&] { (void)any.swap({1}, 1); }, ErrorKind::type, {text}));
  }
  EXPECT_TRUE(holds(array, std::vector<Byte>(5)));
}

// As long doubles and a program's own types lie in such arrays.
TEST_F(Bytes, RecordsAreAnUncutLastDimension) {
  constexpr std::int64_t bytes = 13;
  Random random(705);
  const Index shape{9, 11, bytes};
  Array<Byte> array(world(), shape, {.layout = Layout::block_cyclic({2, 3, bytes})});
  SerialArray<Byte> model(shape);
  for (int round = 0; round < 20; ++round) {
    Patch patch = random_patch(random, shape);
    patch.lo[2] = 0;
    patch.hi[2] = bytes;
    const std::vector<Byte> records = random_bytes(random, patch.elements());
    model.put(patch, records);
    if (world().rank() == actor_) array.put(patch, records.data());
    world().sync();
    EXPECT_TRUE(holds(array, model.values())) << patch.to_string();
    world().sync();
    actor_ = (actor_ + 1) % world().size();
  }
}

TEST_F(Bytes, LieBesideOtherTypesWithoutMixing) {
  Random random(706);
  const Index shape{101};
  Array<Byte> before(world(), {7}), after(world(), {13});
  Array<std::complex<double>> numbers(world(), shape);
  const std::complex<double> value(1, -1);
  const std::vector<std::complex<double>> values(101, value);
  before.accumulate(whole({7}), random_bytes(random, 7).data());
  numbers.accumulate(whole(shape), values.data());
  after.accumulate(whole({13}), random_bytes(random, 13).data());
  world().sync();
  const auto size = static_cast<double>(world().size());
  EXPECT_TRUE(holds(numbers, std::vector<std::complex<double>>(101, size * value)));
  world().sync();
}

}  // namespace
}  // namespace lagoon::atoll::test

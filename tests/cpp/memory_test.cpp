// Memory: blocks of different sizes, typed sections with any strides against a serial model, atomic
// adds, and what is refused.
#include <cstring>
#include <numeric>
#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

constexpr ElementType all_types[] = {
    ElementType::int32,     ElementType::int64,      ElementType::float32, ElementType::float64,
    ElementType::complex64, ElementType::complex128, ElementType::uint8};

std::int64_t bytes_of(int rank) { return rank % 3 == 1 ? 0 : 1000 * rank + 37; }

/// Where the elements of a section begin, relative to the first, in row-major order.
std::vector<std::int64_t> offsets(const Index& shape, const Index& strides) {
  std::vector<std::int64_t> result{0};
  for (int d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : result)
      for (std::int64_t i = 0; i < shape[d]; ++i) next.push_back(offset + i * strides[d]);
    result = std::move(next);
  }
  return result;
}

/// Strides that keep elements apart, of either sign, and with gaps.
Index random_strides(Random& random, const Index& shape, std::int64_t size) {
  Index strides = shape;
  std::int64_t extent = size;
  for (int d = shape.size() - 1; d >= 0; --d) {
    strides[d] = (extent + size * random.between(0, 2)) * (random.chance(0.3) ? -1 : 1);
    extent += std::abs(strides[d]) * (shape[d] - 1);
  }
  return strides;
}

/// Bytes that a section touches before and from its first element on.
struct Reach {
  std::int64_t before = 0, behind = 0;
  Reach(const Index& shape, const Index& strides, std::int64_t size) : behind(size) {
    for (int d = 0; d < shape.size(); ++d)
      (strides[d] < 0 ? before : behind) += std::abs(strides[d]) * (shape[d] - 1);
  }
};

struct Sample {
  MemorySection section;
  Index strides;  // of the buffer
  std::int64_t first;
  std::vector<unsigned char> buffer;
};

Sample random_sample(Random& random, int rank, std::int64_t block) {
  Sample sample;
  sample.section.rank = rank;
  sample.section.type = all_types[random.between(0, 6)];
  const auto size = static_cast<std::int64_t>(size_of(sample.section.type));
  const auto dimensions = random.between(0, 4);
  for (int d = 0; d < dimensions; ++d) sample.section.shape.push_back(random.between(1, 4));
  Index& shape = sample.section.shape;
  sample.section.strides = random_strides(random, shape, size);
  const Reach there(shape, sample.section.strides, size);
  const std::int64_t slack = block - there.before - there.behind;
  sample.section.offset = there.before + random.between(0, slack);
  sample.strides = random_strides(random, shape, size);
  const Reach here(shape, sample.strides, size);
  sample.first = here.before;
  sample.buffer.resize(static_cast<std::size_t>(here.before + here.behind));
  for (unsigned char& byte : sample.buffer)
    byte = static_cast<unsigned char>(random.between(0, 255));
  return sample;
}

TEST(Memory, BlocksHaveTheSizesAskedForAndAreZero) {
  Memory memory(world(), bytes_of(world().rank()), "blocks");
  EXPECT_EQ(memory.name(), "blocks");
  for (int rank = 0; rank < world().size(); ++rank) {
    EXPECT_EQ(memory.bytes(rank), bytes_of(rank));
    EXPECT_EQ(memory.address(rank) != nullptr, world().same_node(rank));
    std::vector<unsigned char> all(static_cast<std::size_t>(bytes_of(rank)) + 1, 7);
    memory.get({rank, 0, {bytes_of(rank)}}, all.data());
    for (std::int64_t i = 0; i < bytes_of(rank); ++i)
      ASSERT_EQ(all[static_cast<std::size_t>(i)], 0);
    EXPECT_EQ(all.back(), 7);
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.address(world().rank())) % 64, 0U);
  memory.destroy();
  EXPECT_FALSE(memory.alive());
}

TEST(Memory, SectionsOfAnyTypeAndStridesEqualASerialModel) {
  constexpr std::int64_t block = 60000;
  Memory memory(world(), block);
  const int target = (world().rank() + 1) % world().size();
  std::vector<unsigned char> model(block, 0);
  Random random(11, world().rank());
  std::vector<Sample> under_way;
  std::vector<Handle> handles;
  for (int i = 0; i < 300; ++i) {
    Sample sample = random_sample(random, target, block);
    const auto size = size_of(sample.section.type);
    const auto there = offsets(sample.section.shape, sample.section.strides);
    const auto here = offsets(sample.section.shape, sample.strides);
    unsigned char* const mine = sample.buffer.data() + sample.first;
    if (random.chance(0.5)) {
      for (std::size_t e = 0; e < there.size(); ++e)
        std::memcpy(model.data() + sample.section.offset + there[e], mine + here[e], size);
      if (random.chance(0.5)) {
        memory.put(sample.section, mine, sample.strides);
      } else {
        handles.push_back(memory.put_async(sample.section, mine, sample.strides));
        under_way.push_back(std::move(sample));
      }
      continue;
    }
    std::vector<unsigned char> expected = sample.buffer;
    for (std::size_t e = 0; e < there.size(); ++e)
      std::memcpy(expected.data() + sample.first + here[e],
                  model.data() + sample.section.offset + there[e], size);
    if (random.chance(0.5))
      memory.get(sample.section, mine, sample.strides);
    else
      memory.get_async(sample.section, mine, sample.strides).wait();
    EXPECT_EQ(sample.buffer, expected) << "operation " << i;
  }
  wait_all(handles);
  world().sync();
  std::vector<unsigned char> all(block);
  memory.get({target, 0, {block}}, all.data());
  EXPECT_EQ(all, model);
}

TEST(Memory, ConcurrentAccumulatesOfStridedSectionsAddUp) {
  // Everybody adds to every second double of rank 0's and the last rank's block.
  constexpr std::int64_t count = 5000;
  Memory memory(world(), 16 * count);
  std::vector<double> ones(count);
  std::iota(ones.begin(), ones.end(), 1.0);
  const double two = 2;
  for (const int target : {0, world().size() - 1}) {
    const MemorySection section{target, 8, {count}, {16}, ElementType::float64};
    memory.accumulate(section, ones.data());
    Handle handle = memory.accumulate_async(section, ones.data(), &two);
    handle.wait();
  }
  world().sync();
  const int times = world().size() == 1 ? 2 : 1;
  for (const int target : {0, world().size() - 1}) {
    std::vector<double> all(2 * count);
    memory.get({target, 0, {16 * count}}, all.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      ASSERT_EQ(all[2 * i], 0);
      ASSERT_EQ(all[2 * i + 1], 3.0 * times * world().size() * static_cast<double>(i + 1));
    }
  }
}

TEST(Memory, FetchAddHandsOutEachValueOnce) {
  Memory memory(world(), 24);
  const int home = world().size() - 1;
  constexpr std::int64_t times = 500;
  std::vector<std::int64_t> seen(static_cast<std::size_t>(times * world().size()));
  for (int i = 0; i < times; ++i) {
    ++seen.at(static_cast<std::size_t>(memory.fetch_add(ElementType::int64, home, 16, 1)));
    (void)memory.fetch_add(ElementType::int32, home, 4, -2);
  }
  world().reduce(std::span(seen));
  for (const std::int64_t value : seen) ASSERT_EQ(value, 1);
  EXPECT_EQ(memory.fetch_add(ElementType::int32, home, 4, 0), -2 * times * world().size());
  world().sync();
  if (world().rank() == 0) {
    EXPECT_EQ(memory.swap(ElementType::int64, home, 16, -5), times * world().size());
    EXPECT_EQ(memory.swap(ElementType::int64, home, 16, 0), -5);
  }
  world().sync();
}

TEST(Memory, RefusesWhatLeavesABlockOrIsNotAligned) {
  const int last = world().size() - 1;
  Memory memory(world(), 100, "small");
  std::vector<double> data(20);
  EXPECT_THROW(memory.get({last, 96, {5}}, data.data()), Error);
  EXPECT_THROW(memory.get({last, -1, {5}}, data.data()), Error);
  EXPECT_THROW(memory.get({last, 8, {3}, {-8}}, data.data()), Error);
  EXPECT_THROW(memory.get({last, 0, {2, 3}, {50}}, data.data()), Error);
  EXPECT_THROW(memory.get({last, 0, {INT64_MAX}, {INT64_MAX}}, data.data()), Error);
  EXPECT_THROW(memory.get({last + 1, 0, {1}}, data.data()), Error);
  EXPECT_THROW(memory.put({last, 0, {1}}, nullptr), Error);
  EXPECT_THROW(memory.accumulate({last, 4, {1}, {}, ElementType::float64}, data.data()), Error);
  EXPECT_THROW(memory.accumulate({last, 0, {2}, {12}, ElementType::float64}, data.data()), Error);
  EXPECT_THROW((void)memory.fetch_add(ElementType::float64, last, 0, 1), Error);
  EXPECT_THROW((void)memory.fetch_add(ElementType::int64, last, 4, 1), Error);
  EXPECT_THROW((void)memory.fetch_add(ElementType::int32, last, 0, INT64_MAX), Error);
  try {
    memory.put({last, 90, {20}}, data.data());
    ADD_FAILURE() << "went through";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "bytes 90 to 110 leave the 100 bytes of rank " +
                                   std::to_string(last) + ", memory 'small'");
    EXPECT_EQ(error.operation(), "put");
  }
  memory.get({last, 100, {0}}, nullptr);  // of nothing
  memory.destroy();
  EXPECT_THROW(memory.get({last, 0, {1}}, data.data()), Error);
  EXPECT_THROW(Memory(world(), world().rank() == last ? -1 : 8), Error);
  EXPECT_THROW(Memory(world(), std::int64_t{1} << 60), Error);
}

}  // namespace
}  // namespace lagoon::atoll::test

// Nonblocking operations: handles, floods without a wait, and the memory that floods may take.
#include <cstdio>
#include <thread>

#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

/// Resident memory of this process that is its own (not shared segments), in bytes.
std::int64_t private_memory() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long size = 0;
  long resident = 0;
  long shared = 0;
  const int read =
      file == nullptr ? 0 : std::fscanf(file, "%ld %ld %ld", &size, &resident, &shared);
  if (file != nullptr) std::fclose(file);
  return read == 3 ? (resident - shared) * 4096 : 0;
}

/// Sanitizers keep freed memory for a while; their builds check results only.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_measurable = false;
#else
constexpr bool memory_is_measurable = true;
#endif

TEST(Handle, WaitAndTestAreHarmlessWhenDone) {
  Handle nothing;
  nothing.wait();
  EXPECT_TRUE(nothing.test());
  Array<double> array(world(), {8});
  std::vector<double> buffer(8);
  Handle handle = array.get_async(whole({8}), buffer.data());
  handle.wait();
  handle.wait();
  EXPECT_TRUE(handle.test());
  Handle moved = std::move(handle);
  moved.wait();
  EXPECT_TRUE(moved.test());
  wait_all({});
  world().sync();
}

TEST(Handle, TestBecomesTrueByPollingAlone) {
  const int size = world().size();
  Array<std::int64_t> array(world(), {size, 1000}, {.layout = Layout::blocked({1, 1000})});
  const std::vector<std::int64_t> values(1000, world().rank() + 1);
  const std::int64_t next = (world().rank() + 1) % size;
  Handle put = array.put_async({{next, 0}, {next + 1, 1000}}, values.data());
  while (!put.test()) {
  }
  world().sync();
  std::vector<std::int64_t> got(1000);
  Handle get = array.get_async({{world().rank(), 0}, {world().rank() + 1, 1000}}, got.data());
  while (!get.test()) {
  }
  EXPECT_EQ(got, std::vector<std::int64_t>(1000, (world().rank() + size - 1) % size + 1));
  world().sync();
}

TEST(Handle, AnotherThreadSeesItDoneOnlyWhenTheDataAreThere) {
  const int size = world().size();
  constexpr std::int64_t length = 3'000'000;
  Array<std::int64_t> array(world(), {size, length}, {.layout = Layout::blocked({1, length})});
  std::fill_n(array.local().data, length, world().rank() + 1);
  world().sync();
  const std::int64_t next = (world().rank() + 1) % size;
  std::vector<std::int64_t> got(length, 0);
  Handle handle = array.get_async({{next, 0}, {next + 1, length}}, got.data());
  std::int64_t seen = 0;
  std::thread other([&] {
    while (!handle.done()) std::this_thread::yield();
    seen = got.back();
  });
  handle.wait();
  other.join();
  EXPECT_EQ(seen, next + 1);
  world().sync();
}

TEST(Handle, DestroyedEarlyItWaits) {
  const int size = world().size();
  Array<std::int64_t> array(world(), {size * 5000});
  for (int round = 0; round < 20; ++round) {
    const std::int64_t lo = (world().rank() + 1) % size * 5000;
    {
      const std::vector<std::int64_t> values(5000, round + 1);
      const Handle dropped = array.put_async({{lo}, {lo + 5000}}, values.data());
    }  // the handle goes first, then the buffer
    std::vector<std::int64_t> got(5000, -1);
    {
      const Handle dropped = array.get_async({{lo}, {lo + 5000}}, got.data());
    }
    ASSERT_EQ(got, std::vector<std::int64_t>(5000, round + 1));
  }
  world().sync();
}

TEST(Handle, AssignmentFinishesTheOldOperation) {
  const int size = world().size();
  Array<std::int64_t> array(world(), {size * 100});
  const std::int64_t lo = (world().rank() + 1) % size * 100;
  Handle handle;
  std::vector<std::vector<std::int64_t>> got(50, std::vector<std::int64_t>(100, -1));
  for (auto& buffer : got) handle = array.get_async({{lo}, {lo + 100}}, buffer.data());
  handle.wait();
  for (const auto& buffer : got) EXPECT_EQ(buffer, std::vector<std::int64_t>(100, 0));
  world().sync();
}

TEST(Handle, WaitAllWaitsForAll) {
  const Index shape{64, 64};
  Array<double> array(world(), shape);
  std::vector<double> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  if (world().rank() == 0) array.put(whole(shape), values.data());
  world().sync();
  std::vector<double> got(4096, -1);
  std::vector<Handle> handles;
  for (std::int64_t i = 63; i >= 0; --i)
    handles.push_back(array.get_async({{i, 0}, {i + 1, 64}}, got.data() + i * 64));
  wait_all(handles);
  EXPECT_EQ(got, values);
  world().barrier();
}

TEST(Flood, AHundredThousandPutsWithoutWait) {
  constexpr std::int64_t count = 100'000;
  const int size = world().size();
  // Rank r writes the columns of its successor's rows, one element an operation.
  Array<std::int64_t> array(world(), {size, count}, {.layout = Layout::blocked({1, count})});
  std::vector<std::int64_t> values(count);
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = i * 3 + 1;
  const std::int64_t row = (world().rank() + 1) % size;
  std::vector<Handle> handles;
  handles.reserve(count);
  const std::int64_t before = private_memory();
  for (std::int64_t i = 0; i < count; ++i)
    handles.push_back(
        array.put_async({{row, i}, {row + 1, i + 1}}, &values[static_cast<std::size_t>(i)]));
  const std::int64_t grown = private_memory() - before;
  if (memory_is_measurable) {
    EXPECT_LT(grown, std::int64_t{100} << 20) << "bytes for " << count << " pending puts";
  }
  wait_all(handles);
  world().sync();
  std::vector<std::int64_t> got(count);
  array.get({{world().rank(), 0}, {world().rank() + 1, count}}, got.data());
  EXPECT_EQ(got, values);
  world().barrier();
}

TEST(Flood, AHundredThousandGetsWithoutWait) {
  constexpr std::int64_t count = 100'000;
  const int size = world().size();
  Array<std::int64_t> array(world(), {size, count}, {.layout = Layout::blocked({1, count})});
  std::vector<std::int64_t> values(count);
  for (std::int64_t i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = i * 5 + world().rank();
  array.put({{world().rank(), 0}, {world().rank() + 1, count}}, values.data());
  world().sync();
  const int next = (world().rank() + 1) % size;
  std::vector<std::int64_t> got(count, -1);
  std::vector<Handle> handles;
  handles.reserve(count);
  for (std::int64_t i = 0; i < count; ++i)
    handles.push_back(
        array.get_async({{next, i}, {next + 1, i + 1}}, &got[static_cast<std::size_t>(i)]));
  wait_all(handles);
  for (std::int64_t i = 0; i < count; ++i)
    ASSERT_EQ(got[static_cast<std::size_t>(i)], i * 5 + next);
  world().barrier();
}

TEST(Flood, AHundredThousandAccumulatesOfAllRanksOnOneBlock) {
  constexpr int count = 100'000;
  const int per_rank = count / world().size();
  Array<std::int64_t> array(world(), {world().size(), 16}, {.layout = Layout::blocked({1, 16})});
  const std::vector<std::int64_t> ones(16, 1);
  std::vector<Handle> handles;
  const std::int64_t before = private_memory();
  const std::int64_t last = world().size() - 1;
  for (int i = 0; i < per_rank; ++i)
    handles.push_back(array.accumulate_async({{last, 0}, {last + 1, 16}}, ones.data(), 2));
  const std::int64_t grown = private_memory() - before;
  if (memory_is_measurable) {
    EXPECT_LT(grown, std::int64_t{100} << 20);
  }
  handles.clear();
  world().sync();
  std::vector<std::int64_t> got(16);
  array.get({{last, 0}, {last + 1, 16}}, got.data());
  EXPECT_EQ(got, std::vector<std::int64_t>(16, std::int64_t{2} * per_rank * world().size()));
  world().barrier();
}

TEST(Flood, LargeOperationsThatWaitForTheirTurnKeepTheOrderOfTheProgram) {
  // More streams than one agent takes at once, and than may wait for their turn.
  constexpr std::int64_t rows = 100, length = 5000;
  const int size = world().size();
  Array<std::int64_t> array(world(), {size * rows, length},
                            {.layout = Layout::blocked({rows, length})});
  const std::int64_t first = (world().rank() + 1) % size * rows;
  std::vector<std::vector<std::int64_t>> old_values, got, new_values;
  for (std::int64_t i = 0; i < rows; ++i) {
    old_values.emplace_back(length, first + i);
    got.emplace_back(length, -1);
    new_values.emplace_back(length, -2 - i);
  }
  const auto row = [&](std::int64_t i) {
    return Patch{{first + i, 0}, {first + i + 1, length}, {}};
  };
  std::vector<Handle> handles;
  for (std::size_t i = 0; i < rows; ++i)
    handles.push_back(array.put_async(row(static_cast<std::int64_t>(i)), old_values[i].data()));
  for (std::size_t i = 0; i < rows; ++i)
    handles.push_back(array.get_async(row(static_cast<std::int64_t>(i)), got[i].data()));
  for (std::size_t i = 0; i < rows; ++i)
    handles.push_back(array.put_async(row(static_cast<std::int64_t>(i)), new_values[i].data()));
  wait_all(handles);
  EXPECT_EQ(got, old_values);
  world().sync();
  for (std::int64_t i = 0; i < rows; ++i) {
    std::vector<std::int64_t> last(length);
    array.get(row(i), last.data());
    EXPECT_EQ(last, new_values[static_cast<std::size_t>(i)]);
  }
  world().barrier();
}

TEST(Flood, LargePutsStayBounded) {
  // 400 puts of 1 MB from one buffer: 400 MB in flight if anybody copied them.
  constexpr std::int64_t length = 1 << 17;
  const int size = world().size();
  Array<double> array(world(), {size, length}, {.layout = Layout::blocked({1, length})});
  const std::vector<double> values(length, 1.5);
  const std::int64_t row = (world().rank() + 1) % size;
  std::vector<Handle> handles;
  const std::int64_t before = private_memory();
  for (int i = 0; i < 400 / size; ++i)
    handles.push_back(array.put_async({{row, 0}, {row + 1, length}}, values.data()));
  const std::int64_t grown = private_memory() - before;
  if (memory_is_measurable) {
    EXPECT_LT(grown, std::int64_t{64} << 20);
  }
  wait_all(handles);
  world().sync();
  std::vector<double> got(length);
  array.get({{world().rank(), 0}, {world().rank() + 1, length}}, got.data());
  EXPECT_EQ(got, values);
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test

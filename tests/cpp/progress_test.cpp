// What happens between nodes while nobody calls Atoll: agents serve, movers move. And small
// nonblocking operations that travel together.
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "mpi/face.hpp"
#include "support.hpp"
#include "wire_counter.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::test {
namespace {

/// A rank on another node than mine; the same distance for all ranks. -1 on a single node.
int stranger() {
  for (int step = 1; step < world().size(); ++step) {
    const int other = (world().rank() + step) % world().size();
    if (world().node_of(other) != world().node()) return other;
  }
  return -1;
}

/// Uses this thread's processor without a call of MPI or Atoll.
void compute(double seconds) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  volatile double sum = 0;
  for (const double start = now(); now() - start < seconds;) sum = sum + 1;
}

TEST(Progress, ALargeNonblockingGetArrivesWhileTheCallerComputes) {
  if (world().nodes() == 1 || mode_is("ATOLL_PROGRESS", "none")) GTEST_SKIP() << "needs agents";
  constexpr std::int64_t length = std::int64_t{1} << 20;  // 8 MiB: several chunks one by one
  Array<std::int64_t> array(world(), {world().size(), length},
                            {.layout = Layout::blocked({1, length})});
  std::vector<std::int64_t> mine(length);
  for (std::int64_t i = 0; i < length; ++i)
    mine[static_cast<std::size_t>(i)] = world().rank() * length + i;
  array.put({{world().rank(), 0}, {world().rank() + 1, length}}, mine.data());
  world().sync();
  // One rank at a time, a leader and one that may be none: the others wait, and leave it a core.
  for (const int turn : {0, world().size() - 1}) {
    if (turn == world().rank()) {
      const int from = stranger();
      std::vector<std::int64_t> got(length);
      Handle pending = array.get_async({{from, 0}, {from + 1, length}}, got.data());
      compute(1.0);
      // This one look alone could finish only the chunks under way, three of the eight.
      EXPECT_TRUE(pending.test());
      pending.wait();
      for (std::int64_t i = 0; i < length; ++i) {
        if (got[static_cast<std::size_t>(i)] != from * length + i) {
          ADD_FAILURE() << "element " << i;
          break;
        }
      }
    }
    world().sync();
  }
}

TEST(Progress, SmallNonblockingOperationsToOneNodeTravelTogether) {
  if (world().nodes() == 1 || mode_is("ATOLL_PROGRESS", "none")) GTEST_SKIP() << "needs movers";
  if (mode_is("ATOLL_TRANSPORT", "rma")) GTEST_SKIP() << "gets by RMA are no messages";
  mpi::ThreadLevel level{};
  mpi::query_thread(&level);
  if (level != mpi::ThreadLevel::multiple) GTEST_SKIP() << "needs movers";
  constexpr int many = 2000;
  Array<std::int64_t> array(world(), {world().size(), many},
                            {.layout = Layout::blocked({1, many})});
  world().sync();
  if (world().rank() == 0) {
    const int to = stranger();
    std::vector<std::int64_t> values(many), got(many, -1);
    std::vector<Handle> handles;
    const std::int64_t before = messages_sent();
    for (int i = 0; i < many; ++i) {
      values[static_cast<std::size_t>(i)] = 3 * i + 1;
      handles.push_back(
          array.put_async({{to, i}, {to + 1, i + 1}}, &values[static_cast<std::size_t>(i)]));
    }
    for (int i = 0; i < many; ++i)  // sees the put before it
      handles.push_back(
          array.get_async({{to, i}, {to + 1, i + 1}}, &got[static_cast<std::size_t>(i)]));
    wait_all(handles);
    const std::int64_t messages = messages_sent() - before;
    EXPECT_LT(messages, many / 2) << "for " << 2 * many << " operations";
    EXPECT_EQ(got, values);
  }
  world().sync();
}

TEST(Progress, ALargeHaloUpdateArrivesWhileTheCallerComputes) {
  if (world().nodes() == 1 || mode_is("ATOLL_PROGRESS", "none")) GTEST_SKIP() << "needs agents";
  constexpr std::int64_t rows = 16, columns = std::int64_t{1} << 16;  // 8 MiB either side
  const int size = world().size();
  Array<std::int64_t> array(world(), {size * rows, columns},
                            {.layout = Layout::blocked({rows, columns}).with_halo({rows, 0})});
  TypedBlock<std::int64_t> mine = array.local();
  std::fill_n(mine.data, rows * columns, world().rank());
  const HaloOptions around{.periodic = {true, false}};
  // One rank at a time computes: the others wait, and leave it a core.
  for (const int turn : {0, size - 1}) {
    Handle update = update_halo_begin(array, around);
    if (turn == world().rank()) {
      compute(1.0);
      EXPECT_TRUE(update.test());  // this one look alone could finish only the chunks under way
    }
    update.wait();
    world().sync();
  }
  const TypedBlock<std::int64_t> all = local_with_halo(array);
  for (const std::int64_t row : {std::int64_t{0}, rows - 1, 2 * rows, 3 * rows - 1}) {
    const int from = (world().rank() + (row < rows ? size - 1 : 1)) % size;
    EXPECT_EQ(all.data[row * columns], from);
    EXPECT_EQ(all.data[(row + 1) * columns - 1], from);
  }
  world().sync();
}

TEST(Progress, SmallPiecesOfABlockingCallTravelTogether) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs nodes";
  if (mode_is("ATOLL_TRANSPORT", "rma")) GTEST_SKIP() << "gets by RMA are no messages";
  // Columns are dealt out one by one: a row has as many pieces as elements.
  constexpr std::int64_t length = 4000;
  Array<std::int64_t> array(world(), {1, length}, {.layout = Layout::block_cyclic({1, 1})});
  const Patch all = whole(array.shape());
  std::vector<std::int64_t> values(length), got(length, -1);
  for (std::int64_t i = 0; i < length; ++i) values[static_cast<std::size_t>(i)] = 5 * i + 2;
  world().sync();
  if (world().rank() == 0) {
    const std::int64_t before = messages_sent();
    array.put(all, values.data());
    array.accumulate(all, values.data(), 2);
    const std::int64_t written = messages_sent() - before;
    array.get(all, got.data());
    const std::int64_t read = messages_sent() - before - written;
    EXPECT_LT(written, length / 4);
    EXPECT_LT(read, length / 8);
    for (std::int64_t& value : values) value *= 3;
    EXPECT_EQ(got, values);
  }
  world().sync();
}

TEST(Progress, ASmallWriteAndAFenceAreOneExchange) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs nodes";
  if (mode_is("ATOLL_TRANSPORT", "rma")) GTEST_SKIP() << "puts by RMA are no messages";
  Array<std::int64_t> array(world(), {world().size(), 4}, {.layout = Layout::blocked({1, 4})});
  world().sync();
  if (world().rank() == 0) {
    const std::int64_t to = stranger();
    const std::vector<std::int64_t> values{1, 2, 3, 4}, positions{to, 2};
    const auto messages_of = [&](const auto& write) {
      const std::int64_t before = messages_sent();
      write();
      world().fence(static_cast<int>(to));
      return messages_sent() - before;
    };
    const Patch row{{to, 0}, {to + 1, 4}};
    EXPECT_EQ(messages_of([&] { array.put(row, values.data()); }), 1);
    EXPECT_EQ(messages_of([&] { array.accumulate(row, values.data()); }), 1);
    EXPECT_EQ(messages_of([&] { array.scatter(positions, values.data()); }), 1);
    EXPECT_EQ(messages_of([&] { array.put_async(row, values.data()).wait(); }), 1);
  }
  world().sync();
}

// What others ask for meanwhile does not end a wait: then answers would arrive where the stack was.
static_assert(noexcept(std::declval<detail::Chore&>().poll()));
static_assert(noexcept(std::declval<detail::Progress&>().poll()));
static_assert(noexcept(std::declval<detail::Engine&>().serve()));

TEST(Progress, BatchedOperationsKeepTheirOrderAmongAllKindsOfOperations) {
  constexpr std::int64_t length = 64;
  const int size = world().size();
  const int owner = stranger() < 0 ? (world().rank() + 1) % size : stranger();
  // Each rank has a row of its own with every owner.
  Array<std::int64_t> array(world(), {size * size, length},
                            {.layout = Layout::blocked({size, length})});
  const std::int64_t to = owner * size + world().rank();
  world().sync();
  std::vector<std::int64_t> model(length, 0);
  std::mt19937 random(static_cast<unsigned>(17 + world().rank()));
  const auto pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(below));
  };
  struct Expected {
    std::vector<std::int64_t> got, want;
  };
  std::vector<Expected> reads(400);
  std::vector<std::vector<std::int64_t>> written(400);
  {
    std::vector<Handle> handles;
    for (std::size_t step = 0; step < reads.size(); ++step) {
      const std::int64_t lo = pick(length), hi = lo + 1 + pick(length - lo);
      const Patch patch{{to, lo}, {to + 1, hi}};
      const auto count = static_cast<std::size_t>(hi - lo);
      written[step].resize(count);
      for (auto& value : written[step]) value = pick(1000);
      const std::int64_t* data = written[step].data();
      switch (pick(6)) {
        case 0:
        case 1: {
          handles.push_back(array.put_async(patch, data));
          std::copy_n(data, count, model.begin() + lo);
          break;
        }
        case 2: {
          handles.push_back(array.accumulate_async(patch, data, 2));
          for (std::size_t i = 0; i < count; ++i)
            model[static_cast<std::size_t>(lo) + i] += 2 * data[i];
          break;
        }
        case 3: {
          array.put(patch, data);
          std::copy_n(data, count, model.begin() + lo);
          break;
        }
        case 4: {
          EXPECT_EQ(array.fetch_add({to, lo}, 5), model[static_cast<std::size_t>(lo)]);
          model[static_cast<std::size_t>(lo)] += 5;
          break;
        }
        default: {
          reads[step].want.assign(model.begin() + lo, model.begin() + hi);
          reads[step].got.assign(count, -1);
          handles.push_back(array.get_async(patch, reads[step].got.data()));
          break;
        }
      }
    }
    wait_all(handles);
  }
  for (const Expected& read : reads) EXPECT_EQ(read.got, read.want);
  world().sync();
}

TEST(Progress, BatchedWritesAreVisibleAfterAFence) {
  constexpr std::int64_t many = 500;
  Array<double> array(world(), {world().size() * many}, {.layout = Layout::blocked({many})});
  array.put({{world().rank() * many}, {world().rank() * many + 1}}, std::vector<double>(1).data());
  world().sync();
  const double one = 1;
  {
    std::vector<Handle> handles;
    for (int owner = 0; owner < world().size(); ++owner)
      for (std::int64_t i = 0; i < many; ++i)
        handles.push_back(
            array.accumulate_async({{owner * many + i}, {owner * many + i + 1}}, &one, 1.0));
  }
  world().sync();
  std::vector<double> got(static_cast<std::size_t>(many));
  array.get({{world().rank() * many}, {(world().rank() + 1) * many}}, got.data());
  EXPECT_EQ(got, std::vector<double>(static_cast<std::size_t>(many), world().size()));
  world().sync();
}

}  // namespace
}  // namespace lagoon::atoll::test

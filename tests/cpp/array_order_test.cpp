// The memory model: program order of one rank on the same elements, and what fence and sync make
// visible to the others. Every pair of operations is tried in small and large, contiguous and
// strided, blocking and nonblocking, on every owner: they may take different paths.
#include <cstdlib>
#include <ctime>
#include <string>

#include "mpi/face.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {
namespace {

/// Whether requests wait until their target calls Atoll.
bool no_agents() {
  const char* mode = std::getenv("ATOLL_PROGRESS");
  return mode != nullptr && std::string(mode) == "none";
}

/// A patch of one rank's block by size: one element, a row part, everything; or strided.
struct Section {
  const char* name;
  Patch patch;  // in rows 0..rows-1 of one block of `columns` columns
};

constexpr std::int64_t rows = 64;
constexpr std::int64_t columns = 1024;  // a whole block is 512 KiB of int64

std::vector<Section> sections() {
  return {{"element", {{5, 7}, {6, 8}}},
          {"row part", {{5, 0}, {6, 100}}},
          {"whole block", {{0, 0}, {rows, columns}}},
          {"column", {{0, 7}, {rows, 8}}},
          {"tile", {{3, 5}, {40, 600}}},
          {"stepped", {{1, 1}, {rows, columns}, {2, 3}}}};
}

/// One block of rows a rank.
Array<std::int64_t> block_rows_array() {
  return {world(), {rows * world().size(), columns}, {.layout = Layout::blocked({rows, columns})}};
}

Patch at_rank(Patch patch, int rank) {
  patch.lo[0] += rank * rows;
  patch.hi[0] += rank * rows;
  return patch;
}

TEST(ProgramOrder, AGetSeesMyEarlierPutOfAnySizeAndPath) {
  Array<std::int64_t> array = block_rows_array();
  // Only one rank works on a block at a time: all ranks, each on the block of another.
  for (int distance = 0; distance < world().size(); ++distance) {
    const int target = (world().rank() + distance) % world().size();
    std::vector<std::int64_t> model(static_cast<std::size_t>(rows * columns));
    array.put(at_rank({{0, 0}, {rows, columns}}, target), model.data());
    std::int64_t value = 0;
    for (const Section& first : sections())
      for (const Section& second : sections()) {
        const std::vector<std::int64_t> data(static_cast<std::size_t>(first.patch.elements()),
                                             ++value);
        for_each_position(first.patch.shape(), [&](const Index& position, std::int64_t) {
          const Index where = array_position(first.patch, position);
          model[static_cast<std::size_t>(where[0] * columns + where[1])] = value;
        });
        std::vector<std::int64_t> got(static_cast<std::size_t>(second.patch.elements()));
        const bool nonblocking = value % 2 == 0;
        if (nonblocking) {
          Handle put = array.put_async(at_rank(first.patch, target), data.data());
          Handle get = array.get_async(at_rank(second.patch, target), got.data());
          get.wait();
          put.wait();
        } else {
          array.put(at_rank(first.patch, target), data.data());
          array.get(at_rank(second.patch, target), got.data());
        }
        std::vector<std::int64_t> expected;
        for_each_position(second.patch.shape(), [&](const Index& position, std::int64_t) {
          const Index where = array_position(second.patch, position);
          expected.push_back(model[static_cast<std::size_t>(where[0] * columns + where[1])]);
        });
        EXPECT_TRUE(same_elements(got, expected, second.patch.shape()))
            << "put " << first.name << ", then get " << second.name << ", owner " << target;
      }
    world().sync();
  }
}

TEST(ProgramOrder, TheLaterOfTwoPutsStaysWhateverTheirSizes) {
  Array<std::int64_t> array = block_rows_array();
  for (int distance = 0; distance < world().size(); ++distance) {
    const int target = (world().rank() + distance) % world().size();
    std::int64_t value = 0;
    for (const Section& first : sections())
      for (const Section& second : sections()) {
        const std::vector<std::int64_t> one(static_cast<std::size_t>(first.patch.elements()),
                                            ++value);
        const std::vector<std::int64_t> two(static_cast<std::size_t>(second.patch.elements()),
                                            ++value);
        Handle a = array.put_async(at_rank(first.patch, target), one.data());
        Handle b = array.put_async(at_rank(second.patch, target), two.data());
        a.wait();
        b.wait();
        std::vector<std::int64_t> got(two.size());
        array.get(at_rank(second.patch, target), got.data());
        EXPECT_TRUE(same_elements(got, two, second.patch.shape()))
            << "put " << first.name << ", then put " << second.name << ", owner " << target;
      }
    world().sync();
  }
}

TEST(ProgramOrder, APutAfterAGetDoesNotReachIntoIt) {
  Array<std::int64_t> array = block_rows_array();
  for (int distance = 0; distance < world().size(); ++distance) {
    const int target = (world().rank() + distance) % world().size();
    std::int64_t value = 0;
    array.put(at_rank({{0, 0}, {rows, columns}}, target),
              std::vector<std::int64_t>(static_cast<std::size_t>(rows * columns)).data());
    for (const Section& read : sections()) {
      const auto count = static_cast<std::size_t>(read.patch.elements());
      const std::vector<std::int64_t> before(count, ++value);
      array.put(at_rank(read.patch, target), before.data());
      std::vector<std::int64_t> got(count);
      Handle get = array.get_async(at_rank(read.patch, target), got.data());
      const std::vector<std::int64_t> after(static_cast<std::size_t>(rows * columns), ++value);
      Handle put = array.put_async(at_rank({{0, 0}, {rows, columns}}, target), after.data());
      put.wait();
      get.wait();
      EXPECT_TRUE(same_elements(got, before, read.patch.shape()))
          << read.name << ", owner " << target;
    }
    world().sync();
  }
}

TEST(ProgramOrder, PutAccumulateFetchAddGetChainsAreExact) {
  const int size = world().size();
  Array<std::int64_t> array(world(), {size, 300}, {.layout = Layout::blocked({1, 300})});
  const std::vector<std::int64_t> ones(300, 1);
  for (int distance = 0; distance < size; ++distance) {
    const int target = (world().rank() + distance) % size;
    const Patch row{{target, 0}, {target + 1, 300}};
    for (std::int64_t round = 0; round < 50; ++round) {
      const std::vector<std::int64_t> base(300, round * 1000);
      array.put(row, base.data());
      array.accumulate(row, ones.data(), 5);
      EXPECT_EQ(array.fetch_add({target, 299}, 10), round * 1000 + 5);
      array.scatter_accumulate(std::vector<std::int64_t>{target, 0, target, 299, target, 0},
                               ones.data());
      EXPECT_EQ(array.swap({target, 1}, -4), round * 1000 + 5);
      std::vector<std::int64_t> got(300);
      array.get(row, got.data());
      EXPECT_EQ(got[0], round * 1000 + 7);
      EXPECT_EQ(got[1], -4);
      EXPECT_EQ(got[2], round * 1000 + 5);
      EXPECT_EQ(got[299], round * 1000 + 16);
      std::int64_t gathered[2];
      array.gather(std::vector<std::int64_t>{target, 299, target, 1}, gathered);
      EXPECT_EQ(gathered[0], round * 1000 + 16);
      EXPECT_EQ(gathered[1], -4);
    }
    world().sync();
  }
}

TEST(ProgramOrder, ABlockingPutsBufferMayBeReusedAtOnce) {
  Array<std::int64_t> array = block_rows_array();
  const int target = (world().rank() + 1) % world().size();
  std::vector<std::int64_t> buffer(static_cast<std::size_t>(rows * columns), 1);
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{900}, columns, rows * columns}) {
    const std::int64_t used_rows = std::max<std::int64_t>(1, count / columns);
    const std::int64_t used_columns = std::min(count, columns);
    const Patch patch = at_rank({{0, 0}, {used_rows, used_columns}}, target);
    std::fill(buffer.begin(), buffer.end(), count);
    array.put(patch, buffer.data());
    std::fill(buffer.begin(), buffer.end(), -1);
    std::fill(buffer.begin(), buffer.end(), 2);
    array.accumulate(patch, buffer.data(), 3);
    std::fill(buffer.begin(), buffer.end(), -1);
    std::vector<std::int64_t> got(static_cast<std::size_t>(patch.elements()));
    array.get(patch, got.data());
    EXPECT_EQ(got, std::vector<std::int64_t>(got.size(), count + 6)) << count;
  }
  world().sync();
}

TEST(Visibility, AfterAFenceAndABarrierEveryRankReadsIt) {
  const int size = world().size();
  Array<std::int64_t> array = block_rows_array();
  for (int round = 1; round <= 10; ++round) {
    const int target = (world().rank() + round) % size;
    const std::vector<std::int64_t> values(static_cast<std::size_t>(rows * columns),
                                           target * 100 + round);
    array.put(at_rank({{0, 0}, {rows, columns}}, target), values.data());
    if (round % 2 == 0)
      world().fence();
    else
      world().fence(target);
    world().barrier();
    for (int rank = 0; rank < size; ++rank) {
      std::int64_t corner[2] = {};
      array.get(at_rank({{0, 0}, {1, 1}}, rank), &corner[0]);
      array.get(at_rank({{rows - 1, columns - 1}, {rows, columns}}, rank), &corner[1]);
      EXPECT_EQ(corner[0], rank * 100 + round);
      EXPECT_EQ(corner[1], rank * 100 + round);
    }
    world().barrier();
  }
}

TEST(Visibility, AFlagAfterAFenceAnnouncesTheData) {
  // A chain through all ranks: data, fence, then the flag; the next polls the flag, reads the data.
  const int size = world().size();
  Array<std::int64_t> data(world(), {size, 5000}, {.layout = Layout::blocked({1, 5000})});
  Array<std::int64_t> flags(world(), {size}, {.layout = Layout::blocked({1})});
  const int rank = world().rank();
  const int next = (rank + 1) % size;
  if (rank > 0)
    while (flags.fetch_add({rank}, 0) == 0) {
    }
  if (rank > 0) {
    std::vector<std::int64_t> got(5000);
    data.get({{rank, 0}, {rank + 1, 5000}}, got.data());
    EXPECT_EQ(got, std::vector<std::int64_t>(5000, rank * 10));
  }
  const std::vector<std::int64_t> values(5000, next * 10);
  data.put({{next, 0}, {next + 1, 5000}}, values.data());
  world().fence(next);
  flags.fetch_add({next}, 1);
  world().sync();
}

TEST(Visibility, AFenceCompletesWritesBeforeAMessageThatSaysSo) {
  // The owner makes no call of Atoll's: it waits for a message, then looks at its memory.
  if (no_agents()) GTEST_SKIP() << "needs agents";
  Array<std::int64_t> array = block_rows_array();
  const int rank = world().rank();
  const int size = world().size();
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(rows * columns), 1);
  for (int writer = 0; writer < size; ++writer) {
    for (int owner = 0; owner < size; ++owner) {
      if (owner == writer) continue;
      for (const Section& section : sections()) {
        int word = 0;
        Index end = section.patch.shape();
        for (std::int64_t& e : end) --e;
        const Index where = array_position(section.patch, end);
        const std::int64_t last = where[0] * columns + where[1];
        if (rank == writer) {
          for (int i = 0; i < 5; ++i)
            array.accumulate_async(at_rank(section.patch, owner), ones.data(), 2).wait();
          world().fence(owner);
          mpi::Request request;
          mpi::isend(&word, 1, mpi::type_int, owner, 0, world().mpi_communicator(), &request);
          mpi::wait(&request, mpi::status_ignore);
        } else if (rank == owner) {
          mpi::recv(&word, 1, mpi::type_int, writer, 0, world().mpi_communicator(),
                    mpi::status_ignore);
          const std::int64_t* memory = array.local().data;
          EXPECT_EQ(memory[last], 10) << "the last element of " << section.name;
          std::int64_t sum = 0;
          for (std::int64_t i = 0; i < rows * columns; ++i) sum += memory[i];
          EXPECT_EQ(sum, 10 * section.patch.elements()) << section.name << " by rank " << writer;
        }
        world().sync();
        if (rank == owner) std::fill_n(array.local().data, rows * columns, 0);
        world().sync();
      }
    }
  }
}

TEST(Visibility, SyncCompletesNonblockingOperationsNobodyWaitedFor) {
  const int size = world().size();
  Array<std::int64_t> array(world(), {size, 3000}, {.layout = Layout::blocked({1, 3000})});
  for (int round = 1; round <= 10; ++round) {
    const int target = (world().rank() + round) % size;
    const std::vector<std::int64_t> values(3000, round);
    Handle put = array.put_async({{target, 0}, {target + 1, 3000}}, values.data());
    world().sync();
    std::vector<std::int64_t> got(static_cast<std::size_t>(size) * 3000);
    array.get(whole({size, 3000}), got.data());
    EXPECT_EQ(got, std::vector<std::int64_t>(got.size(), round));
    world().barrier();
    put.wait();
  }
}

TEST(Visibility, AGetIssuedBeforeASyncDoesNotSeeWhatOthersWriteAfterIt) {
  const int size = world().size();
  Array<std::int64_t> array = block_rows_array();
  const std::int64_t mine = array.distribution().local_elements(world().rank());
  for (std::int64_t round = 1; round <= 30; ++round) {
    const int target = static_cast<int>((world().rank() + round) % size);
    const Section section = sections()[static_cast<std::size_t>(round) % sections().size()];
    std::vector<std::int64_t> got(static_cast<std::size_t>(section.patch.elements()), -1);
    Handle get = array.get_async(at_rank(section.patch, target), got.data());
    world().sync();
    // The owner overwrites its memory by plain stores, as fast as anything can.
    std::fill_n(array.local().data, mine, round);
    get.wait();
    EXPECT_EQ(got, std::vector<std::int64_t>(got.size(), round - 1)) << section.name;
    world().sync();
  }
}

TEST(Visibility, DirectStoresAreSeenAfterASync) {
  const int size = world().size();
  Array<double> array(world(), {size * 7, 9});
  for (int round = 1; round <= 5; ++round) {
    const TypedBlock<double> mine = array.local();
    for_each_position(mine.patch.shape(), [&](const Index& position, std::int64_t) {
      mine.data[position[0] * mine.strides[0] + position[1] * mine.strides[1]] =
          static_cast<double>(linear_index(array_position(mine.patch, position), {size * 7, 9})) *
          round;
    });
    world().sync();
    std::vector<double> expected(static_cast<std::size_t>(size) * 63);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(i) * round;
    EXPECT_TRUE(holds(array, expected));
    world().sync();
  }
}

TEST(Visibility, ATargetThatComputesIsServedAllTheSame) {
  // Rank 0 makes no call for half a second; the others finish their work on its block meanwhile.
  const int size = world().size();
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  Array<std::int64_t> array(world(), {size * 10}, {.layout = Layout::blocked({10})});
  world().sync();
  const auto seconds_of = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double finished = 0, computed = 0;
  if (world().rank() == 0) {
    // Processor time: a machine that stands still for a while does not compute either.
    volatile double sum = 0;
    const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start < 0.5) sum = sum + 1;
    computed = seconds_of(CLOCK_REALTIME);
  } else {
    for (int i = 0; i < 20; ++i) {
      EXPECT_GE(array.fetch_add({3}, 1), 0);
      std::int64_t got = 0;
      array.get({{5}, {6}}, &got);
    }
    finished = seconds_of(CLOCK_REALTIME);
  }
  const double slowest = world().reduce(finished, Reduction::maximum);
  const double target = world().reduce(computed, Reduction::maximum);
  if (!no_agents()) {
    EXPECT_LT(slowest, target) << "40 operations waited for the computing rank";
  }
  world().sync();
  std::int64_t total = 0;
  array.get({{3}, {4}}, &total);
  EXPECT_EQ(total, 20 * (size - 1));
  world().barrier();
}

}  // namespace
}  // namespace lagoon::atoll::test

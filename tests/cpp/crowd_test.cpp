// Crowds: more origins at one agent than it has rooms for, and the credit of each. Limits made for
// thousands of ranks are tightened, so that a few are a crowd.
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "mpi/face.hpp"
#include "support.hpp"
#include "transport/credit.hpp"
#include "transport/outbox.hpp"
#include "transport/staging.hpp"

namespace lagoon::atoll::test {
namespace {

using detail::Allowance;
using detail::Credit;
using detail::Staging;
using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Crowd, AllowanceYieldsOnlyWhereNothingComesBack) {
  Allowance allowance(2, milliseconds(20));
  allowance.take();
  EXPECT_TRUE(allowance.allows());
  allowance.take();
  EXPECT_FALSE(allowance.allows());
  std::this_thread::sleep_for(milliseconds(21));
  EXPECT_TRUE(allowance.allows());
  allowance.take();  // one more, and again nothing
  EXPECT_FALSE(allowance.allows());
  allowance.give_back();
  EXPECT_TRUE(allowance.allows());  // what was added and comes back serves at once again
  allowance.take();
  EXPECT_FALSE(allowance.allows());
  allowance.give_back();
  allowance.give_back();
  allowance.give_back();
  EXPECT_TRUE(allowance.allows());
  allowance.take();
  allowance.take();
  EXPECT_FALSE(allowance.allows());  // there was room: the addition is over
}

TEST(Crowd, EachSideHasAStagingBufferAsFarAsThereAreRooms) {
  Staging staging(2, Allowance(4, hours(1)));
  std::array<std::byte*, 4> held = {staging.take(0), staging.take(0), staging.take(1),
                                    staging.take(2)};
  for (const std::byte* buffer : held) EXPECT_NE(buffer, nullptr);
  EXPECT_EQ(staging.take(1), nullptr);  // has one, and the shared ones are in use
  EXPECT_EQ(staging.take(3), nullptr);  // no room
  staging.give_back(held[0], 0);
  EXPECT_EQ(staging.take(1), nullptr);
  held[0] = staging.take(3);
  EXPECT_NE(held[0], nullptr);
  EXPECT_EQ(staging.buffers(), 4U);
  staging.give_back(held[0], 3);
  staging.give_back(held[1], 0);
  staging.give_back(held[2], 1);
  staging.give_back(held[3], 2);
  EXPECT_EQ(staging.buffers(), 2U) << "what a crowd took is kept";
  EXPECT_NE(held[0] = staging.take(7), nullptr);
  staging.give_back(held[0], 7);
}

TEST(Crowd, OutboxSendsManyMessagesThroughFewBuffers) {
  constexpr int count = 200;
  mpi::Comm alone = mpi::comm_null;
  mpi::comm_dup(mpi::comm_self, &alone);
  {
    detail::Outbox box(alone, sizeof(int), Allowance(8, hours(1)));
    for (int n = 0; n < count; ++n) {
      const auto room = [&] {
        while (!box.room()) std::this_thread::yield();
      };
      int got = -1;
      mpi::Request request;
      mpi::irecv(&got, 1, mpi::type_int, 0, 0, alone, &request);
      room();
      std::memcpy(box.data(), &n, sizeof n);
      EXPECT_TRUE(box.room());  // asked twice, it is the same buffer
      box.send(sizeof n, 0, 0);
      mpi::wait(&request, mpi::status_ignore);
      EXPECT_EQ(got, n);
    }
    EXPECT_LE(box.buffers(), 9U);
    while (!box.empty()) std::this_thread::yield();
    EXPECT_LE(box.buffers(), 16U);
  }
  mpi::comm_free(&alone);
}

TEST(Crowd, CreditIsAShareThatGrowsWithQuickAnswersAndFallsWithLateOnes) {
  for (const int ranks : {1, 341, 1'000, 10'000, 100'000}) {
    Credit credit(ranks);
    const std::int32_t share = credit.messages();
    EXPECT_LE(static_cast<std::int64_t>(share) * ranks,
              std::max<std::int64_t>(Credit::messages_per_agent,
                                     static_cast<std::int64_t>(Credit::least) * ranks));
    EXPECT_EQ(credit.varies(), ranks > 341);
    const auto a_stream_goes = [&] {
      for (std::int32_t n = 1; n <= Credit::stream_messages; ++n)
        if (credit.stream_room(n) > credit.messages() || credit.stream_room(n) < n) return false;
      return true;
    };
    EXPECT_TRUE(a_stream_goes()) << ranks;
    for (int n = 0; n < 100; ++n) credit.answered(Credit::soon, 0);
    EXPECT_EQ(credit.messages(), Credit::most);
    EXPECT_TRUE(a_stream_goes());
    credit.answered(Credit::late + milliseconds(1) / 2, 1'000'000);  // which take a millisecond
    EXPECT_EQ(credit.messages(), Credit::most);
    for (int n = 0; n < 100; ++n) credit.answered(Credit::late, 0);
    EXPECT_EQ(credit.messages(), share);
    EXPECT_TRUE(a_stream_goes());
  }
}

/// While it lives: one room, one answer at a time, the least credit.
class Tightness {
 public:
  Tightness() {
    world().sync();
    Allowance::most_of_all = 1;
    Credit::most_of_all = Credit::least;
    world().sync();
  }
  ~Tightness() {
    world().sync();
    Allowance::most_of_all = SIZE_MAX;
    Credit::most_of_all = Credit::most;
    world().sync();
  }
  Tightness(const Tightness&) = delete;
  Tightness& operator=(const Tightness&) = delete;
};

TEST(Crowd, AllRanksReadAndWriteOneAtOnceWhereThereIsOneRoom) {
  constexpr std::int64_t rows = 400, columns = 220, width = 200;  // strided, of 640 KB a patch
  const int size = world().size(), me = world().rank();
  Array<double> array(world(), {rows, columns * size});
  fill(array, 0.0);
  const Tightness tightness;
  const auto mine = [&](int rank) {
    return Patch{{0, columns * rank}, {rows, columns * rank + width}};
  };
  // All write to the next rank's columns, in four ways, then all read what all have written.
  const int next = (me + 1) % size;
  std::vector<double> block(rows * width), read(block.size());
  std::iota(block.begin(), block.end(), me * 1e6);
  const Patch patch = mine(next);
  array.put(patch, block.data());
  world().sync();
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<Handle> handles;
    for (int n = 0; n < 3; ++n) handles.push_back(array.accumulate_async(patch, block.data(), 1.0));
    for (std::int64_t row = 0; row < 64; ++row)
      handles.push_back(array.accumulate_async({{row, patch.lo[1]}, {row + 1, patch.hi[1]}},
                                               block.data() + row * width, 2.0));
    wait_all(handles);
    world().sync();
  }
  for (int from = 0; from < size; ++from) {
    const int writer = (from + size - 1) % size;
    std::vector<Handle> handles;
    handles.push_back(array.get_async(mine(from), read.data()));
    std::vector<double> tile(static_cast<std::size_t>(60) * 60);
    const Patch corner{{8, columns * from + 8}, {68, columns * from + 68}};
    handles.push_back(array.get_async(corner, tile.data()));
    wait_all(handles);
    int wrong = 0;
    for (std::size_t i = 0; i < read.size(); ++i) {
      const double factor = 7.0 + (static_cast<std::int64_t>(i) / width < 64 ? 4.0 : 0.0);
      wrong += read[i] == factor * (writer * 1e6 + static_cast<double>(i)) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0) << "of rank " << from;
    EXPECT_EQ(tile[61], read[9 * width + 9]);
  }
  world().sync();
}

}  // namespace
}  // namespace lagoon::atoll::test

// Messages that lie unread at a rank which is late: each kind keeps to its share (unread.hpp),
// since a network keeps few of them.
#include "world/unread.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "mirror_support.hpp"
#include "world/farewell.hpp"
#include "world/group_state.hpp"
#include "world/node_group.hpp"

namespace lagoon::atoll::test {
namespace {

using std::chrono::milliseconds;

/// Ranks ask at once while this lives, not after half a second.
class Impatience {
 public:
  Impatience() { detail::Questions::patience_ms = 0; }
  ~Impatience() { detail::Questions::patience_ms = patience_; }
  Impatience(const Impatience&) = delete;
  Impatience& operator=(const Impatience&) = delete;

 private:
  int patience_ = detail::Questions::patience_ms;
};

/// Waits for all ranks without a look at any message of Atoll's.
void meet_aside(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator, &request);
  for (int done = 0; done == 0; std::this_thread::sleep_for(milliseconds(1)))
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

class Unread : public testing::Test {
 protected:
  void SetUp() override { MPI_Comm_dup(world().communicator(), &aside_); }
  void TearDown() override { MPI_Comm_free(&aside_); }
  MPI_Comm aside_ = MPI_COMM_NULL;
};

/// Takes what lies unread here of the library's own messages, and counts it.
int drain() {
  const MPI_Comm communicator = detail::WorldState::get().communicator;
  for (int count = 0;; ++count) {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &found, &status);
    if (found == 0) return count;
    std::array<std::uint64_t, 8> words{};
    MPI_Recv(words.data(), sizeof words, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, communicator,
             MPI_STATUS_IGNORE);
  }
}

TEST_F(Unread, OneQuestionOfARankHoweverOftenOthersAreLate) {
  if (world().size() == 1) GTEST_SKIP() << "needs two ranks";
  {
    const Impatience impatience;
    for (int i = 0; i < 200; ++i) {
      if (world().rank() == 0) std::this_thread::sleep_for(milliseconds(2));
      world().barrier();
    }
  }
  meet_aside(aside_);
  EXPECT_LE(drain(), world().size() * detail::unread::questions);
  meet_aside(aside_);
}

TEST_F(Unread, QuestionsInOtherGroupsAreReadByWhoeverWaits) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks";
  const Group pair = world().split(world().rank() < 2 ? 0 : 1);
  const Impatience impatience;
  for (int i = 0; i < 50; ++i) {
    if (world().rank() == 1) std::this_thread::sleep_for(milliseconds(1));
    pair.barrier();
    if (world().rank() == 0) std::this_thread::sleep_for(milliseconds(1));
    world().barrier();
  }
  meet_aside(aside_);
  EXPECT_LE(drain(), world().size() * detail::unread::questions);
  meet_aside(aside_);
}

TEST_F(Unread, ARootIsFewBroadcastsAhead) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
  constexpr int rounds = 40;
  std::atomic<int> sent{0};
  std::vector<int> words(rounds, -1);
  const auto receive = [&] {
    for (int i = 0; i < rounds; ++i) {
      if (world().rank() == 0) words[static_cast<std::size_t>(i)] = i;
      world().broadcast(std::span(&words[static_cast<std::size_t>(i)], 1), 0);
      ++sent;
    }
  };
  world().barrier();
  if (world().rank() == 0) {
    std::thread root(receive);
    std::this_thread::sleep_for(milliseconds(300));
    EXPECT_LE(sent, detail::unread::broadcasts);
    meet_aside(aside_);
    root.join();
  } else {
    meet_aside(aside_);
    receive();
  }
  for (int i = 0; i < rounds; ++i) EXPECT_EQ(words[static_cast<std::size_t>(i)], i);
  world().barrier();
}

/// Messages of the jobs' parcels that lie here, by the ranks they come from.
std::vector<int> parcels_that_lie_here(const detail::NodeGroup& nodes, std::uint64_t jobs,
                                       std::uint64_t parcels) {
  std::vector<int> counts(static_cast<std::size_t>(world().size()));
  for (int rank = 0; rank < world().size(); ++rank)
    for (std::uint64_t job = 0; job < jobs; ++job)
      for (std::uint64_t number = 0; number < parcels; ++number)
        for (const int phase : {0, 1}) {
          int found = 0;
          MPI_Iprobe(rank, nodes.tag(job, number, phase), nodes.peers(), &found, MPI_STATUS_IGNORE);
          counts[static_cast<std::size_t>(rank)] += found;
        }
  return counts;
}

TEST_F(Unread, MergesSendFewParcelsToARankThatComputes) {
  if (world().nodes() == 1) GTEST_SKIP() << "needs two nodes";
  using namespace detail::unread;
  const std::shared_ptr<detail::NodeGroup>& nodes = detail::NodeGroup::of(world());
  std::vector<Array<double>> arrays;
  std::vector<PendingMerge> pending;
  for (std::uint64_t job = 0; job < detail::NodeGroup::jobs_at_once; ++job) {
    arrays.emplace_back(world(), Index{2048, 512}, mirrored);  // four parcels a home and more
    fill(arrays.back(), 1);
  }
  world().sync();
  for (Array<double>& array : arrays) pending.push_back(merge_begin(array));
  // Rank 0 looks at nothing, while the others do what they can.
  if (world().rank() != 0) {
    const auto end = std::chrono::steady_clock::now() + milliseconds(300);
    while (std::chrono::steady_clock::now() < end) (void)detail::WorldState::get().serve();
  }
  meet_aside(aside_);
  if (world().rank() == 0) {
    for (const int lie_here : parcels_that_lie_here(*nodes, arrays.size(), 64))
      EXPECT_LE(lie_here, merges * (contributions + results));
  }
  meet_aside(aside_);
  for (PendingMerge& merge : pending) merge.wait();
  for (Array<double>& array : arrays)
    EXPECT_EQ(sum(array).as<double>(), 2048. * 512 * world().nodes());
}

}  // namespace
}  // namespace lagoon::atoll::test

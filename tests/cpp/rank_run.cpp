#include "rank_run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include "mpi/face.hpp"
#include "watchdog.hpp"

namespace lagoon::atoll::test {

namespace {

int own_rank = 0;

std::string name_of(const testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

/// Prints failures of this rank and compares the outcome of every test among the ranks.
class RankListener : public testing::EmptyTestEventListener {
 public:
  /// `communicator` is for the listener alone: tests in disorder cannot disturb it.
  explicit RankListener(mpi::Comm communicator) : communicator_(communicator) {}

  bool failed_anywhere() const { return failed_anywhere_; }

  void OnTestStart(const testing::TestInfo& test) override { watch(name_of(test)); }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed() || own_rank == 0) return;  // rank 0 has GoogleTest's own printer
    std::fprintf(stderr, "[rank %d] %s:%d: failure\n%s\n", own_rank,
                 part.file_name() == nullptr ? "unknown file" : part.file_name(),
                 part.line_number(), part.message());
    std::fflush(stderr);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    std::array<int, 3> counts{result.HasFatalFailure() ? 1 : 0, result.Failed() ? 1 : 0,
                              result.Skipped() ? 1 : 0};
    sum_or_abort(counts, name_of(test));
    stop_watching();
    int ranks = 0;
    mpi::comm_size(communicator_, &ranks);
    const auto [fatal, failed, skipped] = counts;
    if (failed > 0) failed_anywhere_ = true;
    if (fatal > 0 && fatal < ranks)
      World::abort("tests: " + name_of(test) + " failed fatally on " + std::to_string(fatal) +
                   " of " + std::to_string(ranks) +
                   " ranks: they are out of step, the run ends here");
    if (skipped > 0 && skipped < ranks)
      World::abort("tests: " + name_of(test) + " was skipped on some ranks only");
    if (own_rank == 0 && failed > 0 && !result.Failed())
      std::fprintf(stderr, "[  FAILED  ] %s on %d other rank(s)\n", name_of(test).c_str(), failed);
  }

 private:
  /// A rank that arrives here while another hangs in the test must not hang with it.
  void sum_or_abort(std::array<int, 3>& counts, const std::string& name) const {
    constexpr int patience = 400'000;  // naps of 50 microseconds: 20 s in which we could run
    const bool fatal = counts[0] != 0;
    mpi::Request request = mpi::request_null;
    std::array<int, 3> totals{};
    mpi::iallreduce(counts.data(), totals.data(), 3, mpi::type_int, mpi::op_sum, communicator_,
                    &request);
    for (int done = 0, naps = 0;; ++naps) {
      mpi::test(&request, &done, mpi::status_ignore);
      if (done != 0) break;
      if (fatal && naps > patience)
        World::abort("tests: " + name + " failed fatally on this rank (" +
                     std::to_string(own_rank) +
                     ") while others are still inside it: the run ends here");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    counts = totals;
  }

  mpi::Comm communicator_;
  bool failed_anywhere_ = false;
};

/// A test of the watchdog itself: one rank sleeps while the others wait for it inside MPI.
class Pause : public testing::Test {
 public:
  explicit Pause(double seconds) : seconds_(seconds) {}
  void TestBody() override {
    atoll::World& world = atoll::World::current();
    if (world.rank() == world.size() - 1)
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    world.barrier();
  }

 private:
  double seconds_;
};

/// The tests that the environment names, less those that the arguments leave out.
void select_tests_again() {
  const char* again = std::getenv("GTEST_AGAIN");
  if (again == nullptr || *again == '\0') return;
  const std::string given = GTEST_FLAG_GET(filter);
  const std::size_t left_out = given.find('-');
  GTEST_FLAG_SET(filter, again + (left_out == std::string::npos ? "" : given.substr(left_out)));
}

}  // namespace

/// Takes our own options out of the arguments.
Options read_options(int& argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  select_tests_again();
  Options options;
  const auto value = [](const std::string& argument, const std::string& flag) {
    return argument.starts_with(flag) ? argument.c_str() + flag.size() : nullptr;
  };
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (const char* seconds = value(argument, "--watchdog="))
      options.watchdog_seconds = std::atoi(seconds);
    else if (const char* pause = value(argument, "--pause="))
      options.pause_seconds = std::atof(pause);
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
  if (options.watchdog_seconds > 0) start_watchdog(options.watchdog_seconds);
  return options;
}

int run_tests(World& world, const Options& options) {
  own_rank = world.rank();
  tell_rank(own_rank);
  if (options.pause_seconds > 0)
    testing::RegisterTest("Watchdog", "Pause", nullptr, nullptr, __FILE__, __LINE__,
                          [seconds = options.pause_seconds] { return new Pause(seconds); });
  mpi::Comm communicator = mpi::comm_null;
  mpi::comm_dup(world.mpi_communicator(), &communicator);
  // All ranks must shuffle alike.
  if (GTEST_FLAG_GET(shuffle) && GTEST_FLAG_GET(random_seed) == 0) {
    int seed = static_cast<int>(std::time(nullptr) % 99999) + 1;
    mpi::bcast(&seed, 1, mpi::type_int, 0, communicator);
    GTEST_FLAG_SET(random_seed, seed);
  }
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  auto listener = std::make_unique<RankListener>(communicator);
  const RankListener& outcome = *listener;
  std::unique_ptr<testing::TestEventListener> printer;
  if (own_rank != 0) printer.reset(listeners.Release(listeners.default_result_printer()));
  listeners.Append(listener.release());  // GoogleTest owns it from here
  int failed = RUN_ALL_TESTS() != 0 || outcome.failed_anywhere() ? 1 : 0;
  watch("the end of the run");
  mpi::allreduce(mpi::in_place(), &failed, 1, mpi::type_int, mpi::op_max, communicator);
  mpi::comm_free(&communicator);
  return failed;
}

}  // namespace lagoon::atoll::test

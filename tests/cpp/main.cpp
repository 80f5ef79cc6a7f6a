// The test program's entry: one World for the whole run, every test on every rank.
//
// - Rank 0 prints progress; every rank prints its own failures, with its rank.
// - A test that takes longer than the watchdog's limit (--watchdog=SECONDS; 180, sanitized 300)
//   prints its name and a backtrace on each stuck rank, then ends the run: a hang is a failure.
// - After each test the ranks compare notes. A fatal failure (ASSERT_*, exception) on some ranks
//   only leaves their collective calls out of step, so the run ends there with a clear message.
// - The exit status is the same on all ranks: 0 only if no test failed anywhere.
#include <execinfo.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include "atoll/atoll.hpp"

namespace {

// Read by the signal handler: plain storage, written only between tests.
std::array<char, 256> watched_test{};
int own_rank = 0;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
unsigned watchdog_seconds = 300;  // sanitized code is many times slower
#else
unsigned watchdog_seconds = 180;
#endif

void write_text(const char* text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void on_alarm(int) {
  std::array<char, 400> heading{};
  std::snprintf(heading.data(), heading.size(), "[rank %d] watchdog: %s took over %u s; stack:\n",
                own_rank, watched_test.data(), watchdog_seconds);
  write_text(heading.data());
  std::array<void*, 64> frames{};
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
  ::sleep(1);  // lets the other stuck ranks print theirs before the launcher ends the run
  ::_exit(3);
}

void watch(const std::string& name) {
  std::snprintf(watched_test.data(), watched_test.size(), "%s", name.c_str());
  ::alarm(watchdog_seconds);
}

void start_watchdog() {
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);  // loads libgcc now: the handler may not allocate
  struct sigaction action{};
  action.sa_handler = on_alarm;
  ::sigaction(SIGALRM, &action, nullptr);
}

std::string name_of(const testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

/// Prints failures of this rank and compares the outcome of every test among the ranks.
class RankListener : public testing::EmptyTestEventListener {
 public:
  /// `communicator` is for the listener alone: tests in disorder cannot disturb it.
  explicit RankListener(MPI_Comm communicator) : communicator_(communicator) {}

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
    ::alarm(0);
    int ranks = 0;
    MPI_Comm_size(communicator_, &ranks);
    const auto [fatal, failed, skipped] = counts;
    if (failed > 0) failed_anywhere_ = true;
    if (fatal > 0 && fatal < ranks)
      atoll::World::abort("tests: " + name_of(test) + " failed fatally on " +
                          std::to_string(fatal) + " of " + std::to_string(ranks) +
                          " ranks: they are out of step, the run ends here");
    if (skipped > 0 && skipped < ranks)
      atoll::World::abort("tests: " + name_of(test) + " was skipped on some ranks only");
    if (own_rank == 0 && failed > 0 && !result.Failed())
      std::fprintf(stderr, "[  FAILED  ] %s on %d other rank(s)\n", name_of(test).c_str(), failed);
  }

 private:
  /// A rank that arrives here while another hangs in the test must not hang with it.
  void sum_or_abort(std::array<int, 3>& counts, const std::string& name) const {
    constexpr auto patience = std::chrono::seconds(20);
    const bool fatal = counts[0] != 0;
    MPI_Request request = MPI_REQUEST_NULL;
    std::array<int, 3> totals{};
    MPI_Iallreduce(counts.data(), totals.data(), 3, MPI_INT, MPI_SUM, communicator_, &request);
    const auto start = std::chrono::steady_clock::now();
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) break;
      if (fatal && std::chrono::steady_clock::now() - start > patience)
        atoll::World::abort("tests: " + name + " failed fatally on this rank (" +
                            std::to_string(own_rank) +
                            ") while others are still inside it: the run ends here");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    counts = totals;
  }

  MPI_Comm communicator_;
  bool failed_anywhere_ = false;
};

/// Takes "--watchdog=SECONDS" out of the arguments; 0 switches the watchdog off.
void read_watchdog(int& argc, char** argv) {
  const std::string flag = "--watchdog=";
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(flag))
      watchdog_seconds =
          static_cast<unsigned>(std::strtoul(argument.c_str() + flag.size(), nullptr, 10));
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
}

int run_tests(atoll::World& world) {
  own_rank = world.rank();
  start_watchdog();
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_dup(world.communicator(), &communicator);
  // All ranks must shuffle alike.
  if (GTEST_FLAG_GET(shuffle) && GTEST_FLAG_GET(random_seed) == 0) {
    int seed = static_cast<int>(std::time(nullptr) % 99999) + 1;
    MPI_Bcast(&seed, 1, MPI_INT, 0, communicator);
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
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, communicator);
  MPI_Comm_free(&communicator);
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  read_watchdog(argc, argv);
  int status = 0;
  {
    atoll::World world(argc, argv);
    status = run_tests(world);
  }
  ::alarm(0);
  return status;
}

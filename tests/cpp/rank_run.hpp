// How every test program runs its tests on all ranks.
//
// - Rank 0 prints progress; every rank prints its own failures, with its rank.
// - A test that takes longer than the watchdog's limit (--watchdog=SECONDS; 180, sanitized 300)
//   ends the run with its name (watchdog.hpp). --pause=SECONDS adds a test that takes so long.
// - After each test the ranks compare notes. A fatal failure (ASSERT_*, exception) on some ranks
//   only leaves their collective calls out of step, so the run ends there with a clear message.
// - GTEST_AGAIN="A.B:C.D" in the environment runs these tests alone (scripts/again.sh).
// - The exit status is the same on all ranks: 0 only if no test failed anywhere.
#pragma once

#include "atoll/world.hpp"

namespace lagoon::atoll::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int default_limit = 300;  // sanitized code is many times slower
#else
constexpr int default_limit = 180;
#endif

/// The program's own options; GoogleTest has taken out its own before.
struct Options {
  int watchdog_seconds = default_limit;  // 0: no watchdog
  double pause_seconds = 0;              // 0: no such test
};

/// Takes GoogleTest's options and the program's own out of the arguments, and starts the watchdog.
Options read_options(int& argc, char** argv);

/// All tests on all ranks of the world; the exit status.
int run_tests(World& world, const Options& options);

}  // namespace lagoon::atoll::test

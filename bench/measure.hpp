// Taking times: several contenders for one job run in turn, batch by batch, in the same process, so
// that a change of clock frequency or a noisy neighbour hits all of them alike.
//
// A contender is a loop over a number of iterations. The number is chosen once for each contender,
// so that a batch lasts long against the clock's resolution but is shorter than the scheduler's
// slices: on a busy machine a few of many batches then run undisturbed, and the best is one of
// those. The batches of the choice warm up and are not reported.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "placement.hpp"

namespace bench {

struct Settings {
  bool quick = false;  ///< fewer sizes, shorter batches: does it run at all
  std::string json{};  ///< file for the figures; none when empty
  /// The largest transfer between nodes, in bytes: a slow network takes its time.
  std::int64_t largest = std::int64_t{64} << 20;
  Cores cores = Cores::free;  ///< where the multiply's threads run
  double share = 1.0;         ///< of the usual time of a race: many small figures share it
};

/// Seconds per iteration, one value a batch.
class Samples {
 public:
  Samples() = default;
  explicit Samples(std::vector<double> seconds);
  double best() const { return seconds_.front(); }
  double median() const;
  /// The same with every value times `factor` > 0.
  Samples scaled(double factor) const;

 private:
  std::vector<double> seconds_;  // ascending
};

struct Contender {
  std::function<void(std::int64_t iterations)> run;
  /// Called around every batch, outside the measured time; may be empty.
  std::function<void(std::int64_t iterations)> before{};
  std::function<void()> after{};
};

/// Runs all contenders in turn, the order rotated and reversed from repeat to repeat; the i-th
/// samples belong to the i-th contender. A batch lasts about `batch` seconds, or one iteration
/// where that is longer. Called on one rank: a contender brings its own partner along.
std::vector<Samples> race(const Settings& settings, const std::vector<Contender>& contenders,
                          double batch = 1e-3);

/// Seconds on a monotonic clock.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Makes the compiler believe that the memory behind `pointer` is read and written here.
inline void touch(void* pointer) { asm volatile("" : : "g"(pointer) : "memory"); }

/// "8 B", "16 KiB", "64 MiB".
std::string bytes_text(std::int64_t bytes);

}  // namespace bench

// Stopwatch: adds the time of its life to a sum.
#pragma once

#include <chrono>

namespace lagoon::atoll::detail {

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) noexcept : seconds_(seconds) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace lagoon::atoll::detail

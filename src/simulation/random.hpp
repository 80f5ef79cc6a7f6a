// The numbers that decide a run: all from the seed, by an algorithm of fixed results (splitmix64).
#pragma once

#include <cstdint>

namespace lagoon::atoll::simulation {

constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

class Random {
 public:
  void seed(std::uint64_t number) noexcept { state_ = mixed(number + 0x9e3779b97f4a7c15U); }
  std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  /// From 0 to `bound` - 1.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
  bool one_in(std::uint64_t many) noexcept { return below(many) == 0; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace lagoon::atoll::simulation

// Bell: a number in memory that ranks of a node share, and that others wait for to change.
#pragma once

#include <atomic>
#include <cstdint>

namespace lagoon::atoll::detail {

class WorldState;

/// Zero-initialised memory is a valid one.
class Bell {
 public:
  std::uint32_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  /// Changes the value; what this rank wrote before is visible to whoever sees it.
  void ring(std::uint32_t value) noexcept;
  /// Returns when the value is another than `seen`. Serves requests meanwhile, and sleeps at last.
  void wait_while(WorldState& world, std::uint32_t seen);

 private:
  std::atomic<std::uint32_t> value_, sleepers_;
};

}  // namespace lagoon::atoll::detail

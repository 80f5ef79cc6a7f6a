// What progress agents have in common, be they threads of leaders or ranks of their own: how they
// sleep, and how they ask the system to be woken.
#pragma once

namespace lagoon::atoll::detail {

/// How long an agent sleeps between looks. While there is traffic hardly at all, then ever longer:
/// a sleeper that wakes preempts a computing rank, a thread that yields would wait for its slice.
/// After a while without traffic the longest nap grows too, which halves an idle agent's cost.
class AgentNap {
 public:
  /// `attentive`: what comes is not seen as traffic, so that long naps would never end early.
  explicit AgentNap(bool attentive) noexcept : attentive_(attentive) {}
  void reset() noexcept {
    nanoseconds_ = shortest;
    quiet_ = 0;
  }
  void longest() noexcept { nanoseconds_ = most(); }
  void sleep() noexcept;

 private:
  static constexpr long microsecond = 1000, millisecond = 1000 * microsecond;
  static constexpr long shortest = microsecond, after_long = 500 * millisecond;
  // The last one keeps the median of the first request after a long silence below half a
  // millisecond.
  long most() const noexcept {
    if (attentive_) return 20 * microsecond;
    if (quiet_ < 20 * millisecond) return 200 * microsecond;
    return (quiet_ < after_long ? 500 : 800) * microsecond;
  }
  const bool attentive_;
  long nanoseconds_ = shortest;
  long quiet_ = 0;  // slept since the last request
};

/// Once in an agent's thread: exact sleeps, and short turns soon after waking.
void prepare_agent_thread() noexcept;

}  // namespace lagoon::atoll::detail

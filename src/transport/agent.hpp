// What progress agents have in common, be they threads of leaders or ranks of their own: how they
// sleep, and how they ask the system to be woken.
#pragma once

#include <chrono>

namespace lagoon::atoll::detail {

/// How an agent sleeps between looks: hardly at all right after a request, ever longer without any:
/// two idle nodes take about 2 % of a core. A sleeper that wakes preempts a computing rank, while
/// a thread that yields would wait for its slice.
class AgentNap {
 public:
  /// `attentive`: what comes is not seen as traffic, so that long naps would never end early.
  explicit AgentNap(bool attentive) noexcept : attentive_(attentive) {}
  /// There was a request.
  void reset() noexcept { last_request_ = Clock::now(); }
  void sleep() noexcept;
  /// While the rank itself waits inside Atoll and serves: not to fight it for locks and cores. It
  /// is also what the first request waits for after the rank has gone to compute.
  static void stand_back() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  const bool attentive_;
  Clock::time_point last_request_ = Clock::now();
};

/// Once in an agent's thread: exact sleeps, and short turns soon after waking.
void prepare_agent_thread() noexcept;

}  // namespace lagoon::atoll::detail

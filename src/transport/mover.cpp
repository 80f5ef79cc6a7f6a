// Mover: looking while it pays, sleeping else.
#include "transport/mover.hpp"

#include <algorithm>
#include <utility>

#include "transport/agent.hpp"
#include "world/waiter.hpp"

namespace lagoon::atoll::detail {

namespace {

using std::chrono::microseconds;

// A look takes the computing rank's core for 10 microseconds or so; sockets hold what comes
// meanwhile.
constexpr microseconds shortest_nap{50}, longest_nap{200};
constexpr std::chrono::seconds longest_sleep{1};

}  // namespace

Mover::Mover(std::function<bool()> look, std::function<bool()> needed)
    : look_(std::move(look)), needed_(std::move(needed)) {}

Mover::~Mover() {
  stopping_.store(true, std::memory_order_seq_cst);
  signal_.fetch_add(1, std::memory_order_seq_cst);
  wake_all(signal_);
  if (thread_.joinable()) thread_.join();
}

void Mover::wake() {
  if (!needed_()) return;
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { run(); });
    return;
  }
  // Sequentially consistent with the sleeper: it sees the operation, or we see it asleep.
  if (!asleep_.load(std::memory_order_seq_cst)) return;
  signal_.fetch_add(1, std::memory_order_seq_cst);
  wake_all(signal_);
}

void Mover::run() {
  prepare_agent_thread();
  microseconds nap = shortest_nap;
  while (!stopping_.load(std::memory_order_seq_cst)) {
    if (needed_()) {
      nap = look_() ? shortest_nap : std::min(nap + nap / 2, longest_nap);
      take_nap(nap);
      continue;
    }
    const std::uint32_t seen = signal_.load(std::memory_order_seq_cst);
    asleep_.store(true, std::memory_order_seq_cst);
    if (!needed_() && !stopping_.load(std::memory_order_seq_cst))
      sleep_on(signal_, seen, longest_sleep);
    asleep_.store(false, std::memory_order_seq_cst);
    nap = shortest_nap;
  }
}

}  // namespace lagoon::atoll::detail

// Helper: looking while it pays, sleeping else.
#include "transport/helper.hpp"

#include <exception>
#include <utility>

namespace lagoon::atoll::detail {

Helper::Helper(const WaitPolicy& policy, std::function<bool()> serve, std::function<bool()> needed,
               Doorbell* doorbell)
    : policy_(policy), serve_(std::move(serve)), needed_(std::move(needed)), doorbell_(doorbell) {}

Helper::~Helper() {
  stopping_.store(true);
  bell_.ring(bell_.value() + 1);
  if (doorbell_ != nullptr) doorbell_->ring();
  if (thread_.joinable()) thread_.join();
}

void Helper::start() {
  const std::lock_guard lock(starting_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  runs_.store(true, std::memory_order_release);
}

void Helper::wake() noexcept {
  if (!needed_()) return;
  if (runs()) {
    if (bell_.has_sleepers()) bell_.ring(bell_.value() + 1);
    return;
  }
  try {
    start();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody depends on it
  }
}

// `needed` reads what is sequentially consistent: we see it before we sleep, or are seen asleep.
void Helper::run() noexcept {
  prepare_to_serve();
  for (;;) {
    const std::uint32_t seen = bell_.value();
    if (stopping_.load()) return;
    if (needed_())
      wait_until(
          policy_, [&] { return stopping_.load() || !needed_(); },
          Work([this]() noexcept { return serve_(); }), sleep_at(doorbell_));
    else
      bell_.sleep_while(seen, policy_.rung, needed_);
  }
}

}  // namespace lagoon::atoll::detail

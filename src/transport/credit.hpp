// Credit: how many messages a rank may have under way to one agent. All ranks may talk to the same
// one, so each begins with its share of what may queue there. Most agents serve few at a time: as
// long as this one answers soon, the rank has more with it, and gives that back when it does not.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "transport/wire.hpp"
#include "world/unread.hpp"

namespace lagoon::atoll::detail {

class Credit {
 public:
  /// Messages that all origins together may have queued at one agent, each with its share.
  static constexpr std::int32_t messages_per_agent = 8192;
  /// Of a stream, at most: its request and its chunks under way.
  static constexpr std::int32_t stream_messages = 1 + static_cast<std::int32_t>(chunks_in_flight);
  static constexpr std::int32_t least = stream_messages, most = unread::requests;

  Credit() = default;
  /// In a world of so many.
  explicit Credit(int ranks) noexcept
      : share_(std::clamp(messages_per_agent / ranks, least, most)), messages_(share_) {}
  std::int32_t messages() const noexcept {
    return std::min(messages_, most_of_all.load(std::memory_order_relaxed));
  }
  /// Whether it depends on how the agent answers: else nobody need tell.
  bool varies() const noexcept { return share_ < most; }
  /// What moved so many bytes was answered so long after it went out.
  void answered(std::chrono::nanoseconds after, std::int64_t bytes) noexcept {
    after -= std::chrono::nanoseconds(bytes);  // at a GB/s
    if (after <= soon)
      messages_ = std::min(messages_ + 1, most);
    else if (after >= late)
      messages_ = std::max(messages_ / 2, share_);
  }
  /// What must be free for a stream of so many: half is left to what is small, where there is more
  /// than the stream takes.
  std::int32_t stream_room(std::int32_t messages) const noexcept {
    return std::min(messages + this->messages() / 2, this->messages());
  }

  /// Agents take a microsecond or two for a small request: one that answers soon has a few hundred
  /// before it, a late one thousands.
  static constexpr std::chrono::nanoseconds soon = std::chrono::milliseconds{1},
                                            late = std::chrono::milliseconds{10};
  /// Of all connections: for tests, which have few ranks.
  static inline std::atomic<std::int32_t> most_of_all{most};

 private:
  std::int32_t share_ = most, messages_ = most;
};
static_assert(Credit::least <= Credit::most);

}  // namespace lagoon::atoll::detail

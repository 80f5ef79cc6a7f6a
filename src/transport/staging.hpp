// Staging: a bounded pool of chunk buffers. What does not get one waits for its next turn; one is
// there from the start, so that its turn comes whatever the memory of the process.
//
// A few are shared by the other sides of streams, and each of these may have one beyond them, so
// that a rank that does not take part, and keeps those for it, stops nobody else. Of ten thousand
// that come at once only so many have one as there are rooms; the others wait while those move on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "transport/allowance.hpp"
#include "transport/wire.hpp"
#include "world/spare.hpp"

namespace lagoon::atoll::detail {

class Staging {
 public:
  /// Buffers at once, of all sides together: 64 MiB.
  static constexpr std::size_t most_rooms = 256;

  explicit Staging(std::size_t shared, Allowance rooms = Allowance(most_rooms))
      : shared_(shared), rooms_(rooms) {
    (void)make();
    waste_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(direct_chunk));
  }
  /// A buffer of `staged_chunk` bytes for data from or to the rank, or null when it must wait.
  std::byte* take(int rank) noexcept {
    const bool has_some = holder_of(rank) != holders_.end();
    if (rooms_.in_use() >= shared_ && (has_some || !rooms_.allows())) return nullptr;
    if (!has_some && !has_place_for_one(holders_)) return nullptr;
    if (free_.empty() && !add()) return nullptr;
    rooms_.take();
    if (has_some)
      ++holder_of(rank)->buffers;
    else
      holders_.push_back({rank, 1});
    std::byte* const buffer = free_.back().release();
    free_.pop_back();
    return buffer;
  }
  void give_back(std::byte* buffer, int rank) noexcept {
    if (buffer == nullptr) return;
    free_.emplace_back(buffer);  // there is place for all
    rooms_.give_back();
    const auto holder = holder_of(rank);
    if (--holder->buffers == 0) {
      *holder = holders_.back();
      holders_.pop_back();
    }
    if (rooms_.in_use() == 0 && free_.size() > shared_) drop_what_a_crowd_took();
  }
  /// `direct_chunk` bytes that nobody reads, for what is thrown away, or null when they are in use.
  std::byte* take_waste() noexcept {
    return std::exchange(waste_in_use_, true) ? nullptr : waste_.get();
  }
  void give_back_waste() noexcept { waste_in_use_ = false; }
  /// There are, in use or not.
  std::size_t buffers() const noexcept { return rooms_.in_use() + free_.size(); }

 private:
  struct Holder {
    int rank;
    std::size_t buffers;
  };
  std::vector<Holder>::iterator holder_of(int rank) noexcept {
    return std::ranges::find(holders_, rank, &Holder::rank);
  }
  bool add() noexcept {
    try {
      return make();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  bool make() {
    free_.reserve(std::max(shared_, buffers() + 1));
    free_.push_back(
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staged_chunk)));
    return true;
  }
  void drop_what_a_crowd_took() noexcept { free_.resize(shared_); }

  std::size_t shared_;
  Allowance rooms_;
  std::vector<Holder> holders_;  // sides that have buffers: no more than there are rooms
  std::vector<std::unique_ptr<std::byte[]>> free_;  // with place for all
  std::unique_ptr<std::byte[]> waste_;
  bool waste_in_use_ = false;
};

}  // namespace lagoon::atoll::detail

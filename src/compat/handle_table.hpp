// What programs know by numbers: arrays, files, requests.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace lagoon::atoll::compat {

/// A new thing gets the lowest free number, from `first` on, and stays where it is in memory. Any
/// threads may look for things while others add and take some: slots never move.
template <class T>
class HandleTable {
 public:
  explicit HandleTable(int first = 0) : first_(first) {}

  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;
  ~HandleTable() {
    for (std::size_t slot = 0; slot < size_; ++slot) delete at(slot).load();
    for (auto& part : parts_) delete[] part.load();
  }

  /// The number that the next thing will get.
  int next() const noexcept {
    const std::lock_guard lock(mutex_);
    return first_ + static_cast<int>(free_);
  }

  int add(std::unique_ptr<T> thing) {
    const std::lock_guard lock(mutex_);
    const std::size_t slot = free_;
    if (slot == size_) {
      auto& part = parts_[part_of(slot)];
      if (part.load(std::memory_order_relaxed) == nullptr)
        part.store(new Slot[first_part << part_of(slot)](), std::memory_order_release);
      ++size_;
    }
    at(slot).store(thing.release(), std::memory_order_release);
    while (free_ < size_ && at(free_).load(std::memory_order_relaxed) != nullptr) ++free_;
    return first_ + static_cast<int>(slot);
  }

  /// Null for a number of nothing.
  T* find(std::int64_t handle) const noexcept {
    const std::size_t slot = slot_of(handle);
    return known(slot) ? at(slot).load(std::memory_order_acquire) : nullptr;
  }

  /// The same, out of the table: the number is free.
  std::unique_ptr<T> take(std::int64_t handle) noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t slot = slot_of(handle);
    if (slot >= size_) return nullptr;
    free_ = std::min(free_, slot);
    return std::unique_ptr<T>(at(slot).exchange(nullptr, std::memory_order_acq_rel));
  }

  /// All numbers of something, ascending.
  std::vector<int> handles() const {
    const std::lock_guard lock(mutex_);
    std::vector<int> all;
    for (std::size_t slot = 0; slot < size_; ++slot)
      if (at(slot).load(std::memory_order_relaxed) != nullptr)
        all.push_back(first_ + static_cast<int>(slot));
    return all;
  }

 private:
  using Slot = std::atomic<T*>;
  // Part k has 64 * 2^k slots, so that none ever moves.
  static constexpr std::size_t first_part = 64, most_parts = 26;

  static std::size_t part_of(std::size_t slot) noexcept {
    return static_cast<std::size_t>(std::bit_width(slot / first_part + 1)) - 1;
  }
  bool known(std::size_t slot) const noexcept {
    return slot < first_part * ((std::size_t{1} << most_parts) - 1) &&
           parts_[part_of(slot)].load(std::memory_order_acquire) != nullptr;
  }
  Slot& at(std::size_t slot) const noexcept {
    const std::size_t part = part_of(slot);
    return parts_[part].load(
        std::memory_order_acquire)[slot - first_part * ((std::size_t{1} << part) - 1)];
  }
  /// Beyond all slots for a number below the first.
  std::size_t slot_of(std::int64_t handle) const noexcept {
    return static_cast<std::size_t>(handle) - static_cast<std::size_t>(std::int64_t{first_});
  }

  const int first_;
  std::array<std::atomic<Slot*>, most_parts> parts_{};
  mutable std::mutex mutex_;  // guards what follows, and changes
  std::size_t size_ = 0;      // slots that were ever in use
  std::size_t free_ = 0;      // the lowest slot of nothing
};

}  // namespace lagoon::atoll::compat

// What programs know by numbers: arrays, files, requests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lagoon::atoll::compat {

/// A new thing gets the lowest free number, from `first` on, and stays where it is in memory.
template <class T>
class HandleTable {
 public:
  explicit HandleTable(int first = 0) : first_(first) {}

  /// The number that the next thing will get.
  int next() const noexcept { return first_ + static_cast<int>(free_); }

  int add(std::unique_ptr<T> thing) {
    const int handle = next();
    if (free_ == slots_.size())
      slots_.push_back(std::move(thing));
    else
      slots_[free_] = std::move(thing);
    while (free_ < slots_.size() && slots_[free_] != nullptr) ++free_;
    return handle;
  }

  /// Null for a number of nothing.
  T* find(std::int64_t handle) const noexcept {
    const std::size_t slot = slot_of(handle);
    return slot < slots_.size() ? slots_[slot].get() : nullptr;
  }

  /// The same, out of the table: the number is free.
  std::unique_ptr<T> take(std::int64_t handle) noexcept {
    const std::size_t slot = slot_of(handle);
    if (slot >= slots_.size()) return nullptr;
    free_ = std::min(free_, slot);
    return std::move(slots_[slot]);
  }

  /// All numbers of something, ascending.
  std::vector<int> handles() const {
    std::vector<int> all;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot] != nullptr) all.push_back(first_ + static_cast<int>(slot));
    return all;
  }

 private:
  /// Beyond all slots for a number below the first.
  std::size_t slot_of(std::int64_t handle) const noexcept {
    return static_cast<std::size_t>(handle) - static_cast<std::size_t>(std::int64_t{first_});
  }
  int first_;
  std::vector<std::unique_ptr<T>> slots_;
  std::size_t free_ = 0;  // the lowest slot of nothing
};

}  // namespace lagoon::atoll::compat

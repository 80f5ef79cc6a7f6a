// Memory for the panels of products. A little of it is kept from one product to the next: the
// system need not zero it again, which costs as much as receiving a panel does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lagoon::atoll::detail {

/// What a process keeps at most between products.
inline constexpr std::size_t most_spare_panel_memory = std::size_t{32} << 20;

/// Memory for one panel after the other; contents are lost when it grows.
class Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { give_back(); }
  std::byte* get(std::int64_t bytes);
  std::byte* get() const noexcept { return memory_; }

 private:
  void give_back() noexcept;

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace lagoon::atoll::detail

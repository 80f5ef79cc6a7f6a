// LentMemory: blocks of arrays that this process has pointers to, and a copy of each, by which
// stores through the pointers are found afterwards: nobody tells of them.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "atoll/index.hpp"
#include "world/race/access.hpp"

namespace lagoon::atoll::detail::race {

/// A block of memory that the program may write to.
struct Lent {
  Place place;
  Patch patch;
  const std::byte* memory = nullptr;
  Index strides;  // in bytes
  std::size_t element_bytes = 0;
  std::int32_t target = 0;
  std::uint64_t site = 0;
  Time begin = 0;
};

/// Not for threads: the detector's lock guards it.
class LentMemory {
 public:
  /// Of a block that is there already only site and time count. Blocks beyond a limit are not kept.
  void add(Lent block);
  /// Calls `found(block, box)` for boxes of elements that have changed since `renew`, and goes on
  /// from what is there now. Blocks that stay as they are for long are let go.
  void changes(const std::function<void(const Lent&, const Box&)>& found);
  /// What is there now is known.
  void renew();
  void forget(std::uint64_t group, std::uint64_t sequence);
  void set_time(Time now) noexcept;
  bool empty() const noexcept { return blocks_.empty(); }

 private:
  struct Kept {
    Lent block;
    std::vector<std::byte> copy;  // packed
    int unchanged = 0;            // so many times
  };
  static void copy(Kept& kept);

  std::vector<Kept> blocks_;
  std::size_t bytes_ = 0;  // of all copies
};

}  // namespace lagoon::atoll::detail::race

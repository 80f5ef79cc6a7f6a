// Segment: one run of memory that a heap fills from its low end and a stack from its high end. The
// partition between them is nominal: either may grow across it, into what the other leaves free.
#pragma once

#include <cstddef>
#include <optional>

#include "compat/parts.hpp"

namespace lagoon::atoll::ma {

class Segment {
 public:
  /// Every extent begins and ends at a multiple of it.
  static constexpr std::size_t granularity = 16;

  /// Of sizes that are multiples of the granularity. Pages come when they are touched.
  /// std::system_error (ENOMEM) if there is no such address range.
  Segment(std::size_t heap_bytes, std::size_t stack_bytes);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  std::byte* at(std::size_t offset) const noexcept { return memory_ + offset; }

  /// The offset of an extent, in the first free fragment that is large enough, else in the gap;
  /// nothing if there is none.
  std::optional<std::size_t> take_heap(std::size_t bytes);
  /// Gives back an extent, or the end of one.
  void give_heap(std::size_t offset, std::size_t bytes);
  std::optional<std::size_t> take_stack(std::size_t bytes);
  /// All that was taken from the stack below this offset is free again.
  void drop_stack_to(std::size_t offset) noexcept { stack_low_ = offset; }

  /// Bytes free for one extent.
  std::size_t gap() const noexcept { return stack_low_ - heap_high_; }
  std::size_t largest_fragment() const noexcept {
    return static_cast<std::size_t>(fragments_.largest());
  }
  std::size_t heap_side() const noexcept;   ///< between the heap and the partition
  std::size_t stack_side() const noexcept;  ///< between the partition and the stack

 private:
  std::size_t bytes_, partition_;
  std::byte* memory_;
  std::size_t heap_high_ = 0, stack_low_;
  compat::Gaps fragments_;  // free extents under heap_high_
};

}  // namespace lagoon::atoll::ma

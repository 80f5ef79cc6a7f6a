// Allocator: the blocks of MA on a Segment, with handles, guards and statistics. What is wrong is
// thrown as std::exception, with words for people. For one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "compat/ma/datatypes.hpp"
#include "compat/ma/segment.hpp"
#include "ga/macommon.h"

namespace lagoon::atoll::ma {

enum class Side : std::uint8_t { heap, stack };

struct Block {
  bool live = false;
  Side side = Side::heap;
  Integer datatype = 0;
  std::size_t elements = 0;
  char name[MA_NAMESIZE] = "";
  std::size_t offset = 0, extent = 0;  ///< in the segment, guards included
  std::size_t client = 0;              ///< of the elements
};

/// What was, and what is.
struct Usage {
  std::size_t blocks = 0, most_blocks = 0, bytes = 0, most_bytes = 0;
  void add(std::size_t more) noexcept;
  void remove(std::size_t less) noexcept;
};

/// What a new block may take of the segment; on the heap a free fragment, too, but for `gap`.
enum class Room : std::uint8_t {
  gap,          ///< all between stack and heap
  side,         ///< up to the partition, even if the other side has crossed it
  side_or_gap,  ///< what is free up to the partition; the gap, if this side has crossed it
  anywhere      ///< the gap or a fragment
};

class Allocator {
 public:
  void begin(Integer type, Integer stack_elements, Integer heap_elements);
  bool begun() const noexcept { return segment_ != nullptr; }

  Integer allocate(Side side, Integer type, Integer elements, std::string_view name);
  void free_heap(Integer handle);
  void free_heap_piece(Integer handle, Integer elements);
  void pop_stack(Integer handle);
  void chop_stack(Integer handle);

  MA_AccessIndex index(Integer handle) const;
  std::byte* pointer(Integer handle) const;
  /// Guards are not looked at.
  const Block& block(Integer handle) const;
  /// Handles of all blocks: heap by addresses, then the stack from its top.
  std::vector<Integer> handles() const;
  /// Calls `f(handle, block)` for all blocks in that order; `f` changes none. Takes no memory:
  /// programs let every call look at all blocks.
  template <class F>
  void for_each_block(const F& f) const {
    for (const Integer handle : heap_order_) f(handle, table_[static_cast<std::size_t>(handle)]);
    for (auto top = stack_order_.rbegin(); top != stack_order_.rend(); ++top)
      f(*top, table_[static_cast<std::size_t>(*top)]);
  }

  Integer room(Side side, Room room, Integer type) const;
  /// Bytes that a block of the type takes beside its elements, at most.
  std::size_t overhead(Integer type) const;
  Integer alignment_exponent() const noexcept { return alignment_exponent_; }
  void set_alignment_exponent(Integer exponent);

  /// Whether what lies before and behind the elements is as it was.
  bool left_guard_holds(const Block& block) const;
  bool right_guard_holds(const Block& block) const;
  const Usage& usage(Side side) const { return side == Side::heap ? heap_ : stack_; }

 private:
  const Segment& segment() const;
  Segment& segment();
  std::size_t alignment(Integer type) const;
  std::size_t extent_of(Integer type, std::size_t bytes) const;
  void check_guards(Integer handle, const Block& block) const;
  Block& checked(Integer handle, Side side);
  void chop(Integer handle, const Block& block);
  Integer new_handle();
  void release(Integer handle);
  std::vector<Integer>::iterator place_on_heap(std::size_t offset);
  void write_guards(const Block& block);

  std::unique_ptr<Segment> segment_;
  std::vector<Block> table_;                       // by handles
  std::deque<Integer> free_handles_;               // the longest free first
  std::vector<Integer> heap_order_, stack_order_;  // of what lives, by addresses; the top last
  Usage heap_, stack_;
  Integer alignment_exponent_ = 0;
};

}  // namespace lagoon::atoll::ma

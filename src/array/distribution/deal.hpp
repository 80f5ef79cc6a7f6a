// Deal: blocks of fixed size, numbered in row-major order, of which rank r has the numbers r,
// r + ranks, ...; where they lie in the ranks' memories, one behind the other without padding.
//
// Only the last block of a dimension may be short, so that the elements before a block are sums of
// products. Each dimension keeps sums of what slabs across it hold, by remainder: 12 bytes a rank,
// however many blocks there are.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/index.hpp"

namespace lagoon::atoll::detail {

class Deal {
 public:
  Deal(const Index& shape, const Index& block, int ranks);

  int rank(const Index& block) const noexcept { return static_cast<int>(number(block) % ranks_); }
  /// Of its rank's memory.
  std::int64_t elements_before(const Index& block) const noexcept;
  std::int64_t elements(int rank) const noexcept { return inside_slabs(axes_.front(), rank); }
  /// Calls `f(block coordinates)` for the blocks of a rank, in the order of their numbers.
  template <class F>
  void for_each_block(int rank, F&& f) const {
    Index block = grid_;
    for (std::int64_t number = rank; number < blocks_; number += ranks_) {
      std::int64_t rest = number;
      for (int d = grid_.size() - 1; d >= 0; --d) {
        block[d] = rest % grid_[d];
        rest /= grid_[d];
      }
      f(static_cast<const Index&>(block));
    }
  }

 private:
  /// One dimension. A slab is one block thick in it and whole in those behind; neighbours' first
  /// numbers are `numbers` apart. A slab holds so many elements (of thickness one) in the blocks
  /// whose numbers, counted from its own first one, leave the remainder r: `inside`.
  ///
  /// For a rank, the remainder falls by `numbers` from slab to slab, round one of `cycles` cycles,
  /// which has those that are alike modulo `cycles`: `at[r]` is the place of r in its cycle, which
  /// begins at its least, `along[r]` the sum of what is inside over those before r there,
  /// `whole[c]` over the cycle c.
  struct Axis {
    std::int64_t blocks, block, last;  // how many, and extents: all, the last
    std::int64_t numbers, fall;        // modulo the ranks
    std::int64_t cycles, cycle;        // and how long each is
    std::vector<std::int32_t> at;
    std::vector<std::int64_t> along, whole;
  };
  std::int64_t number(const Index& block) const noexcept;
  void walk_cycles(Axis& axis, const std::vector<std::int64_t>& inside) const;
  std::int64_t inside(const Axis& axis, std::int64_t r) const noexcept;
  /// In all slabs of the dimension, the first of which has the remainder `r`.
  std::int64_t inside_slabs(const Axis& axis, std::int64_t r) const noexcept;
  /// What `count` slabs hold, the first of which has the remainder `r`, and the one behind the last
  /// `end`.
  static std::int64_t slabs(const Axis& axis, std::int64_t r, std::int64_t end,
                            std::int64_t count) noexcept;
  std::int64_t step(const Axis& axis, std::int64_t r, std::int64_t count) const noexcept;

  std::int64_t ranks_;
  std::int64_t blocks_ = 1;
  Index grid_;  // blocks
  std::vector<Axis> axes_;
};

}  // namespace lagoon::atoll::detail

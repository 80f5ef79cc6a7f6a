// Deal: blocks of fixed size, numbered in row-major order, of which rank r has the numbers r,
// r + ranks, ...; where they lie in the ranks' memories, one behind the other without padding.
//
// Only the last block of a dimension may be short, so that the elements before a block are sums of
// products. Each dimension keeps what one slab across it holds, by remainder: a few words a rank,
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
  std::int64_t elements(int rank) const noexcept {
    return elements_[static_cast<std::size_t>(rank)];
  }
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
  /// numbers are `numbers` apart. A slab holds `inside[r]` elements (of thickness one) in the
  /// blocks whose numbers, counted from its own first one, leave the remainder r.
  ///
  /// For a rank, the remainder falls by `numbers` from slab to slab, round a cycle: `at[r]` is the
  /// place of r in its cycle, `along[r]` the sum of `inside` over those before it, `whole[r]` over
  /// the cycle.
  struct Axis {
    std::int64_t block, last;  // extents of the blocks: all, the last
    std::int64_t numbers;
    std::int64_t cycle;
    std::vector<std::int64_t> inside, at, along, whole;
  };
  std::int64_t number(const Index& block) const noexcept;
  void walk_cycles(Axis& axis) const;
  /// What `count` slabs hold, the first of which has the remainder `r`.
  std::int64_t slabs(const Axis& axis, std::int64_t r, std::int64_t count) const noexcept;
  std::int64_t step(const Axis& axis, std::int64_t r, std::int64_t count) const noexcept;

  std::int64_t ranks_;
  std::int64_t blocks_ = 1;
  Index grid_;  // blocks
  std::vector<Axis> axes_;
  std::vector<std::int64_t> elements_;  // by rank
};

}  // namespace lagoon::atoll::detail

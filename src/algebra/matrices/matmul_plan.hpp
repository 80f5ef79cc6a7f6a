// MatmulPlan: which part of a product a rank computes. Either every rank computes what it owns of
// the result (SRUMMA), or, where that is badly dealt out or k is long, the ranks form a grid over
// rows, columns and k, and add what they have computed to the result.
#pragma once

#include <cstdint>

#include "algebra/matrices/matmul_grid.hpp"
#include "atoll/array.hpp"
#include "atoll/matmul.hpp"

namespace lagoon::atoll::detail {

/// A factor as m x k or k x n: where its rows, columns and k lie in the array.
struct FactorView {
  FactorView(const View& factor, bool left);
  std::int64_t outer() const noexcept;  ///< m or n
  std::int64_t inner() const noexcept;  ///< k
  /// The patch of the array that holds these positions.
  Patch patch(const Extent& outer, const Extent& inner) const;
  Extent outer_of(const Patch& patch) const noexcept;
  Extent inner_of(const Patch& patch) const noexcept;

  const AnyArray& array;
  Patch area;
  bool outer_first;  ///< outer is the array's first dimension
  bool transposes;   ///< as BLAS sees it
  bool conjugates;
};

/// All that a rank owns of the result, for the whole of k; not for dealt blocks.
MatmulPart owned_part(const AnyArray& c, const Patch& c_patch, int rank, std::int64_t k);

class MatmulPlan {
 public:
  MatmulPlan(const FactorView& a, const FactorView& b, const AnyArray& c, const Patch& c_patch);

  bool by_owners() const noexcept { return grid_.empty(); }
  MatmulPart part(int rank) const { return part_in(grid_, rank); }

 private:
  /// In a grid, or, if it is empty, by owners.
  MatmulPart part_in(const Index& grid, int rank) const;
  double far_elements(const FactorView& factor, const Extents& outer, const Extent& k,
                      int rank) const;
  double cost(const MatmulPart& part, int rank) const;
  double cost_of_ranks(const Index& grid) const;
  Index choose_grid(double limit) const;

  const FactorView &a_, &b_;  // of the call that the plan is made for
  const AnyArray& c_;
  Patch c_patch_;
  MatmulSize size_;
  Index grid_;  // ranks along m, n, k; empty: by owners
};

}  // namespace lagoon::atoll::detail

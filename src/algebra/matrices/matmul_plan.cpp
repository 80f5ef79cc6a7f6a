// MatmulPlan: the choice between owners and a grid.
#include "algebra/matrices/matmul_plan.hpp"

#include <algorithm>
#include <limits>

#include "algebra/core/sections.hpp"
#include "array/array_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// A grid must be so much better: it needs memory for its results, and synchronises once more.
constexpr double worth_a_grid = 0.95;
constexpr int most_ranks_looked_at = 8;

/// The distinct ranges of one dimension of a rank's blocks, clipped and counted from `origin`.
void add_extent(Extents& extents, std::int64_t lo, std::int64_t hi, std::int64_t origin) {
  const Extent extent{lo - origin, hi - origin};
  const auto at =
      std::lower_bound(extents.begin(), extents.end(), extent,
                       [](const Extent& x, const Extent& y) { return x.first < y.first; });
  if (at == extents.end() || at->first != extent.first) extents.insert(at, extent);
}

}  // namespace

std::int64_t size_of(const Extents& extents) noexcept {
  std::int64_t size = 0;
  for (const Extent& extent : extents) size += extent.size();
  return size;
}

Extents packed_part(const Extents& extents, std::int64_t first, std::int64_t last) {
  Extents part;
  std::int64_t packed = 0;
  for (const Extent& extent : extents) {
    const std::int64_t from = std::max(first - packed, std::int64_t{0});
    const std::int64_t to = std::min(last - packed, extent.size());
    if (from < to) part.push_back({extent.first + from, extent.first + to});
    packed += extent.size();
  }
  return part;
}

FactorView::FactorView(const View& factor, bool left)
    : array(factor.array),
      area(factor.section()),
      outer_first(factor.transposed() != left),
      transposes(factor.transposed()),
      conjugates(factor.conjugated()) {}

std::int64_t FactorView::outer() const noexcept {
  const int d = outer_first ? 0 : 1;
  return area.hi[d] - area.lo[d];
}

std::int64_t FactorView::inner() const noexcept {
  const int d = outer_first ? 1 : 0;
  return area.hi[d] - area.lo[d];
}

Patch FactorView::patch(const Extent& outer, const Extent& inner) const {
  const Extent& rows = outer_first ? outer : inner;
  const Extent& columns = outer_first ? inner : outer;
  return {{area.lo[0] + rows.first, area.lo[1] + columns.first},
          {area.lo[0] + rows.last, area.lo[1] + columns.last},
          {}};
}

Extent FactorView::outer_of(const Patch& patch) const noexcept {
  const int d = outer_first ? 0 : 1;
  return {patch.lo[d] - area.lo[d], patch.hi[d] - area.lo[d]};
}

Extent FactorView::inner_of(const Patch& patch) const noexcept {
  const int d = outer_first ? 1 : 0;
  return {patch.lo[d] - area.lo[d], patch.hi[d] - area.lo[d]};
}

MatmulPart owned_part(const AnyArray& c, const Patch& c_patch, int rank, std::int64_t k) {
  MatmulPart part{{}, {}, {0, k}};
  for_each_owned_block(c.distribution(), rank, [&](const OwnedBlock& block) {
    const Patch mine = intersection(block.patch, c_patch);
    if (mine.empty()) return;
    add_extent(part.rows, mine.lo[0], mine.hi[0], c_patch.lo[0]);
    add_extent(part.columns, mine.lo[1], mine.hi[1], c_patch.lo[1]);
  });
  return part;
}

MatmulPlan::MatmulPlan(const FactorView& a, const FactorView& b, const AnyArray& c,
                       const Patch& c_patch)
    : a_(a),
      b_(b),
      c_(c),
      c_patch_(c_patch),
      size_{a.outer(),
            b.outer(),
            a.inner(),
            static_cast<double>(size_of(c.type())),
            is_complex(c.type()) ? 8.0 : 2.0,
            1 - 1.0 / c.group().nodes()} {
  if (size_.m == 0 || size_.n == 0) return;
  // Then a rank's blocks are not all combinations of some rows and some columns.
  if (c.distribution().by_number())
    grid_ = choose_grid(std::numeric_limits<double>::infinity());
  else if (size_.k > 0)
    grid_ = choose_grid(worth_a_grid * cost_of_ranks({}));
}

/// How many elements a rank fetches of a factor from other nodes.
double MatmulPlan::far_elements(const FactorView& factor, const Extents& outer, const Extent& k,
                                int rank) const {
  if (size_.remote == 0 || factor.array.mirrored()) return 0;
  const Group& group = c_.group();
  // Many small blocks lie everywhere. Of ranks and nodes of unequal size the mean will do.
  if (!factor.array.distribution().one_block_a_rank() || outer.size() > 1)
    return size_.remote * static_cast<double>(size_of(outer) * k.size());
  double far = 0;
  for (const Extent& extent : outer)
    for (const OwnedPatch& owned : factor.array.locate(factor.patch(extent, k)))
      if (group.node_of(owned.rank) != group.node_of(rank))
        far += static_cast<double>(owned.patch.elements());
  return far;
}

double MatmulPlan::cost(const MatmulPart& part, int rank) const {
  const double far = part.empty() ? 0
                                  : far_elements(a_, part.rows, part.k, rank) +
                                        far_elements(b_, part.columns, part.k, rank);
  return seconds_of(size_, part, far);
}

/// Of the rank that takes longest, among some of them where they are many. All ranks of the group
/// compute the same.
double MatmulPlan::cost_of_ranks(const Index& grid) const {
  const int ranks = c_.group().size(), step = std::max(1, ranks / most_ranks_looked_at);
  double most = 0;
  for (int rank = 0; rank < ranks; rank += step)
    most = std::max(most, cost(part_in(grid, rank), rank));
  return most;
}

Index MatmulPlan::choose_grid(double limit) const {
  return best_grid(c_.group().size(), limit, [this](const Index& grid) {
    return cost_of_ranks(grid) + seconds_to_add(size_, grid);
  });
}

MatmulPart MatmulPlan::part_in(const Index& grid, int rank) const {
  return grid.empty() ? owned_part(c_, c_patch_, rank, size_.k) : part_in_grid(size_, grid, rank);
}

}  // namespace lagoon::atoll::detail

// MatmulPlan: the choice between owners and a grid.
#include "algebra/matmul_plan.hpp"

#include <algorithm>

#include "algebra/sections.hpp"
#include "array/array_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// Only ratios matter, and roughly: what a core and a good network do.
constexpr double operations_a_second = 2e10;
constexpr double network_bytes_a_second = 2e9;
constexpr double memory_bytes_a_second = 5e9;
// A grid must be so much better: it needs memory for its results, and synchronises once more.
constexpr double worth_a_grid = 0.8;

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

FactorView::FactorView(const Factor& factor, bool left)
    : array(factor.array),
      area(factor.patch ? *factor.patch : whole(factor.array.shape())),
      outer_first((factor.form == MatrixForm::plain || factor.form == MatrixForm::conjugated) ==
                  left),
      transposes(factor.form == MatrixForm::transposed || factor.form == MatrixForm::adjoint),
      conjugates(is_complex(factor.array.type()) &&
                 (factor.form == MatrixForm::conjugated || factor.form == MatrixForm::adjoint)) {}

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
    : c_(c),
      c_patch_(c_patch),
      m_(a.outer()),
      n_(b.outer()),
      k_(a.inner()),
      bytes_(static_cast<double>(size_of(c.type()))),
      flop_(is_complex(c.type()) ? 8 : 2) {
  // All ranks must choose alike, also where nodes have different numbers of ranks: the mean.
  remote_ = 1 - 1.0 / c.group().nodes();
  if (m_ > 0 && n_ > 0 && k_ > 0) choose_grid(worth_a_grid * cost_by_owners());
}

/// Seconds for a rank that computes so much: the network works meanwhile.
double MatmulPlan::cost(std::int64_t rows, std::int64_t columns, std::int64_t k) const {
  const double m = static_cast<double>(rows), n = static_cast<double>(columns),
               depth = static_cast<double>(k);
  return m * n * depth * flop_ / operations_a_second +
         remote_ * bytes_ * depth * (m + n) / network_bytes_a_second;
}

double MatmulPlan::cost_by_owners() const {
  double most = 0;
  for (int rank = 0; rank < c_.group().size(); ++rank) {
    const MatmulPart part = owned(rank);
    most = std::max(most, cost(size_of(part.rows), size_of(part.columns), k_));
  }
  return most;
}

void MatmulPlan::choose_grid(double limit) {
  const std::int64_t ranks = c_.group().size();
  const auto share = [](std::int64_t extent, std::int64_t parts) {
    return (extent + parts - 1) / parts;
  };
  double best = limit;
  for (std::int64_t p = 1; p <= ranks; ++p) {
    if (ranks % p != 0) continue;
    for (std::int64_t q = 1; q <= ranks / p; ++q) {
      if (ranks / p % q != 0) continue;
      const std::int64_t r = ranks / p / q;
      const std::int64_t rows = share(m_, p), columns = share(n_, q);
      const double result = static_cast<double>(rows) * static_cast<double>(columns) * bytes_;
      const double seconds =
          cost(rows, columns, share(k_, r)) +
          result * (remote_ / network_bytes_a_second + 1 / memory_bytes_a_second);
      if (seconds < best) {
        best = seconds;
        grid_ = {p, q, r};
      }
    }
  }
}

MatmulPart MatmulPlan::part(int rank) const {
  if (by_owners()) return owned(rank);
  const auto share = [](std::int64_t extent, std::int64_t place, std::int64_t parts) {
    return Extent{extent * place / parts, extent * (place + 1) / parts};
  };
  MatmulPart part;
  const Extent rows = share(m_, rank / (grid_[1] * grid_[2]), grid_[0]);
  const Extent columns = share(n_, rank / grid_[2] % grid_[1], grid_[1]);
  part.k = share(k_, rank % grid_[2], grid_[2]);
  if (rows.size() > 0 && columns.size() > 0 && part.k.size() > 0) {
    part.rows = {rows};
    part.columns = {columns};
  }
  return part;
}

}  // namespace lagoon::atoll::detail

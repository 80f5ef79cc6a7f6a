// Distribution: carrying out the wish, that is cutting a shape into blocks.
#include <algorithm>
#include <limits>

#include "array/distribution/deal.hpp"
#include "array/distribution/grid.hpp"
#include "atoll/distribution.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

Layout Layout::blocked(Index minimum_block) {
  return {DistributionKind::blocked, minimum_block, {}, {}, {}};
}
Layout Layout::irregular(std::vector<std::vector<std::int64_t>> starts) {
  return {DistributionKind::irregular, {}, {}, std::move(starts), {}};
}
Layout Layout::block_cyclic(Index block, Index grid) {
  return {DistributionKind::block_cyclic, block, grid, {}, {}};
}
Layout Layout::tiled(Index tile, Index grid) {
  return {DistributionKind::tiled, tile, grid, {}, {}};
}
Layout Layout::tiled_irregular(std::vector<std::vector<std::int64_t>> starts, Index grid) {
  return {DistributionKind::tiled_irregular, {}, grid, std::move(starts), {}};
}
Layout Layout::dealt(Index block) { return {DistributionKind::dealt, block, {}, {}, {}}; }
Layout Layout::with_halo(Index widths) const {
  Layout layout = *this;
  layout.halo = widths;
  return layout;
}

namespace {

[[noreturn]] void bad(const std::string& message) { throw Error(ErrorKind::value, message); }

void check_size(const char* what, const Index& index, const Index& shape) {
  if (index.size() != shape.size())
    bad("layout: " + std::string(what) + " " + index.to_string() + " has " +
        std::to_string(index.size()) + " entries, the shape " + shape.to_string() + " has " +
        std::to_string(shape.size()));
}

}  // namespace

Distribution::Distribution(const Layout& layout, const Index& shape, int ranks)
    : kind_(layout.kind),
      traits_(traits_of(layout.kind)),
      ranks_(ranks),
      layout_(layout),
      shape_(shape) {
  if (shape.empty()) bad("shape () has no dimension; 1 to 8 are supported");
  for (const std::int64_t extent : shape)
    if (extent < 0) bad("shape " + shape.to_string() + " has a negative extent");
  (void)shape.product();
  if (ranks < 1) bad("number of ranks " + std::to_string(ranks) + " is below 1");
  cuts_.resize(static_cast<std::size_t>(shape.size()));
  for (int d = 0; d < shape.size(); ++d) cuts_[static_cast<std::size_t>(d)].extent = shape[d];
  if (has_starts())
    cut_at_starts(layout);
  else if (uniform_blocks())
    cut_evenly(layout);
  else
    cut_blocked(layout);
  if (cyclic()) deal_to_grid(layout);
  if (cyclic() && has_starts()) add_up_tiles();
  grid_ = block_ = Index::filled(shape.size(), 0);
  std::int64_t blocks = 1;
  for (int d = 0; d < shape.size(); ++d) {
    const Cut& cut = cuts_[static_cast<std::size_t>(d)];
    grid_[d] = cut.grid;
    blocks *= cut.blocks;
    if (!has_starts()) {
      block_[d] = cut.block + (cut.larger > 0 ? 1 : 0);
    } else {
      for (std::int64_t b = 0; b < cut.blocks; ++b)
        block_[d] = std::max(block_[d], block_end(d, b) - block_start(d, b));
    }
  }
  if (by_number()) {
    cells_ = static_cast<int>(std::min<std::int64_t>(ranks, blocks));
    deal_ = std::make_shared<const detail::Deal>(shape, block_, ranks);
  } else {
    cells_ = static_cast<int>(grid_.product());
  }
  add_halo(layout);
}

void Distribution::add_halo(const Layout& layout) {
  halo_ = Index::filled(shape_.size(), 0);
  if (layout.halo.empty()) return;
  if (layout.halo.size() == 1)
    halo_ = Index::filled(shape_.size(), layout.halo[0]);
  else
    check_size("halo", halo_ = layout.halo, shape_);
  Index largest = block_;
  for (int d = 0; d < shape_.size(); ++d) {
    if (halo_[d] < 0) bad("layout: halo " + layout.halo.to_string() + " has a negative width");
    has_halo_ = has_halo_ || halo_[d] > 0;
    if (halo_[d] > (std::numeric_limits<std::int64_t>::max() - largest[d]) / 2)
      bad("layout: halo " + layout.halo.to_string() + " is too wide");
    largest[d] += 2 * halo_[d];
  }
  if (has_halo_ && !one_block_a_rank())
    bad("layout: halo " + layout.halo.to_string() +
        " needs blocks that lie apart: a blocked or irregular layout");
  std::int64_t bytes = 16 * static_cast<std::int64_t>(ranks_);
  for (const std::int64_t extent : largest)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      bad("layout: blocks of " + block_.to_string() + " with the halo " + halo_.to_string() +
          " on " + std::to_string(ranks_) + " ranks have more than 2^63 bytes");
}

void Distribution::cut_blocked(const Layout& layout) {
  if (!layout.block.empty()) check_size("minimum block", layout.block, shape_);
  Index most = Index::filled(shape_.size(), 1);
  for (int d = 0; d < shape_.size(); ++d) {
    const std::int64_t least =
        layout.block.empty() ? 1 : std::max<std::int64_t>(1, layout.block[d]);
    most[d] = std::max<std::int64_t>(1, shape_[d] / least);
  }
  const Index grid = detail::choose_grid(shape_, most, ranks_);
  for (int d = 0; d < shape_.size(); ++d) {
    Cut& cut = cuts_[static_cast<std::size_t>(d)];
    cut.grid = cut.blocks = grid[d];
    cut.block = shape_[d] / grid[d];
    cut.larger = shape_[d] % grid[d];
  }
}

void Distribution::cut_at_starts(const Layout& layout) {
  if (layout.starts.size() != static_cast<std::size_t>(shape_.size()))
    bad("layout: block starts are given for " + std::to_string(layout.starts.size()) +
        " dimensions, the shape " + shape_.to_string() + " has " + std::to_string(shape_.size()));
  std::int64_t blocks = 1;
  for (int d = 0; d < shape_.size(); ++d) {
    Cut& cut = cuts_[static_cast<std::size_t>(d)];
    cut.starts = layout.starts[static_cast<std::size_t>(d)];
    const std::string where = "layout: block starts of dimension " + std::to_string(d);
    if (cut.starts.empty() || cut.starts.front() != 0) bad(where + " do not begin with 0");
    for (std::size_t i = 1; i < cut.starts.size(); ++i)
      if (cut.starts[i] <= cut.starts[i - 1])
        bad(where + ": " + std::to_string(cut.starts[i]) + " after " +
            std::to_string(cut.starts[i - 1]) + " does not ascend");
    if (cut.starts.size() > 1 && cut.starts.back() >= shape_[d])
      bad(where + ": " + std::to_string(cut.starts.back()) + " is not below the extent " +
          std::to_string(shape_[d]));
    cut.grid = cut.blocks = static_cast<std::int64_t>(cut.starts.size());
    if (__builtin_mul_overflow(blocks, cut.blocks, &blocks)) blocks = INT64_MAX;
  }
  if (one_block_a_rank() && blocks > ranks_)
    bad("layout: " + std::to_string(blocks) + " irregular blocks for " + std::to_string(ranks_) +
        " ranks; there may be at most one a rank");
}

void Distribution::cut_evenly(const Layout& layout) {
  check_size("block", layout.block, shape_);
  for (int d = 0; d < shape_.size(); ++d) {
    Cut& cut = cuts_[static_cast<std::size_t>(d)];
    if (layout.block[d] < 1)
      bad("layout: block " + layout.block.to_string() + " has an entry below 1");
    cut.block = layout.block[d];
    cut.grid = cut.blocks = shape_[d] == 0 ? 0 : (shape_[d] - 1) / cut.block + 1;
  }
}

void Distribution::deal_to_grid(const Layout& layout) {
  Index grid = layout.grid;
  if (grid.empty()) {
    Index most = Index::filled(shape_.size(), 1);
    for (int d = 0; d < shape_.size(); ++d)
      most[d] = std::max<std::int64_t>(1, cuts_[static_cast<std::size_t>(d)].blocks);
    grid = detail::choose_grid(shape_, most, ranks_);
  } else {
    check_size("grid", grid, shape_);
    for (const std::int64_t g : grid)
      if (g < 1) bad("layout: grid " + grid.to_string() + " has an entry below 1");
    if (grid.product() > ranks_)
      bad("layout: grid " + grid.to_string() + " needs more than the " + std::to_string(ranks_) +
          " ranks of the group");
  }
  for (int d = 0; d < shape_.size(); ++d) cuts_[static_cast<std::size_t>(d)].grid = grid[d];
}

void Distribution::add_up_tiles() {
  for (int d = 0; d < shape_.size(); ++d) {
    Cut& cut = cuts_[static_cast<std::size_t>(d)];
    const auto count = static_cast<std::size_t>(cut.blocks);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(cut.grid), 0);
    cut.before.reserve(count + sums.size());
    for (std::int64_t b = 0; b < cut.blocks; ++b) {
      std::int64_t& sum = sums[static_cast<std::size_t>(b % cut.grid)];
      cut.before.push_back(sum);
      sum += block_end(d, b) - block_start(d, b);
    }
    cut.before.insert(cut.before.end(), sums.begin(), sums.end());
  }
}

}  // namespace lagoon::atoll

// Distribution: cutting a shape into blocks, and finding blocks, owners and places in memory.
#include "atoll/distribution.hpp"

#include <algorithm>
#include <limits>

#include "array/grid.hpp"
#include "array/piece.hpp"
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
    : kind_(layout.kind), ranks_(ranks), shape_(shape) {
  if (shape.empty()) bad("shape () has no dimension; 1 to 8 are supported");
  for (const std::int64_t extent : shape)
    if (extent < 0) bad("shape " + shape.to_string() + " has a negative extent");
  (void)shape.product();
  if (ranks < 1) bad("number of ranks " + std::to_string(ranks) + " is below 1");
  cuts_.resize(static_cast<std::size_t>(shape.size()));
  for (int d = 0; d < shape.size(); ++d) cuts_[static_cast<std::size_t>(d)].extent = shape[d];
  switch (kind_) {
    case DistributionKind::blocked: cut_blocked(layout); break;
    case DistributionKind::irregular: cut_irregular(layout); break;
    case DistributionKind::block_cyclic:
    case DistributionKind::tiled: cut_cyclic(layout); break;
  }
  grid_ = block_ = Index::filled(shape.size(), 0);
  for (int d = 0; d < shape.size(); ++d) {
    const Cut& cut = cuts_[static_cast<std::size_t>(d)];
    grid_[d] = cut.grid;
    if (kind_ != DistributionKind::irregular) {
      block_[d] = cut.block + (cut.larger > 0 ? 1 : 0);
    } else {
      for (std::int64_t b = 0; b < cut.blocks; ++b)
        block_[d] = std::max(block_[d], block_end(d, b) - block_start(d, b));
    }
  }
  cells_ = static_cast<int>(grid_.product());
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
  if (has_halo_ && cyclic())
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

void Distribution::cut_irregular(const Layout& layout) {
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
  if (blocks > ranks_)
    bad("layout: " + std::to_string(blocks) + " irregular blocks for " + std::to_string(ranks_) +
        " ranks; there may be at most one a rank");
}

void Distribution::cut_cyclic(const Layout& layout) {
  check_size("block", layout.block, shape_);
  Index most = Index::filled(shape_.size(), 1);
  for (int d = 0; d < shape_.size(); ++d) {
    Cut& cut = cuts_[static_cast<std::size_t>(d)];
    if (layout.block[d] < 1)
      bad("layout: block " + layout.block.to_string() + " has an entry below 1");
    cut.block = layout.block[d];
    cut.blocks = shape_[d] == 0 ? 0 : (shape_[d] - 1) / cut.block + 1;
    most[d] = std::max<std::int64_t>(1, cut.blocks);
  }
  Index grid = layout.grid;
  if (grid.empty()) {
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

std::int64_t Distribution::block_of(int d, std::int64_t i) const noexcept {
  const Cut& cut = cuts_[static_cast<std::size_t>(d)];
  switch (kind_) {
    case DistributionKind::blocked: {
      if (cut.grid == 1) return 0;
      const std::int64_t border = cut.larger * (cut.block + 1);
      return i < border ? i / (cut.block + 1) : cut.larger + (i - border) / cut.block;
    }
    case DistributionKind::irregular:
      return std::upper_bound(cut.starts.begin(), cut.starts.end(), i) - cut.starts.begin() - 1;
    default: return i / cut.block;
  }
}

std::int64_t Distribution::block_start(int d, std::int64_t b) const noexcept {
  const Cut& cut = cuts_[static_cast<std::size_t>(d)];
  switch (kind_) {
    case DistributionKind::blocked: return b * cut.block + std::min(b, cut.larger);
    case DistributionKind::irregular:
      return b < cut.blocks ? cut.starts[static_cast<std::size_t>(b)] : cut.extent;
    default: return std::min(b * cut.block, cut.extent);
  }
}

std::int64_t Distribution::block_end(int d, std::int64_t b) const noexcept {
  return block_start(d, b + 1);
}

std::int64_t Distribution::local_extent(int d, std::int64_t coordinate) const noexcept {
  const Cut& cut = cuts_[static_cast<std::size_t>(d)];
  if (!cyclic()) return block_end(d, coordinate) - block_start(d, coordinate);
  const std::int64_t full = cut.extent / cut.block;
  std::int64_t extent = full / cut.grid * cut.block;
  if (coordinate < full % cut.grid) extent += cut.block;
  if (coordinate == full % cut.grid) extent += cut.extent % cut.block;
  return extent;
}

Index Distribution::coordinates(int rank) const noexcept {
  Index at = Index::filled(shape_.size(), 0);
  std::int64_t rest = rank;
  for (int d = shape_.size() - 1; d >= 0; --d) {
    at[d] = rest % grid_[d];
    rest /= grid_[d];
  }
  return at;
}

void Distribution::place(const Index& block, const Index& start, Piece& piece) const noexcept {
  const int n = shape_.size();
  std::int64_t rank = 0;
  piece.strides = Index::filled(n, 1);
  if (!cyclic()) {
    for (int d = 0; d < n; ++d) rank = rank * grid_[d] + block[d];
    std::int64_t stride = 1;
    piece.offset = 0;
    for (int d = n - 1; d >= 0; --d) {
      const std::int64_t first = block_start(d, block[d]);
      piece.strides[d] = stride;
      piece.offset += (start[d] - first + halo_[d]) * stride;
      stride *= block_end(d, block[d]) - first + 2 * halo_[d];
    }
  } else if (kind_ == DistributionKind::block_cyclic) {
    std::int64_t stride = 1;
    piece.offset = 0;
    for (int d = 0; d < n; ++d) rank = rank * grid_[d] + block[d] % grid_[d];
    for (int d = n - 1; d >= 0; --d) {
      const std::int64_t row = block[d] / grid_[d] * block_[d] + start[d] % block_[d];
      piece.strides[d] = stride;
      piece.offset += row * stride;
      stride *= local_extent(d, block[d] % grid_[d]);
    }
  } else {
    // Tiles precede in row-major order of the rank's tile grid; all but the last of a dimension
    // are full, so the elements before a tile are a sum of products, without any padding.
    Index extent = piece.strides, tile = piece.strides;
    for (int d = 0; d < n; ++d) {
      rank = rank * grid_[d] + block[d] % grid_[d];
      extent[d] = local_extent(d, block[d] % grid_[d]);
      tile[d] = block_end(d, block[d]) - block_start(d, block[d]);
    }
    std::int64_t before = 0, behind = 1, stride = 1, inside = 0;
    for (int d = n - 1; d >= 0; --d) {
      std::int64_t ahead = block[d] / grid_[d] * block_[d] * behind;
      for (int e = 0; e < d; ++e) ahead *= tile[e];
      before += ahead;
      behind *= extent[d];
      piece.strides[d] = stride;
      inside += start[d] % block_[d] * stride;
      stride *= tile[d];
    }
    piece.offset = before + inside;
  }
  piece.rank = static_cast<int>(rank);
}

int Distribution::owner(const Index& position) const {
  if (position.size() != shape_.size())
    throw Error(ErrorKind::index, "position " + position.to_string() + " does not have the " +
                                      std::to_string(shape_.size()) + " dimensions of the shape " +
                                      shape_.to_string());
  std::int64_t rank = 0;
  for (int d = 0; d < shape_.size(); ++d) {
    if (position[d] < 0 || position[d] >= shape_[d])
      throw Error(ErrorKind::index, "position " + position.to_string() +
                                        " lies outside the shape " + shape_.to_string());
    const std::int64_t block = block_of(d, position[d]);
    rank = rank * grid_[d] + (cyclic() ? block % grid_[d] : block);
  }
  return static_cast<int>(rank);
}

std::vector<OwnedPatch> Distribution::locate(const Patch& patch) const {
  std::vector<OwnedPatch> result;
  const Patch dense{patch.lo, patch.hi, {}};
  for_each_piece(dense, [&](const Piece& piece) {
    Patch part = dense;
    for (int d = 0; d < shape_.size(); ++d) {
      part.lo[d] = patch.lo[d] + piece.position[d];
      part.hi[d] = part.lo[d] + piece.shape[d];
    }
    result.push_back({piece.rank, part});
  });
  return result;
}

std::vector<Patch> Distribution::patches(int rank) const {
  std::vector<Patch> result;
  if (!holds_blocks(rank)) return result;
  const Index at = coordinates(rank);
  Index count = at;
  for (int d = 0; d < shape_.size(); ++d) {
    if (local_extent(d, at[d]) == 0) return result;
    count[d] = cyclic() ? (local_extent(d, at[d]) - 1) / block_[d] + 1 : 1;
  }
  Index turn = Index::filled(shape_.size(), 0);
  do {
    Patch patch{turn, turn, {}};
    for (int d = 0; d < shape_.size(); ++d) {
      const std::int64_t block = at[d] + turn[d] * grid_[d];
      patch.lo[d] = block_start(d, block);
      patch.hi[d] = block_end(d, block);
    }
    result.push_back(patch);
  } while (detail::next_position(turn, count));
  return result;
}

Index Distribution::local_shape(int rank) const {
  Index shape = Index::filled(shape_.size(), 0);
  if (!holds_blocks(rank)) return shape;
  const Index at = coordinates(rank);
  for (int d = 0; d < shape_.size(); ++d) shape[d] = local_extent(d, at[d]);
  return shape;
}

std::int64_t Distribution::local_elements(int rank) const { return local_shape(rank).product(); }

Index Distribution::memory_shape(int rank) const {
  Index shape = local_shape(rank);
  if (shape.product() == 0) return Index::filled(shape.size(), 0);
  for (int d = 0; d < shape.size(); ++d) shape[d] += 2 * halo_[d];
  return shape;
}

std::int64_t Distribution::memory_elements(int rank) const { return memory_shape(rank).product(); }

bool operator==(const Distribution& a, const Distribution& b) noexcept {
  if (a.shape_ != b.shape_ || a.grid_ != b.grid_ || a.block_ != b.block_ || a.halo_ != b.halo_)
    return false;
  if (a.kind_ == b.kind_ && a.kind_ != DistributionKind::irregular) return true;
  if (a.cyclic() || b.cyclic()) return false;
  for (int d = 0; d < a.shape_.size(); ++d)
    for (std::int64_t i = 0; i < a.grid_[d]; ++i)
      if (a.block_start(d, i) != b.block_start(d, i)) return false;
  return true;
}

std::string Distribution::to_string() const {
  constexpr const char* names[] = {"blocked", "irregular", "block-cyclic", "tiled"};
  std::string text = std::string(names[static_cast<int>(kind_)]) + " ";
  for (int d = 0; d < shape_.size(); ++d) text += (d ? " x " : "") + std::to_string(grid_[d]);
  text += (cyclic() ? " grid, blocks of " : " grid, blocks up to ") + block_.to_string();
  return has_halo_ ? text + ", halo " + halo_.to_string() : text;
}

}  // namespace lagoon::atoll

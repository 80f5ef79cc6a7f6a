// Distribution: finding blocks, owners and places in memory. distribution_cuts.cpp makes it.
#include "atoll/distribution.hpp"

#include <algorithm>

#include "array/distribution/deal.hpp"
#include "array/distribution/piece.hpp"
#include "atoll/error.hpp"

namespace lagoon::atoll {

std::int64_t Distribution::block_of(int d, std::int64_t i) const noexcept {
  const Cut& cut = cuts_[static_cast<std::size_t>(d)];
  if (cut.blocks == 1) return 0;
  if (has_starts())
    return std::upper_bound(cut.starts.begin(), cut.starts.end(), i) - cut.starts.begin() - 1;
  const std::int64_t border = cut.larger * (cut.block + 1);
  return i < border ? i / (cut.block + 1) : cut.larger + (i - border) / cut.block;
}

std::int64_t Distribution::block_start(int d, std::int64_t b) const noexcept {
  const Cut& cut = cuts_[static_cast<std::size_t>(d)];
  if (has_starts()) return b < cut.blocks ? cut.starts[static_cast<std::size_t>(b)] : cut.extent;
  return std::min(b * cut.block + std::min(b, cut.larger), cut.extent);
}

std::int64_t Distribution::block_end(int d, std::int64_t b) const noexcept {
  return block_start(d, b + 1);
}

std::int64_t Distribution::local_extent(int d, std::int64_t coordinate) const noexcept {
  const Cut& cut = cuts_[static_cast<std::size_t>(d)];
  if (!cyclic()) return block_end(d, coordinate) - block_start(d, coordinate);
  if (has_starts()) return cut.before[static_cast<std::size_t>(cut.blocks + coordinate)];
  const std::int64_t full = cut.extent / cut.block;
  std::int64_t extent = full / cut.grid * cut.block;
  if (coordinate < full % cut.grid) extent += cut.block;
  if (coordinate == full % cut.grid) extent += cut.extent % cut.block;
  return extent;
}

std::int64_t Distribution::turns(int d, std::int64_t coordinate) const noexcept {
  if (!cyclic()) return 1;
  const Cut& cut = cuts_[static_cast<std::size_t>(d)];
  return coordinate < cut.blocks ? (cut.blocks - 1 - coordinate) / cut.grid + 1 : 0;
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

int Distribution::rank_of(const Index& block) const noexcept {
  if (by_number()) return deal_->rank(block);
  std::int64_t rank = 0;
  for (int d = 0; d < block.size(); ++d)
    rank = rank * grid_[d] + block[d] - turn_of(d, block[d]) * grid_[d];
  return static_cast<int>(rank);
}

void Distribution::place(const Index& block, const Index& start, Piece& piece) const noexcept {
  const int n = shape_.size();
  piece.rank = rank_of(block);
  piece.strides = Index::filled(n, 1);
  if (!dense_in_memory()) return place_in_tile(block, start, piece);
  std::int64_t stride = 1;
  piece.offset = 0;
  for (int d = n - 1; d >= 0; --d) {
    const std::int64_t turn = turn_of(d, block[d]);
    const std::int64_t row = turn * block_[d] + start[d] - block_start(d, block[d]) + halo_[d];
    piece.strides[d] = stride;
    piece.offset += row * stride;
    stride *= local_extent(d, block[d] - turn * grid_[d]) + 2 * halo_[d];
  }
}

void Distribution::place_in_tile(const Index& block, const Index& start,
                                 Piece& piece) const noexcept {
  const int n = shape_.size();
  Index tile = piece.strides;
  std::int64_t stride = 1;
  piece.offset = 0;
  for (int d = n - 1; d >= 0; --d) {
    const std::int64_t first = block_start(d, block[d]);
    tile[d] = block_end(d, block[d]) - first;
    piece.strides[d] = stride;
    piece.offset += (start[d] - first) * stride;
    stride *= tile[d];
  }
  if (by_number()) {
    piece.offset += deal_->elements_before(block);
    return;
  }
  // Tiles precede in row-major order of the rank's tile grid, so the elements before a tile are a
  // sum of products, without any padding.
  std::int64_t behind = 1;
  for (int d = n - 1; d >= 0; --d) {
    const Cut& cut = cuts_[static_cast<std::size_t>(d)];
    const std::int64_t turn = turn_of(d, block[d]);
    std::int64_t ahead =
        behind * (has_starts() ? cut.before[static_cast<std::size_t>(block[d])] : turn * block_[d]);
    for (int e = 0; e < d; ++e) ahead *= tile[e];
    piece.offset += ahead;
    behind *= local_extent(d, block[d] - turn * grid_[d]);
  }
}

Patch Distribution::patch_of(const Index& block) const noexcept {
  Patch patch{block, block, {}};
  for (int d = 0; d < block.size(); ++d) {
    patch.lo[d] = block_start(d, block[d]);
    patch.hi[d] = block_end(d, block[d]);
  }
  return patch;
}

int Distribution::owner(const Index& position) const {
  if (position.size() != shape_.size())
    throw Error(ErrorKind::index, "position " + position.to_string() + " does not have the " +
                                      std::to_string(shape_.size()) + " dimensions of the shape " +
                                      shape_.to_string());
  Index block = position;
  for (int d = 0; d < shape_.size(); ++d) {
    if (position[d] < 0 || position[d] >= shape_[d])
      throw Error(ErrorKind::index, "position " + position.to_string() +
                                        " lies outside the shape " + shape_.to_string());
    block[d] = block_of(d, position[d]);
  }
  return rank_of(block);
}

std::pair<int, std::int64_t> Distribution::place_of(const Index& position) const noexcept {
  Index block = position;
  for (int d = 0; d < shape_.size(); ++d) block[d] = block_of(d, position[d]);
  Piece piece;
  place(block, position, piece);
  return {piece.rank, piece.offset};
}

std::pair<Patch, Piece> Distribution::block_at(const Index& position) const noexcept {
  Index block = position;
  for (int d = 0; d < shape_.size(); ++d) block[d] = block_of(d, position[d]);
  std::pair<Patch, Piece> found{patch_of(block), {}};
  place(block, found.first.lo, found.second);
  return found;
}

std::vector<Piece> Distribution::pieces(const Patch& section) const {
  std::vector<Piece> result;
  for_each_piece(section, [&](const Piece& piece) { result.push_back(piece); });
  return result;
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
  for_each_patch(rank, [&](const Patch& patch) { result.push_back(patch); });
  return result;
}

Index Distribution::local_shape(int rank) const {
  if (by_number())
    throw Error(ErrorKind::value, "the blocks of a " + to_string() + " array form no matrix");
  Index shape = Index::filled(shape_.size(), 0);
  if (!holds_blocks(rank)) return shape;
  const Index at = coordinates(rank);
  for (int d = 0; d < shape_.size(); ++d) shape[d] = local_extent(d, at[d]);
  return shape;
}

std::int64_t Distribution::local_elements(int rank) const {
  if (by_number()) return holds_blocks(rank) ? deal_->elements(rank) : 0;
  return local_shape(rank).product();
}

Index Distribution::memory_shape(int rank) const {
  Index shape = local_shape(rank);
  if (shape.product() == 0) return Index::filled(shape.size(), 0);
  for (int d = 0; d < shape.size(); ++d) shape[d] += 2 * halo_[d];
  return shape;
}

std::int64_t Distribution::memory_elements(int rank) const {
  return has_halo_ ? memory_shape(rank).product() : local_elements(rank);
}

bool operator==(const Distribution& a, const Distribution& b) noexcept {
  if (a.shape_ != b.shape_ || a.grid_ != b.grid_ || a.block_ != b.block_ || a.halo_ != b.halo_ ||
      a.cells_ != b.cells_)
    return false;
  if (a.kind_ == b.kind_ && !a.has_starts()) return true;
  if (a.kind_ != b.kind_ && !(a.one_block_a_rank() && b.one_block_a_rank())) return false;
  for (std::size_t d = 0; d < a.cuts_.size(); ++d) {
    if (a.cuts_[d].blocks != b.cuts_[d].blocks) return false;
    for (std::int64_t i = 0; i < a.cuts_[d].blocks; ++i)
      if (a.block_start(static_cast<int>(d), i) != b.block_start(static_cast<int>(d), i))
        return false;
  }
  return true;
}

std::string Distribution::to_string() const {
  std::string text = std::string(traits().name) + " ";
  for (int d = 0; d < shape_.size(); ++d) text += (d ? " x " : "") + std::to_string(grid_[d]);
  text += (uniform_blocks() ? " grid, blocks of " : " grid, blocks up to ") + block_.to_string();
  return has_halo_ ? text + ", halo " + halo_.to_string() : text;
}

}  // namespace lagoon::atoll

// Distribution: which rank holds which patch of an array, and where in its memory.
//
// A Layout is the wish (how to cut); a Distribution is the wish carried out for a shape and a
// number of ranks. Six kinds:
//   blocked      a grid of blocks of nearly equal size, one a rank at most, none below a minimum
//   irregular    a grid of blocks with given boundaries, one a rank at most
//   block-cyclic blocks of fixed size dealt round robin to a grid of ranks; a rank's blocks form
//                one dense local matrix (ScaLAPACK's layout)
//   tiled        the same, but every block lies contiguous in memory
//   tiled with given boundaries  the same for blocks of different sizes
//   dealt        blocks of fixed size, numbered in row-major order, dealt out by number: block b to
//                rank b modulo ranks; every block lies contiguous in memory
// Block (or grid) coordinates map to ranks in row-major order. Local memory is row-major.
// Blocked and irregular ones may have a halo: room around each rank's block for copies of what lies
// next to it (halo.hpp). All that speaks of patches and elements means the block without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/index.hpp"

namespace lagoon::atoll {

namespace detail {
class Deal;
}

enum class DistributionKind : std::uint8_t {
  blocked,
  irregular,
  block_cyclic,
  tiled,
  tiled_irregular,
  dealt
};

/// What tells the kinds apart: code asks for the property that it needs, not for the kind.
struct DistributionTraits {
  std::string_view name;
  bool one_block_a_rank = false;  ///< or none
  /// A rank's blocks form one dense matrix in its memory, in the order of the array; else they lie
  /// there one behind the other.
  bool dense_in_memory = false;
  bool given_starts = false;    ///< boundaries are given
  bool uniform_blocks = false;  ///< of the size given, but for the last of a dimension
  /// Blocks go to ranks by their number. Else the ranks form a grid, and a rank's blocks are all
  /// combinations of some ranges of each dimension.
  bool by_number = false;
};

/// In the order of DistributionKind.
inline constexpr DistributionTraits distribution_traits[] = {
    {.name = "blocked", .one_block_a_rank = true, .dense_in_memory = true},
    {.name = "irregular", .one_block_a_rank = true, .dense_in_memory = true, .given_starts = true},
    {.name = "block-cyclic", .dense_in_memory = true, .uniform_blocks = true},
    {.name = "tiled", .uniform_blocks = true},
    {.name = "tiled irregular", .given_starts = true},
    {.name = "dealt", .uniform_blocks = true, .by_number = true},
};
constexpr const DistributionTraits& traits_of(DistributionKind kind) noexcept {
  return distribution_traits[static_cast<std::size_t>(kind)];
}

struct Layout {
  DistributionKind kind = DistributionKind::blocked;
  Index block;  ///< blocked: minimum block (0 or empty: free; >= extent: do not cut); else its size
  Index grid;   ///< ranks per dimension; empty: chosen
  std::vector<std::vector<std::int64_t>> starts;  ///< given boundaries: first index of each block
  Index halo{};  ///< width per dimension; one entry: of each; empty: none

  static Layout blocked(Index minimum_block = {});
  /// `starts[d]` begins with 0 and ascends; the number of blocks may not exceed that of ranks.
  static Layout irregular(std::vector<std::vector<std::int64_t>> starts);
  static Layout block_cyclic(Index block, Index grid = {});
  static Layout tiled(Index tile, Index grid = {});
  /// `starts` as for `irregular`, but of any number of blocks.
  static Layout tiled_irregular(std::vector<std::vector<std::int64_t>> starts, Index grid = {});
  static Layout dealt(Index block);
  /// The same with a halo; for blocked and irregular layouts.
  Layout with_halo(Index widths) const;
};

/// A patch and the rank (of the array's group) that holds it.
struct OwnedPatch {
  int rank;
  Patch patch;
  friend bool operator==(const OwnedPatch&, const OwnedPatch&) noexcept = default;
};

/// A part of a requested section that lies in one rank's memory with constant strides.
struct Piece {
  int rank;
  std::int64_t offset;  ///< of the first element in the rank's memory, in elements
  Index strides;        ///< in the rank's memory, in elements, steps included
  Index shape;          ///< elements
  Index position;       ///< of the piece's first element within the section (section coordinates)
};

class Distribution {
 public:
  /// Throws Error(value) naming what is wrong with the wish.
  Distribution(const Layout& layout, const Index& shape, int ranks);

  DistributionKind kind() const noexcept { return kind_; }
  const Index& shape() const noexcept { return shape_; }
  int ranks() const noexcept { return ranks_; }
  /// The wish that it carries out.
  const Layout& layout() const noexcept { return layout_; }
  /// Ranks (block-cyclic, tiled) or blocks (blocked, irregular, dealt) per dimension.
  const Index& grid() const noexcept { return grid_; }
  /// Block size; of the largest block where they differ (blocked, given boundaries).
  const Index& block() const noexcept { return block_; }
  /// Width of the halo on either side, per dimension.
  const Index& halo() const noexcept { return halo_; }
  bool has_halo() const noexcept { return has_halo_; }

  int owner(const Index& position) const;
  /// Rank and offset in its memory, in elements, of an element. REQUIRES: inside the shape.
  std::pair<int, std::int64_t> place_of(const Index& position) const noexcept;
  /// The block that holds an element, as a patch and as it lies in its rank's memory: offset and
  /// strides of its first element. REQUIRES: inside the shape.
  std::pair<Patch, Piece> block_at(const Index& position) const noexcept;
  /// The patches that cover `patch` (step one), each with its owner, in block order.
  std::vector<OwnedPatch> locate(const Patch& patch) const;
  const DistributionTraits& traits() const noexcept { return traits_; }
  bool one_block_a_rank() const noexcept { return traits().one_block_a_rank; }
  bool dense_in_memory() const noexcept { return traits().dense_in_memory; }
  bool uniform_blocks() const noexcept { return traits().uniform_blocks; }
  bool by_number() const noexcept { return traits().by_number; }
  /// All patches of a rank, in block order: one or none if blocked or irregular.
  std::vector<Patch> patches(int rank) const;
  /// Calls `f(const Patch&)` for each of them; needs no memory, however many they are.
  template <class F>
  void for_each_patch(int rank, F&& f) const;
  /// Elements that a rank owns; the halo is not counted.
  std::int64_t local_elements(int rank) const;
  /// The shape of a rank's dense local matrix (blocked, irregular, block-cyclic); of tiled ones,
  /// the extents that together its tiles have. Dealt blocks form none: Error(value).
  Index local_shape(int rank) const;
  /// Elements of a rank's memory: those it owns and, around a block, its halo. None is padding.
  std::int64_t memory_elements(int rank) const;
  /// The shape of a rank's block and its halo; all zero where the rank owns nothing. As
  /// local_shape.
  Index memory_shape(int rank) const;
  /// Cuts a section (steps allowed, inside the array) into pieces; calls `f(const Piece&)`.
  template <class F>
  void for_each_piece(const Patch& section, F&& f) const;
  /// All of them.
  std::vector<Piece> pieces(const Patch& section) const;

  /// Same shape, same blocks on the same ranks, at the same places in their memories.
  friend bool operator==(const Distribution& a, const Distribution& b) noexcept;
  /// "blocked 2 x 1 grid, blocks of (50, 100)"
  std::string to_string() const;

 private:
  /// How one dimension is cut. Blocked: the first `larger` blocks have block + 1 elements.
  struct Cut {
    std::int64_t extent = 0;
    std::int64_t grid = 1;    // ranks (cyclic) or blocks
    std::int64_t blocks = 1;  // in all
    std::int64_t block = 0;   // size; blocked: of the smaller ones
    std::int64_t larger = 0;
    std::vector<std::int64_t> starts;  // given boundaries only
    /// Tiles with given boundaries: the extent of the tiles before each on the same ranks; behind
    /// the last tile, those of all tiles, for each of the grid's coordinates.
    std::vector<std::int64_t> before;
  };
  /// Whether blocks go round robin to the coordinates of a grid of ranks.
  bool cyclic() const noexcept { return !one_block_a_rank() && !by_number(); }
  bool has_starts() const noexcept { return traits().given_starts; }
  void cut_blocked(const Layout& layout);
  void cut_at_starts(const Layout& layout);
  void cut_evenly(const Layout& layout);
  void deal_to_grid(const Layout& layout);
  void add_up_tiles();
  void add_halo(const Layout& layout);
  std::int64_t block_of(int d, std::int64_t i) const noexcept;
  std::int64_t block_start(int d, std::int64_t block) const noexcept;
  std::int64_t block_end(int d, std::int64_t block) const noexcept;
  std::int64_t local_extent(int d, std::int64_t coordinate) const noexcept;
  /// How many blocks lie at a coordinate of the grid.
  std::int64_t turns(int d, std::int64_t coordinate) const noexcept;
  bool holds_blocks(int rank) const noexcept { return rank >= 0 && rank < cells_; }
  Index coordinates(int rank) const noexcept;
  /// How many blocks of its rank a block has before it in a dimension.
  std::int64_t turn_of(int d, std::int64_t block) const noexcept {
    return cyclic() ? block / grid_[d] : 0;
  }
  int rank_of(const Index& block) const noexcept;  // of block coordinates
  /// Rank, offset and strides of the element `start` inside block `block` (block coordinates).
  void place(const Index& block, const Index& start, Piece& piece) const noexcept;
  void place_in_tile(const Index& block, const Index& start, Piece& piece) const noexcept;
  Patch patch_of(const Index& block) const noexcept;

  DistributionKind kind_;
  DistributionTraits traits_;  // a copy: each step of a search asks it
  int ranks_;
  int cells_ = 0;  // product of the grid: ranks below it own something
  bool has_halo_ = false;
  Layout layout_;
  Index shape_, grid_, block_, halo_;
  std::vector<Cut> cuts_;
  std::shared_ptr<const detail::Deal> deal_;  // dealt only
};

}  // namespace lagoon::atoll

// Pieces of tiles and shares of ranks.
#include "disk/tile_pieces.hpp"

#include <algorithm>

#include "array/array_state.hpp"
#include "array/distribution/piece.hpp"

namespace lagoon::atoll::detail {

namespace {

/// My place among the ranks of my node.
std::int64_t place_on_node(const Group& group) {
  const std::vector<int>& ranks = group.node_ranks();
  return std::find(ranks.begin(), ranks.end(), group.rank()) - ranks.begin();
}

Index middle_of(const Patch& patch) {
  Index middle = patch.lo;
  for (int d = 0; d < middle.size(); ++d) middle[d] += (patch.hi[d] - patch.lo[d]) / 2;
  return middle;
}

}  // namespace

Index tile_strides(const DiskLayout& layout, const Section& section) {
  Index strides = section.buffer_strides();
  for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(size_of(layout.type));
  return strides;
}

std::vector<TilePiece> pieces_of(const DiskLayout& layout, const Section& section,
                                 std::int64_t tile, const AnyArray& array) {
  const auto element = static_cast<std::int64_t>(size_of(layout.type));
  const Patch region = section.region(tile);
  const Patch all = section.array_region(region);
  const std::int64_t first = section.buffer_offset(tile, region) * element;
  const Index strides = tile_strides(layout, section);
  const ArrayState& state = *array.state();
  std::vector<TilePiece> pieces;
  state.distribution->for_each_piece(all, [&](const Piece& piece) {
    TilePiece next{state.block(piece.rank),        piece.strides, piece.shape, all, first,
                   piece.shape.product() * element};
    if (next.memory != nullptr) next.memory += piece.offset * element;
    for (int d = 0; d < strides.size(); ++d) {
      next.strides[d] *= element;
      next.patch.lo[d] += piece.position[d];
      next.patch.hi[d] = next.patch.lo[d] + piece.shape[d];
      next.place += piece.position[d] * strides[d];
    }
    pieces.push_back(next);
  });
  return pieces;
}

std::vector<std::int64_t> tiles_of_rank(const DiskDescription& description, const Section& section,
                                        const AnyArray& array, const Group& group) {
  std::vector<std::int64_t> tiles;
  const auto [first_here, last_here] = description.tiles_here();
  if (description.nodes == 0 && (array.mirrored() || group.nodes() == 1)) {
    const auto [begin, end] = run_of(section.tiles(), group.rank(), group.size());
    for (std::int64_t i = begin; i < end; ++i) tiles.push_back(i);
    return tiles;
  }
  for (std::int64_t i = 0; i < section.tiles(); ++i) {
    const std::int64_t tile = section.tile(i);
    const Patch region = section.array_region(section.region(tile));
    if (description.nodes > 0 ? first_here <= tile && tile < last_here
                              : group.same_node(array.owner(middle_of(region))))
      tiles.push_back(i);
  }
  const auto [begin, end] = run_of(static_cast<std::int64_t>(tiles.size()), place_on_node(group),
                                   static_cast<std::int64_t>(group.node_ranks().size()));
  return {tiles.begin() + begin, tiles.begin() + end};
}

std::pair<std::int64_t, std::int64_t> tiles_of_rank(const DiskDescription& description,
                                                    const Group& group) {
  if (description.nodes == 0) return run_of(description.layout.tiles, group.rank(), group.size());
  const auto [first, last] = description.tiles_here();
  const auto [begin, end] = run_of(last - first, place_on_node(group),
                                   static_cast<std::int64_t>(group.node_ranks().size()));
  return {first + begin, first + end};
}

std::vector<std::int64_t> tiles_of_rank_in_copy(const Section& section, const Group& group) {
  const auto [begin, end] = run_of(section.tiles(), place_on_node(group),
                                   static_cast<std::int64_t>(group.node_ranks().size()));
  std::vector<std::int64_t> tiles;
  for (std::int64_t i = begin; i < end; ++i) tiles.push_back(i);
  return tiles;
}

}  // namespace lagoon::atoll::detail

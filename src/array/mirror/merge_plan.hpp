// MergePlan: who sends what to whom in a merge. Every rank works out the same plan from the marks
// that the nodes have exchanged, and keeps the parcels that it has a part in.
//
// Tiles with the same contributors form a class. A class is dealt out to lanes (ranks) by tiles,
// and in a lane to homes (nodes), in parcels of a MiB, or less on many nodes: slices of the boxes
// that the tiles make up, across rows, so that they are even and lie in one piece where the boxes
// do. Contributors send a parcel to its home, which combines it and sends the result to those who
// need it: reduce-scatter and allgather, so that of n nodes that have all written everything each
// sends 2 (n - 1) / n of the array. What one node alone has written takes the same way, and is
// spread by all the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "array/distribution/tiling.hpp"
#include "world/node_members.hpp"

namespace lagoon::atoll::detail {

/// A set of nodes, a bit each.
using NodeSet = std::vector<std::uint64_t>;

struct Parcel {
  std::uint64_t number = 0;  ///< the same everywhere; the order in which parcels are begun
  int lane = 0;
  int home = 0;
  /// Nodes, ascending; the same list for all parcels of a class, of which there are many.
  std::shared_ptr<const std::vector<int>> contributors;
  std::vector<Patch> boxes;  ///< step one; a tile's parts are all in one lane
  std::int64_t bytes = 0;

  bool contributes(int node) const noexcept;
};

class MergePlan {
 public:
  MergePlan(const NodeMembers& nodes, const Tiling& tiling, std::size_t element_bytes)
      : nodes_(nodes), tiling_(tiling), element_bytes_(static_cast<std::int64_t>(element_bytes)) {}
  /// No parcel has more bytes: a slice, and a row that is no longer. A home takes one of each node
  /// at a time, and a rank has a few parcels for each node under way: they are the smaller the more
  /// nodes there are, so that what is under way stays below 32 MiB, or 64 KiB a node.
  static constexpr std::int64_t largest_parcel(int nodes) noexcept {
    return 2 * std::clamp((std::int64_t{4096} << 10) / nodes, Tiling::tile_bytes,
                          std::int64_t{1024} << 10);
  }

  /// Parts of patches added from now on are confined to this one.
  void confine(const Patch& patch) { clips_.push_back(patch); }
  /// The part of tiles [first, last) in the latest patch comes from these contributors and is
  /// combined at `home`, or wherever it suits (-1).
  void add(std::int64_t first, std::int64_t last, const NodeSet& contributors, int home);
  /// The parcels that the rank has a part in, `everybody_needs` their results or only their homes,
  /// in the order of their numbers.
  std::vector<Parcel> parcels(int rank, bool everybody_needs) const;

 private:
  struct Span {
    std::int64_t first, last;
    std::size_t clip;
  };
  struct Class {
    std::vector<Span> spans;
    std::int64_t tiles = 0;
  };
  std::vector<Patch> boxes_of(const Class& tiles, std::int64_t first, std::int64_t last) const;
  void cut(const std::vector<Patch>& boxes, std::vector<Parcel>& slices) const;

  const NodeMembers& nodes_;
  const Tiling& tiling_;
  std::int64_t element_bytes_;
  std::vector<Patch> clips_;
  std::map<std::pair<int, NodeSet>, Class> classes_;  // by home and contributors
};

}  // namespace lagoon::atoll::detail

// MergePlan: dealing classes of tiles out to lanes and homes.
#include "array/mirror/merge_plan.hpp"

#include <algorithm>

namespace lagoon::atoll::detail {

namespace {

constexpr std::int64_t parcel_tiles = MergePlan::largest_parcel / Tiling::tile_bytes;
constexpr std::int64_t lane_tiles = 8;  // less is not worth the messages of another lane
// Where homes have fewer tiles each, tiles are cut, lest one home has more than its share to do;
// pieces of less than 1 KiB are not worth a message.
constexpr std::int64_t few_tiles = 4, most_pieces = Tiling::tile_bytes / 1024;

std::vector<int> members_of(const NodeSet& set, int nodes) {
  std::vector<int> result;
  for (int node = 0; node < nodes; ++node)
    if ((set[static_cast<std::size_t>(node) / 64] >> (node % 64) & 1) != 0) result.push_back(node);
  return result;
}

/// Pieces [first, last) of a box cut into `pieces`: across rows where there are enough of them.
Patch slice(const Patch& box, std::int64_t first, std::int64_t last, std::int64_t pieces) {
  int along = 0;
  const auto extent = [&](int d) { return box.hi[d] - box.lo[d]; };
  for (int d = 1; d < box.dimensions() && extent(along) < pieces; ++d)
    if (extent(d) > extent(along)) along = d;
  Patch result = box;
  result.lo[along] = box.lo[along] + extent(along) * first / pieces;
  result.hi[along] = box.lo[along] + extent(along) * last / pieces;
  return result;
}

}  // namespace

bool Parcel::contributes(int node) const noexcept {
  return std::binary_search(contributors.begin(), contributors.end(), node);
}

void MergePlan::add(std::int64_t first, std::int64_t last, const NodeSet& contributors, int home) {
  Class& tiles = classes_[{home, contributors}];
  const std::size_t clip = clips_.size() - 1;
  if (!tiles.spans.empty() && tiles.spans.back().last == first && tiles.spans.back().clip == clip)
    tiles.spans.back().last = last;
  else
    tiles.spans.push_back({first, last, clip});
  tiles.tiles += last - first;
}

/// A part of a class: the pieces of tiles, counted in the class, that one lane exchanges by way of
/// one home.
struct MergePlan::Part {
  int lane, home;
  std::int64_t first, last;
};

std::vector<Parcel> MergePlan::parcels(int rank, bool everybody_needs) const {
  const int n = nodes_.nodes(), me = nodes_.my_node();
  std::int64_t all = 0;
  for (const auto& [key, tiles] : classes_) all += tiles.tiles;
  const auto lanes = std::clamp<std::int64_t>(all / lane_tiles, 1, nodes_.lanes());
  std::vector<Parcel> result;
  std::uint64_t number = 0;
  std::int64_t dealt = 0;
  for (const auto& [key, tiles] : classes_) {
    const std::vector<int> contributors = members_of(key.second, n);
    std::vector<int> homes = contributors;
    if (key.first >= 0) {
      homes = {key.first};
    } else if (contributors.size() <= 1) {
      homes.clear();
      for (int node = 0; node < n; ++node)
        if (contributors.empty() || node != contributors.front()) homes.push_back(node);
    }
    const auto h = static_cast<std::int64_t>(homes.size());
    const std::int64_t count = lanes * h;
    // A tile's fingerprint is taken by the rank that has received all of it: so only in one lane.
    const bool cut = lanes == 1 && tiles.tiles < few_tiles * h;
    const std::int64_t pieces = cut ? std::min(h, most_pieces) : 1,
                       all_pieces = tiles.tiles * pieces;
    std::vector<Part> parts;
    std::int64_t longest = 0;
    for (std::int64_t q = 0; q < count; ++q) {
      const std::int64_t first = all_pieces * q / count, last = all_pieces * (q + 1) / count;
      if (first == last) continue;
      // Small classes begin where the one before ended, lest they all go the same way.
      const std::int64_t place = all_pieces < count ? (q + dealt) % count : q;
      parts.push_back(
          {static_cast<int>(place / h), homes[static_cast<std::size_t>(place % h)], first, last});
      longest = std::max(longest, last - first);
    }
    dealt += all_pieces;
    // One parcel of each part after the other, so that all homes have work at any time.
    for (std::int64_t begin = 0; begin < longest; begin += parcel_tiles * pieces)
      for (const Part& part : parts) {
        const std::int64_t first = part.first + begin;
        if (first >= part.last) continue;
        const std::uint64_t mine = number++;
        if (nodes_.rank_in_lane(me, part.lane) != rank) continue;
        Parcel parcel{mine, part.lane, part.home, contributors, {}, {}, 0};
        if (!everybody_needs && part.home != me && !parcel.contributes(me)) continue;
        fill(parcel, tiles, pieces, first, std::min(first + parcel_tiles * pieces, part.last));
        if (parcel.bytes > 0) result.push_back(std::move(parcel));
      }
  }
  return result;
}

/// Finds the boxes of pieces [first, last), counted in the class, of which each tile has `pieces`.
void MergePlan::fill(Parcel& parcel, const Class& tiles, std::int64_t pieces, std::int64_t first,
                     std::int64_t last) const {
  while (first < last) {
    const std::int64_t tile = first / pieces, from = first % pieces;
    const std::int64_t whole = from == 0 ? (last - first) / pieces : 0;
    if (whole > 0) {
      add_tiles(parcel, tiles, tile, tile + whole, [](const Patch& box) { return box; });
      first += whole * pieces;
    } else {
      const std::int64_t to = std::min(pieces, from + last - first);
      add_tiles(parcel, tiles, tile, tile + 1,
                [&](const Patch& box) { return slice(box, from, to, pieces); });
      first += to - from;
    }
  }
}

/// Adds tiles [first, last), counted in the class: of each box the part that `part_of` gives.
template <class F>
void MergePlan::add_tiles(Parcel& parcel, const Class& tiles, std::int64_t first, std::int64_t last,
                          F&& part_of) const {
  std::int64_t before = 0;
  for (const Span& span : tiles.spans) {
    const std::int64_t count = span.last - span.first;
    const std::int64_t from = std::max<std::int64_t>(0, first - before);
    const std::int64_t to = std::min(count, last - before);
    before += count;
    if (from < to) {
      parcel.tiles.emplace_back(span.first + from, span.first + to);
      tiling_.for_each_box(span.first + from, span.first + to, clips_[span.clip],
                           [&](const Patch& box) {
                             const Patch part = part_of(box);
                             if (part.empty()) return;
                             parcel.boxes.push_back(part);
                             parcel.bytes += part.elements() * element_bytes_;
                           });
    }
    if (before >= last) return;
  }
}

}  // namespace lagoon::atoll::detail

// MergePlan: dealing classes of tiles out to lanes and homes.
#include "array/mirror/merge_plan.hpp"

#include <algorithm>

namespace lagoon::atoll::detail {

namespace {

constexpr std::int64_t lane_tiles = 8;  // less is not worth the messages of another lane
// Slices of less than 1 KiB are not worth a message.
constexpr std::int64_t most_slices = Tiling::tile_bytes / 1024;

std::vector<int> members_of(const NodeSet& set, int nodes) {
  std::vector<int> result;
  for (int node = 0; node < nodes; ++node)
    if ((set[static_cast<std::size_t>(node) / 64] >> (node % 64) & 1) != 0) result.push_back(node);
  return result;
}

/// Where the i-th of so many even parts begins.
std::int64_t begin_of(std::int64_t i, std::int64_t parts, std::int64_t all) {
  return all / parts * i + all % parts * i / parts;
}

}  // namespace

bool Parcel::contributes(int node) const noexcept {
  return std::binary_search(contributors->begin(), contributors->end(), node);
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

std::vector<Parcel> MergePlan::parcels(int rank, bool everybody_needs) const {
  const int n = nodes_.nodes(), me = nodes_.my_node();
  const std::int64_t parcel_tiles = largest_parcel(n) / 2 / Tiling::tile_bytes;
  std::vector<Parcel> result;
  std::uint64_t number = 0;
  std::int64_t turn = 0;
  for (const auto& [key, tiles] : classes_) {
    const auto contributors = std::make_shared<const std::vector<int>>(members_of(key.second, n));
    std::vector<int> homes = *contributors;
    if (key.first >= 0) {
      homes = {key.first};
    } else if (contributors->size() <= 1) {
      homes.clear();
      for (int node = 0; node < n; ++node)
        if (contributors->empty() || node != contributors->front()) homes.push_back(node);
    }
    const auto h = static_cast<std::int64_t>(homes.size());
    const auto lanes = std::clamp<std::int64_t>(tiles.tiles / lane_tiles, 1, nodes_.lanes());
    for (std::int64_t i = 0; i < lanes; ++i, ++turn) {
      const std::int64_t first = begin_of(i, lanes, tiles.tiles),
                         last = begin_of(i + 1, lanes, tiles.tiles), count = last - first;
      const std::int64_t even = (count + h * parcel_tiles - 1) / (h * parcel_tiles) * h;
      const int lane = static_cast<int>(turn % nodes_.lanes());
      const auto first_number = number;
      number += static_cast<std::uint64_t>(std::min(even, most_slices * count));
      if (nodes_.rank_in_lane(me, lane) != rank) continue;
      // Small classes begin where others ended, lest they all go the same way.
      std::vector<Parcel> slices;
      for (std::uint64_t each = first_number; each < number; ++each)
        slices.push_back({each, lane, homes[each % homes.size()], contributors, {}, 0});
      cut(boxes_of(tiles, first, last), slices);
      for (Parcel& slice : slices)
        if (slice.bytes > 0 && (everybody_needs || slice.home == me || slice.contributes(me)))
          result.push_back(std::move(slice));
    }
  }
  return result;
}

/// The boxes of tiles [first, last), counted in the class.
std::vector<Patch> MergePlan::boxes_of(const Class& tiles, std::int64_t first,
                                       std::int64_t last) const {
  std::vector<Patch> boxes;
  std::int64_t before = 0;
  for (const Span& span : tiles.spans) {
    const std::int64_t from = std::max(span.first, span.first + first - before),
                       to = std::min(span.last, span.first + last - before);
    if (from < to)
      tiling_.for_each_box(from, to, clips_[span.clip],
                           [&](const Patch& box) { boxes.push_back(box); });
    before += span.last - span.first;
    if (before >= last) break;
  }
  return boxes;
}

/// Deals boxes out to slices evenly, by whole rows where those are no longer than a slice.
void MergePlan::cut(const std::vector<Patch>& boxes, std::vector<Parcel>& slices) const {
  const auto count = static_cast<std::int64_t>(slices.size());
  std::int64_t all = 0, before = 0, slice = 0;
  for (const Patch& box : boxes) all += box.elements();
  const auto deal = [&](const auto& again, Patch box) -> void {
    const Index shape = box.shape();
    int along = 0;
    while (along + 1 < shape.size() && shape[along] == 1) ++along;
    const std::int64_t end = before + box.elements(), row = box.elements() / shape[along];
    const std::int64_t last = box.hi[along];
    if (row > all / count && along + 1 < shape.size()) {
      for (; box.lo[along] < last; ++box.lo[along]) {
        box.hi[along] = box.lo[along] + 1;
        again(again, box);
      }
      return;
    }
    for (const std::int64_t first = box.lo[along]; box.lo[along] < last;) {
      const std::int64_t next = begin_of(slice + 1, count, all);
      box.hi[along] = next < end ? first + (next - before) / row : last;
      if (box.lo[along] < box.hi[along]) {
        Parcel& parcel = slices[static_cast<std::size_t>(slice)];
        parcel.boxes.push_back(box);
        parcel.bytes += box.elements() * element_bytes_;
      }
      box.lo[along] = box.hi[along];
      if (next <= end && slice + 1 < count) ++slice;
    }
    before = end;
  };
  for (const Patch& box : boxes) deal(deal, box);
}

}  // namespace lagoon::atoll::detail

// Cutting a rank's part at blocks, and joining what counts to rectangles.
#include "algebra/matrices/block_axis.hpp"

#include <algorithm>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

void check_cuts(std::span<const std::int64_t> cuts, std::int64_t extent, std::string_view name) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::value, std::string(name) + what);
  };
  if (cuts.empty() && extent > 0)
    fail(" is empty, expected the beginnings of blocks of " + std::to_string(extent) +
         " positions, 0 first");
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const auto is = [&] { return "[" + std::to_string(i) + "] is " + std::to_string(cuts[i]); };
    if (i == 0 && cuts[i] != 0) fail(is() + ", expected 0");
    if (i > 0 && cuts[i] < cuts[i - 1])
      fail(is() + ", expected at least the " + std::to_string(cuts[i - 1]) + " before it");
    if (cuts[i] > extent) fail(is() + ", expected at most the extent " + std::to_string(extent));
  }
}

std::size_t block_at(std::span<const std::int64_t> cuts, std::int64_t position) noexcept {
  return static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), position) -
                                  cuts.begin()) -
         1;
}

Extent block_extent(std::span<const std::int64_t> cuts, std::int64_t extent,
                    std::size_t block) noexcept {
  return {cuts[block], block + 1 < cuts.size() ? cuts[block + 1] : extent};
}

namespace {

/// Appends, joined to the last if it goes on from there.
void append(Extents& extents, const Extent& extent) {
  if (!extents.empty() && extents.back().last == extent.first)
    extents.back().last = extent.last;
  else
    extents.push_back(extent);
}

}  // namespace

BlockAxis::BlockAxis(const Extents& extents, bool one_band, std::span<const std::int64_t> cuts)
    : bands(one_band ? 1 : extents.size()) {
  std::int64_t packed = 0;
  for (std::size_t e = 0; e < extents.size(); ++e) {
    const std::size_t band = one_band ? 0 : e;
    for (std::int64_t first = extents[e].first; first < extents[e].last;) {
      const std::size_t block = block_at(cuts, first);
      const Extent part = common(extents[e], block_extent(cuts, extents[e].last, block));
      const auto number = static_cast<std::int64_t>(block);
      if (blocks.empty() || blocks.back().number != number)
        blocks.push_back({number, part.first == cuts[block]});
      const std::size_t slot = blocks.size() - 1;
      if (segments.empty() || segments.back().slot != slot || segments.back().band != band)
        segments.push_back({slot, band, {packed, packed}, {}});
      packed += part.size();
      segments.back().packed.last = packed;
      append(segments.back().extents, part);
      first = part.last;
    }
  }
}

bool KeptPairs::none() const noexcept {
  return std::all_of(kept_.begin(), kept_.end(), [](char kept) { return kept == 0; });
}

namespace {

/// Where each segment lies among the positions that count; `extents` becomes what counts.
std::vector<std::int64_t> packed_again(const BlockAxis& axis, const std::vector<char>& counts,
                                       Extents& extents) {
  std::vector<std::int64_t> positions;
  std::int64_t position = 0;
  for (const BlockAxis::Segment& segment : axis.segments) {
    positions.push_back(position);
    if (counts[segment.slot] == 0) continue;
    position += segment.packed.size();
    for (const Extent& extent : segment.extents) append(extents, extent);
  }
  return positions;
}

/// The end of the run of segments from `first` on in one band, all like the first.
template <class Like>
std::size_t run_end(const BlockAxis& axis, std::size_t first, const Like& like) {
  std::size_t last = first + 1;
  while (last < axis.segments.size() && axis.segments[last].band == axis.segments[first].band &&
         like(axis.segments[last].slot))
    ++last;
  return last;
}

}  // namespace

KeptPart::KeptPart(const BlockAxis& row_axis, const BlockAxis& column_axis, const KeptPairs& kept) {
  std::vector<char> row_counts(row_axis.blocks.size(), 0),
      column_counts(column_axis.blocks.size(), 0);
  for (std::size_t i = 0; i < row_counts.size(); ++i)
    for (std::size_t j = 0; j < column_counts.size(); ++j)
      if (kept(i, j)) row_counts[i] = column_counts[j] = 1;
  const auto row_positions = packed_again(row_axis, row_counts, rows);
  const auto column_positions = packed_again(column_axis, column_counts, columns);

  const auto &row = row_axis.segments, &column = column_axis.segments;
  for (std::size_t i = 0, next = 0; i < row.size(); i = next) {
    const std::size_t slot = row[i].slot;
    next = run_end(row_axis, i, [&](std::size_t other) {
      return other == slot || std::ranges::equal(kept.row(other), kept.row(slot));
    });
    if (row_counts[slot] == 0) continue;
    for (std::size_t j = 0, end = 0; j < column.size(); j = end) {
      const bool counts = kept(slot, column[j].slot);
      end = run_end(column_axis, j, [&](std::size_t other) { return kept(slot, other) == counts; });
      if (!counts) continue;
      rectangles.push_back({{row[i].packed.first, row[next - 1].packed.last},
                            {column[j].packed.first, column[end - 1].packed.last},
                            row[i].band,
                            column[j].band,
                            row_positions[i],
                            column_positions[j]});
    }
  }
}

}  // namespace lagoon::atoll::detail

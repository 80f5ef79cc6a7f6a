// SmallMerge: packing, combining and storing tile by tile.
#include "array/mirror/small_merge.hpp"

#include <algorithm>
#include <utility>

#include "array/mirror/merge_call.hpp"
#include "array/mirror/mirror_memory.hpp"

namespace lagoon::atoll::detail {

// By measurement (docs/benchmarks.md).
std::size_t SmallMerge::most(int nodes) noexcept {
  return std::min(std::size_t{128} << 10,
                  (std::size_t{512} << 10) / static_cast<std::size_t>(nodes));
}

template <class Chosen, class F>
void SmallMerge::for_each_tile(Chosen&& chosen, F&& f) const {
  const Tiling& tiling = array_.mirror->tiling;
  bool goes_on = true;
  tiling.for_each_run(patch_, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last && goes_on; ++tile)
      if (chosen(tile)) goes_on = f(tile, intersection(tiling.patch(tile), patch_));
  });
}

template <class F>
void SmallMerge::for_each_nonzero(F&& f) const {
  for_each_tile([&](std::int64_t tile) { return array_.mirror->nonzero.test(tile); },
                [&](std::int64_t, const Patch& part) { return f(part); });
}

std::uint64_t SmallMerge::bytes() const {
  const std::size_t most = SmallMerge::most(array_.mirror->nodes->nodes());
  std::size_t bytes = 0;
  for_each_nonzero([&](const Patch& part) {
    bytes += bytes_of(part);
    return bytes <= most;
  });
  return bytes <= most ? bytes : Marks::not_here;
}

std::byte* SmallMerge::pack(std::byte* to) const {
  const MirrorMemory memory(array_);
  for_each_nonzero([&](const Patch& part) {
    memory.pack(part, to);
    to += bytes_of(part);
    return true;
  });
  return to;
}

void SmallMerge::join(const Marks& marks, std::vector<std::byte*> contributions) const {
  const MirrorMemory memory(array_);
  std::vector<std::byte*> data(contributions.size());
  std::vector<std::vector<std::byte>> zeros;
  const auto marked = [&](std::int64_t tile) { return marks.any(Marks::nonzero, tile); };
  for_each_tile(marked, [&](std::int64_t tile, const Patch& part) {
    const std::size_t bytes = bytes_of(part);
    for (std::size_t node = 0; node < data.size(); ++node)
      data[node] = marks.test(static_cast<int>(node), Marks::nonzero, tile)
                       ? std::exchange(contributions[node], contributions[node] + bytes)
                       : nullptr;
    zeros.clear();
    const std::byte* const sum = fold_contributions(
        0, marks.nodes(), combiner_, [&](int node) { return data[static_cast<std::size_t>(node)]; },
        [&](std::byte* into, const std::byte* with) {
          combiner_.fold(into, with, part.elements());
          return into;
        },
        [&] { return zeros.emplace_back(bytes).data(); });
    memory.unpack(part, sum);
    array_.mirror->renew(array_, tile, tile + 1);
    return true;
  });
  mark_merged(*array_.mirror, marks, patch_, false);
}

}  // namespace lagoon::atoll::detail

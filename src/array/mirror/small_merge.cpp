// SmallMerge: packing, combining and storing tile by tile.
#include "array/mirror/small_merge.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "array/mirror/merge_call.hpp"
#include "array/mirror/mirror_memory.hpp"
#include "world/copy_bytes.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::size_t kib = 1024;

}  // namespace

bool SmallMerge::power_of_two(int nodes) noexcept {
  return std::has_single_bit(static_cast<unsigned>(nodes));
}

// Limits by measurement (docs/benchmarks.md).
std::size_t SmallMerge::most_packed(int nodes) noexcept {
  const auto n = static_cast<std::size_t>(nodes);
  return (power_of_two(nodes) || few(nodes) ? 3072 : 96) * kib / n;
}

std::size_t SmallMerge::most_in_one_piece(int nodes) noexcept {
  if (!power_of_two(nodes) && !few(nodes)) return 0;
  return (nodes == 2 ? 4096 : 16384) * kib;
}

std::span<std::byte> SmallMerge::piece() const {
  // Two send the same bytes packed, in one message instead of two in a row. Four send a third more.
  // Where all send to all, pieces are worth their messages only behind the words.
  const NodeGroup& group = *array_.mirror->nodes;
  const int nodes = group.nodes();
  const std::size_t bytes = bytes_of(patch_);
  const std::size_t least = nodes == 2            ? 128 * kib
                            : power_of_two(nodes) ? 4 * kib
                                                  : Marks::least_behind;
  // Of nodes with several ranks, each has its own piece and its own lane.
  if (group.lanes() > 1 || bytes <= least || bytes > most_in_one_piece(nodes)) return {};
  bool all = true;
  for_each_tile([&](std::int64_t tile) { return all = array_.mirror->nonzero.test(tile); });
  std::byte* const memory = all ? MirrorMemory(array_).contiguous(patch_) : nullptr;
  return memory != nullptr ? std::span(memory, bytes) : std::span<std::byte>();
}

template <class F>
void SmallMerge::for_each_tile(F&& f) const {
  bool goes_on = true;
  array_.mirror->tiling.for_each_run(patch_, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last && goes_on; ++tile) goes_on = f(tile);
  });
}

Patch SmallMerge::box(std::int64_t tile) const {
  return intersection(array_.mirror->tiling.patch(tile), patch_);
}

std::size_t SmallMerge::packed_bytes(std::size_t most) const {
  std::size_t bytes = 0;
  for_each_tile([&](std::int64_t tile) {
    if (array_.mirror->nonzero.test(tile)) bytes += bytes_of(box(tile));
    return bytes <= most;
  });
  return bytes;
}

std::byte* SmallMerge::pack(std::byte* to) const {
  const MirrorMemory memory(array_);
  for_each_tile([&](std::int64_t tile) {
    if (array_.mirror->nonzero.test(tile)) {
      const Patch part = box(tile);
      memory.pack(part, to);
      to += bytes_of(part);
    }
    return true;
  });
  return to;
}

std::byte* SmallMerge::join(const Marks& marks, std::vector<Part> parts, std::byte* to,
                            bool all) const {
  const MirrorMemory memory(array_);
  std::vector<std::byte*> data(parts.size());
  std::vector<std::vector<std::byte>> zeros;
  for_each_tile([&](std::int64_t tile) {
    const auto holds = [&](const Part& of) {
      return marks.any(Marks::nonzero, tile, of.first, of.last);
    };
    if (std::none_of(parts.begin(), parts.end(), holds)) return true;
    const Patch part = box(tile);
    const std::size_t bytes = bytes_of(part);
    for (std::size_t i = 0; i < parts.size(); ++i)
      data[i] = holds(parts[i]) ? std::exchange(parts[i].data, parts[i].data + bytes) : nullptr;
    zeros.clear();
    const std::byte* const sum = fold_contributions(
        0, static_cast<int>(parts.size()), combiner_,
        [&](int i) { return data[static_cast<std::size_t>(i)]; },
        [&](std::byte* into, const std::byte* with) {
          combiner_.fold(into, with, part.elements());
          return into;
        },
        [&] { return zeros.emplace_back(bytes).data(); });
    if (all) {
      memory.unpack(part, sum);
    } else {
      to = copy_bytes(to, {sum, bytes});
    }
    return true;
  });
  return to;
}

void SmallMerge::fold(std::span<std::byte> into, const std::byte* with, bool into_is_lower) const {
  const auto elements = static_cast<std::int64_t>(into.size() / array_.element_bytes);
  combiner_.fold(into.data(), with, elements, into_is_lower);
}

void SmallMerge::finish(const Marks& marks) const {
  for_each_tile([&](std::int64_t tile) {
    if (marks.any(Marks::nonzero, tile)) array_.mirror->renew(array_, tile, tile + 1);
    return true;
  });
  mark_merged(*array_.mirror, marks, patch_, false);
}

}  // namespace lagoon::atoll::detail

// SmallMerge: packing and combining tile by tile.
#include "array/small_merge.hpp"

#include <utility>

#include "array/merge_call.hpp"
#include "array/mirror_memory.hpp"

namespace lagoon::atoll::detail {

// Two nodes send the same bytes either way; three send half as many again as by homes, four twice
// as many, which the messages that are saved make good but on slow networks (docs/benchmarks.md).
std::size_t SmallMerge::most_bytes(int nodes) noexcept {
  constexpr std::size_t kib = 1024;
  if (nodes == 2) return 256 * kib;
  return (nodes == 3 ? 128 : 96) * kib / static_cast<std::size_t>(nodes - 1);
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

std::size_t SmallMerge::contribution_bytes(std::size_t most) const {
  std::size_t bytes = 0;
  for_each_tile([&](std::int64_t tile) {
    if (array_.mirror->nonzero.test(tile)) bytes += bytes_of(box(tile));
    return bytes <= most;
  });
  return bytes;
}

void SmallMerge::pack(std::byte* to) const {
  const MirrorMemory memory(array_);
  for_each_tile([&](std::int64_t tile) {
    if (array_.mirror->nonzero.test(tile)) {
      const Patch part = box(tile);
      memory.pack(part, to);
      to += bytes_of(part);
    }
    return true;
  });
}

void SmallMerge::combine(const Marks& marks, std::vector<std::byte*> contributions) const {
  const MirrorMemory memory(array_);
  std::vector<std::byte> zeros;
  for_each_tile([&](std::int64_t tile) {
    if (!marks.any(Marks::nonzero, tile)) return true;
    const Patch part = box(tile);
    const std::int64_t elements = part.elements();
    std::byte* sum = nullptr;
    for (int node = 0; node < marks.nodes(); ++node) {
      const bool contributes = marks.test(node, Marks::nonzero, tile);
      if (!contributes && combiner_.zero_is_neutral()) continue;
      std::byte*& next = contributions[static_cast<std::size_t>(node)];
      std::byte* const data = contributes ? std::exchange(next, next + bytes_of(part)) : nullptr;
      if (sum != nullptr) {
        combiner_.fold(sum, data, elements);
      } else if (data != nullptr) {
        sum = data;
      } else {
        zeros.assign(bytes_of(part), std::byte{0});
        sum = zeros.data();
      }
    }
    memory.unpack(part, sum);
    array_.mirror->renew(array_, tile, tile + 1);
    return true;
  });
  mark_merged(*array_.mirror, marks, patch_, false);
}

}  // namespace lagoon::atoll::detail

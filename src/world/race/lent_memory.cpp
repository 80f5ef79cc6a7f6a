#include "world/race/lent_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lagoon::atoll::detail::race {

namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;  // of all copies of this rank
constexpr int most_unchanged = 256;
constexpr std::size_t most_boxes = 1000;  // that one look at one block finds

/// Calls `f(position, memory, bytes)` for the rows of a block: runs that lie packed.
template <class F>
void for_each_row(const Lent& block, F&& f) {
  const Index shape = block.patch.shape();
  const int last = shape.size() - 1;
  const bool packed = block.strides[last] == static_cast<std::int64_t>(block.element_bytes);
  Index counts = shape, at = Index::filled(shape.size(), 0);
  const std::int64_t run = packed ? std::exchange(counts[last], 1) : 1;
  do {
    const std::byte* memory = block.memory;
    for (int d = 0; d <= last; ++d) memory += at[d] * block.strides[d];
    f(at, memory, static_cast<std::size_t>(run) * block.element_bytes);
  } while (next_position(at, counts));
}

}  // namespace

void LentMemory::copy(Kept& kept) {
  std::byte* to = kept.copy.data();
  for_each_row(kept.block, [&](const Index&, const std::byte* memory, std::size_t bytes) {
    std::memcpy(to, memory, bytes);
    to += bytes;
  });
}

void LentMemory::add(Lent block) {
  for (Kept& kept : blocks_)
    if (kept.block.memory == block.memory && kept.block.place == block.place) {
      kept.block.site = block.site;
      kept.unchanged = 0;
      return;
    }
  const std::size_t bytes = static_cast<std::size_t>(block.patch.elements()) * block.element_bytes;
  if (bytes == 0 || bytes > most_bytes - std::min(bytes_, most_bytes)) return;
  blocks_.push_back({block, std::vector<std::byte>(bytes)});
  copy(blocks_.back());
  bytes_ += bytes;
}

void LentMemory::changes(const std::function<void(const Lent&, const Box&)>& found) {
  for (Kept& kept : blocks_) {
    const Lent& block = kept.block;
    const auto size = static_cast<std::int64_t>(block.element_bytes);
    const int last = block.patch.dimensions() - 1;
    std::byte* copied = kept.copy.data();
    std::vector<Box> boxes;
    for_each_row(block, [&](const Index& at, const std::byte* memory, std::size_t bytes) {
      if (std::memcmp(copied, memory, bytes) != 0) {
        const auto elements = static_cast<std::int64_t>(bytes) / size;
        for (std::int64_t i = 0; i < elements; ++i) {
          if (std::memcmp(copied + i * size, memory + i * size, block.element_bytes) == 0) continue;
          Box box;
          box.dimensions = block.patch.dimensions();
          for (int d = 0; d <= last; ++d)
            box.ranges[static_cast<std::size_t>(d)].first = block.patch.lo[d] + at[d];
          box.ranges[static_cast<std::size_t>(last)].first += i;
          if (boxes.empty() || !join(boxes.back(), box)) {
            while (boxes.size() > 1 && join(boxes[boxes.size() - 2], boxes.back()))
              boxes.pop_back();
            boxes.push_back(box);
          }
        }
        std::memcpy(copied, memory, bytes);
      }
      copied += bytes;
    });
    kept.unchanged = boxes.empty() ? kept.unchanged + 1 : 0;
    if (boxes.size() > 1 && join(boxes[boxes.size() - 2], boxes.back())) boxes.pop_back();
    if (boxes.size() > most_boxes) boxes.resize(most_boxes);
    for (const Box& box : boxes) found(block, box);
  }
  std::erase_if(blocks_, [this](const Kept& kept) {
    if (kept.unchanged < most_unchanged) return false;
    bytes_ -= kept.copy.size();
    return true;
  });
}

void LentMemory::renew() {
  for (Kept& kept : blocks_) copy(kept);
}

void LentMemory::forget(std::uint64_t group, std::uint64_t sequence) {
  std::erase_if(blocks_, [&](const Kept& kept) {
    if (kept.block.place.group != group || kept.block.place.sequence != sequence) return false;
    bytes_ -= kept.copy.size();
    return true;
  });
}

void LentMemory::set_time(Time now) noexcept {
  for (Kept& kept : blocks_) kept.block.begin = now;
}

}  // namespace lagoon::atoll::detail::race

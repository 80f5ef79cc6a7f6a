// The buffers between the rank's thread and whoever moves tiles.
#include "disk/remote_parts.hpp"

#include <algorithm>
#include <iterator>

#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// What a rank holds for tiles on their way between nodes: so much may be fetched while the program
// computes and never enters Atoll. The ranks of a node share its memory.
constexpr std::int64_t most_bytes = std::int64_t{64} << 20, most_bytes_of_node = 4 * most_bytes;
constexpr std::int64_t least_slots = 2;

std::int64_t most_bytes_of_rank(const AnyArray& array) {
  const auto ranks = std::ssize(array.group().state()->node_ranks());
  return std::min(most_bytes, most_bytes_of_node / ranks);
}

bool is_remote(const TilePiece& piece) noexcept { return piece.memory == nullptr; }

}  // namespace

RemoteParts::RemoteParts(const DiskLayout& layout, const Section& section, AnyArray& array,
                         Direction direction, const std::vector<std::int64_t>& tiles)
    : layout_(layout), section_(section), array_(array), direction_(direction) {
  for (const std::int64_t i : tiles) {
    const std::int64_t tile = section.tile(i);
    const auto pieces = pieces_of(layout, section, tile, array);
    if (std::any_of(pieces.begin(), pieces.end(), is_remote)) tiles_.push_back(tile);
  }
  const std::int64_t wanted = std::max(least_slots, most_bytes_of_rank(array) / layout.tile_bytes);
  slots_ = std::vector<Slot>(std::min(tiles_.size(), static_cast<std::size_t>(wanted)));
}

void RemoteParts::begin(Slot& slot, std::int64_t tile) {
  slot.handles.clear();
  slot.memory.resize(static_cast<std::size_t>(layout_.tile_bytes));
  std::byte* at = slot.memory.data();
  for (const TilePiece& piece : pieces_of(layout_, section_, tile, array_)) {
    if (!is_remote(piece)) continue;
    slot.handles.push_back(direction_ == Direction::write ? array_.get_async(piece.patch, at)
                                                          : array_.put_async(piece.patch, at));
    at += piece.bytes;
  }
}

bool RemoteParts::fetch() {
  bool moved = false;
  for (; begun_ < tiles_.size(); ++begun_, moved = true) {
    Slot& next = slot(begun_);
    if (next.stage.load(std::memory_order_acquire) != Stage::free) break;
    wait_all(next.handles);  // they are done; an array that was destroyed meanwhile shows here
    begin(next, tiles_[begun_]);
    next.stage.store(Stage::under_way, std::memory_order_release);
  }
  return moved;
}

bool RemoteParts::bring_away() {
  bool moved = false;
  for (Slot& slot : slots_) {
    const Stage stage = slot.stage.load(std::memory_order_acquire);
    if (stage == Stage::handed_over) {
      begin(slot, slot.tile);
      ++begun_;
      slot.stage.store(Stage::under_way, std::memory_order_release);
    } else if (stage == Stage::under_way && arrived(slot)) {
      wait_all(slot.handles);
      slot.stage.store(Stage::free, std::memory_order_release);
    } else {
      continue;
    }
    moved = true;
  }
  return moved;
}

bool RemoteParts::feed() {
  if (abandoned_.load(std::memory_order_acquire)) return false;
  return direction_ == Direction::write ? fetch() : bring_away();
}

void RemoteParts::settle() {
  for (Slot& slot : slots_) wait_all(slot.handles);
}

bool RemoteParts::settled() const noexcept {
  if (abandoned_.load(std::memory_order_acquire))
    return std::all_of(slots_.begin(), slots_.end(), arrived);
  return begun_ == tiles_.size() && std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
           return slot.stage.load(std::memory_order_acquire) == Stage::free;
         });
}

bool RemoteParts::arrived(const Slot& slot) noexcept {
  return std::all_of(slot.handles.begin(), slot.handles.end(),
                     [](const Handle& handle) { return handle.done(); });
}

std::byte* RemoteParts::take(Waiting& waiting) {
  Slot& next = slot(taken_);
  const auto ready = [&] {
    if (abandoned_.load(std::memory_order_acquire)) return true;
    const Stage stage = next.stage.load(std::memory_order_acquire);
    return direction_ == Direction::write ? stage == Stage::under_way && arrived(next)
                                          : stage == Stage::free;
  };
  waiting.until(ready);
  if (abandoned_.load(std::memory_order_acquire)) return nullptr;
  if (direction_ == Direction::read) {
    next.tile = tiles_[taken_];
    next.memory.resize(static_cast<std::size_t>(layout_.tile_bytes));
  }
  return next.memory.data();
}

void RemoteParts::give_back() {
  slot(taken_++).stage.store(direction_ == Direction::write ? Stage::free : Stage::handed_over,
                             std::memory_order_release);
}

}  // namespace lagoon::atoll::detail

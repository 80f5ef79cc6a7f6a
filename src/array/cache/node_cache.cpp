// NodeCache: making it, looking tiles up, the clock, refreshing. Reads are in node_cache_read.cpp.
#include "array/cache/node_cache.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "array/array_state.hpp"
#include "array/cache/node_cache_parts.hpp"
#include "atoll/error.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

// A slot's word: how many ranks read from it just now, whether one has since the hand came by, and
// its state. Zero: empty.
constexpr std::uint64_t one_pin = 1;
constexpr std::uint64_t pins = 0xffffffff;
constexpr std::uint64_t recently_read = std::uint64_t{1} << 32;
constexpr std::uint64_t claimed = std::uint64_t{1} << 33;
constexpr std::uint64_t ready = std::uint64_t{1} << 34;

constexpr std::int64_t most_slots = std::int64_t{UINT32_MAX} - 1;
constexpr std::uint64_t line = Arena::alignment;
constexpr std::uint64_t words_of_a_line = line / sizeof(std::int64_t);

std::uint64_t round_up(std::uint64_t bytes) noexcept { return (bytes + line - 1) / line * line; }

}  // namespace

struct NodeCache::Control {
  alignas(64) std::atomic<std::uint64_t> hand;
  std::atomic<std::int64_t> held;
};

struct NodeCache::Slot {
  std::atomic<std::uint64_t> word;
  std::atomic<std::int64_t> tile;  // meaningful unless empty
};

NodeCache::NodeCache(ArrayState& array, std::int64_t budget, std::string_view operation)
    : array_(array), tiling_(array.shape, array.element_bytes), budget_(budget) {
  GroupState& group = *array.group.state();
  std::vector<std::uint64_t> bytes(group.node_ranks().size());
  const Failure failure = attempt([&] {
    // Streams of this rank may still run into arrays that its peers have let go.
    group.world().fence();
    const std::int64_t largest = tiling_.tiles() == 0 ? 0 : tiling_.patch(0).elements();
    slot_bytes_ = static_cast<std::int64_t>(
        round_up(static_cast<std::uint64_t>(largest) * array.element_bytes));
    if (budget < slot_bytes_)
      throw Error(ErrorKind::value, "budget = " + std::to_string(budget) +
                                        " bytes hold no tile of an array of shape " +
                                        array.shape.to_string() + "; the least that works is " +
                                        std::to_string(slot_bytes_));
    if (group.nodes() > 1 && slot_bytes_ > 0)
      slots_ = std::min({budget / slot_bytes_, tiling_.tiles(), most_slots});
    lay_out_table();
    bytes.front() = control_bytes() + static_cast<std::uint64_t>(slots_ * slot_bytes_);
  });
  const std::uint64_t arguments =
      mix(array.segment->number().sequence, static_cast<std::uint64_t>(budget));
  try {
    segment_ = std::make_unique<Segment>(array.group.state(), operation, arguments, bytes, false,
                                         failure ? &*failure : nullptr);
  } catch (const Error& error) {
    throw error.during(operation, array.name);
  }
  attach(segment_->block(0));
  if (group.first_on_node() && segment_->record().fresh == 0)
    group.world().memory().clear(segment_->record().member[0].offset, control_bytes());
  group.barrier();
}

/// Four to eight entries a slot: of all places of a tile some is free but once in a thousand times.
void NodeCache::lay_out_table() noexcept {
  constexpr std::int64_t ways = 8;
  entries_ = slots_ == 0 ? 0 : tiling_.tiles();
  const auto hashed = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(4 * slots_, ways))));
  if (hashed >= entries_) return;
  entries_ = hashed;
  ways_ = ways;
}

std::atomic<std::uint32_t>* NodeCache::places(std::int64_t tile) const noexcept {
  if (ways_ == 1) return table_ + tile;
  // Neighbours in every dimension are far apart (Fibonacci hashing).
  const std::uint64_t hash = static_cast<std::uint64_t>(tile) * 0x9e3779b97f4a7c15ULL;
  return table_ + (hash >> 32) % static_cast<std::uint64_t>(entries_ / ways_) *
                      static_cast<std::uint64_t>(ways_);
}

std::uint32_t NodeCache::find(std::int64_t tile) const noexcept {
  const std::atomic<std::uint32_t>* const place = places(tile);
  if (ways_ == 1) return place->load(std::memory_order_acquire);
  for (std::int64_t way = 0; way < ways_; ++way) {
    const std::uint32_t entry = place[way].load(std::memory_order_acquire);
    if (entry != 0 && slot_[entry - 1].tile.load(std::memory_order_relaxed) == tile) return entry;
  }
  return 0;
}

void NodeCache::forget(std::int64_t slot) noexcept {
  std::atomic<std::uint32_t>* const place =
      places(slot_[slot].tile.load(std::memory_order_relaxed));
  for (std::int64_t way = 0; way < ways_; ++way) {
    auto entry = static_cast<std::uint32_t>(slot + 1);
    if (place[way].compare_exchange_strong(entry, 0, std::memory_order_relaxed)) return;
  }
}

std::uint64_t NodeCache::control_bytes() const noexcept {
  const auto entries = static_cast<std::uint64_t>(entries_);
  return sizeof(Control) + line * array_.group.state()->node_ranks().size() +
         round_up(sizeof(std::uint32_t) * entries) +
         round_up(sizeof(Slot) * static_cast<std::uint64_t>(slots_));
}

void NodeCache::attach(std::byte* memory) noexcept {
  const auto take = [&](std::uint64_t size) {
    return std::exchange(memory, memory + round_up(size));
  };
  control_ = reinterpret_cast<Control*>(take(sizeof(Control)));
  counts_ = reinterpret_cast<std::atomic<std::int64_t>*>(
      take(line * array_.group.state()->node_ranks().size()));
  table_ = reinterpret_cast<std::atomic<std::uint32_t>*>(
      take(sizeof(std::uint32_t) * static_cast<std::uint64_t>(entries_)));
  slot_ = reinterpret_cast<Slot*>(take(sizeof(Slot) * static_cast<std::uint64_t>(slots_)));
  data_ = memory;
}

void NodeCache::drop() noexcept {
  if (segment_ != nullptr) segment_->destroy();
  segment_.reset();
}

void NodeCache::require_open() const {
  if (!open())
    throw Error(ErrorKind::state, "the lazy mirror was closed" +
                                      (array_.name.empty() ? "" : ", array '" + array_.name + "'"));
}

void NodeCache::refresh() {
  constexpr std::string_view operation = "refresh lazy mirror";
  require_open();
  array_.require_alive();
  // All members come here, so none of my node reads.
  enter_collective(array_.group, operation, number(), nullptr);
  GroupState& group = *array_.group.state();
  const auto ranks = static_cast<std::int64_t>(group.node_ranks().size());
  const auto share = [&](std::int64_t rank) { return slots_ * rank / ranks; };
  for (std::int64_t slot = share(group.local()); slot < share(group.local() + 1); ++slot) {
    if (slot_[slot].word.load(std::memory_order_relaxed) == 0) continue;
    forget(slot);
    slot_[slot].word.store(0, std::memory_order_relaxed);
  }
  if (group.first_on_node()) control_->held.store(0, std::memory_order_relaxed);
  group.barrier();
}

NodeCache::Lookup NodeCache::try_copy(const Part& part, const Index& user) {
  const std::uint32_t entry = find(part.tile);
  if (entry == 0) return Lookup::absent;
  const std::int64_t slot = std::int64_t{entry} - 1;
  std::atomic<std::uint64_t>& word = slot_[slot].word;
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  do {
    if ((seen & claimed) != 0) return Lookup::filling;
    if ((seen & ready) == 0) return Lookup::absent;
  } while (!word.compare_exchange_weak(seen, (seen | recently_read) + one_pin,
                                       std::memory_order_acquire, std::memory_order_relaxed));
  // It may have been claimed and filled with another tile since we looked into the table.
  const bool mine = slot_[slot].tile.load(std::memory_order_relaxed) == part.tile;
  if (mine) copy_out(slot, part, user);
  unpin(slot);
  return mine ? Lookup::copied : Lookup::absent;
}

bool NodeCache::being_filled(std::int64_t tile) const noexcept {
  const std::uint32_t entry = find(tile);
  return entry != 0 && (slot_[entry - 1].word.load(std::memory_order_acquire) & claimed) != 0;
}

std::int64_t NodeCache::claim(std::int64_t tile) {
  if (find(tile) != 0) return taken_by_another;
  std::atomic<std::uint32_t>* const place = places(tile);
  // Before a tile is put out for it: one whose places are all taken goes past the cache.
  if (std::none_of(place, place + ways_,
                   [](const auto& one) { return one.load(std::memory_order_relaxed) == 0; }))
    return find(tile) != 0 ? taken_by_another : none_free;
  const std::int64_t slot = take_slot();
  if (slot == none_free) return none_free;
  slot_[slot].tile.store(tile, std::memory_order_relaxed);
  for (std::int64_t way = 0; way < ways_; ++way) {
    std::uint32_t nobody = 0;
    if (!place[way].compare_exchange_strong(nobody, static_cast<std::uint32_t>(slot + 1),
                                            std::memory_order_seq_cst, std::memory_order_relaxed))
      continue;
    // Another rank may have claimed one of the places before mine for the same tile meanwhile. One
    // that we do not see yet finds mine, if behind its own: then the tile is there twice, no harm.
    if (find(tile) == static_cast<std::uint32_t>(slot + 1)) return slot;
    forget(slot);
    break;
  }
  slot_[slot].word.store(0, std::memory_order_release);
  return find(tile) != 0 ? taken_by_another : none_free;
}

// Twice around meets every slot once after its second chance was taken.
std::int64_t NodeCache::take_slot() {
  for (std::int64_t turn = 0; turn < 2 * slots_; ++turn) {
    const auto slot =
        static_cast<std::int64_t>(control_->hand.fetch_add(1, std::memory_order_relaxed) %
                                  static_cast<std::uint64_t>(slots_));
    std::atomic<std::uint64_t>& word = slot_[slot].word;
    std::uint64_t seen = word.load(std::memory_order_relaxed);
    if ((seen & (claimed | pins)) != 0) continue;
    if ((seen & recently_read) != 0) {
      word.compare_exchange_strong(seen, seen & ~recently_read, std::memory_order_relaxed);
      continue;
    }
    // Acquire: what readers of the old tile did is over before the new one is written.
    if (!word.compare_exchange_strong(seen, claimed, std::memory_order_acquire,
                                      std::memory_order_relaxed))
      continue;
    if ((seen & ready) != 0) {
      forget(slot);
      control_->held.fetch_sub(1, std::memory_order_relaxed);
      count(Count::evictions, 1);
    }
    return slot;
  }
  return none_free;
}

void NodeCache::publish(std::int64_t slot) noexcept {
  control_->held.fetch_add(1, std::memory_order_relaxed);
  slot_[slot].word.store(ready + one_pin, std::memory_order_release);
}

void NodeCache::unpin(std::int64_t slot) noexcept {
  slot_[slot].word.fetch_sub(one_pin, std::memory_order_release);
}

void NodeCache::abandon(std::int64_t slot) noexcept {
  forget(slot);
  slot_[slot].word.store(0, std::memory_order_release);
}

// Only this rank writes its counts, in whichever of its threads.
void NodeCache::count(Count what, std::int64_t by) noexcept {
  const auto local = static_cast<std::size_t>(array_.group.state()->local());
  std::atomic<std::int64_t>& counter =
      counts_[local * words_of_a_line + static_cast<std::size_t>(what)];
  counter.fetch_add(by, std::memory_order_relaxed);
}

LazyStatistics NodeCache::statistics() const {
  require_open();
  const GroupState& group = *array_.group.state();
  const auto of = [&](std::size_t local, Count what) {
    return counts_[local * words_of_a_line + static_cast<std::size_t>(what)].load(
        std::memory_order_relaxed);
  };
  LazyStatistics result;
  for (std::size_t local = 0; local < group.node_ranks().size(); ++local) {
    const LazyCounts theirs{of(local, Count::hits),      of(local, Count::misses),
                            of(local, Count::bypasses),  of(local, Count::direct),
                            of(local, Count::evictions), of(local, Count::fetched_bytes)};
    result.node.hits += theirs.hits;
    result.node.misses += theirs.misses;
    result.node.bypasses += theirs.bypasses;
    result.node.direct += theirs.direct;
    result.node.evictions += theirs.evictions;
    result.node.fetched_bytes += theirs.fetched_bytes;
    if (local == static_cast<std::size_t>(group.local())) result.rank = theirs;
  }
  result.tiles_held = control_->held.load(std::memory_order_relaxed);
  result.tile_capacity = slots_;
  return result;
}

}  // namespace lagoon::atoll::detail

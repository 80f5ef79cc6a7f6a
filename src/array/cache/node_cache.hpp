// NodeCache: a read cache of a distributed array in the memory that the ranks of a node share.
//
// The index space is cut into tiles (Tiling). A tile of which another node holds a part is fetched
// whole when any rank of the node first reads from it, into one of the cache's slots; what lies in
// my node's memory is read there. When no slot is empty the clock hand takes one that has not been
// read since it last came by (CLOCK, the second-chance approximation of least recently used).
//
// The table is as long as the cache has slots, not as the array has tiles: a tile's entry is one of
// a few places that its number leads to, and the slot says which tile it holds.
//
// Invariants. A table entry names the slot of its tile; it is set and cleared only by the rank that
// has claimed that slot. A slot is empty, claimed by one rank that fills it, or ready. Readers pin
// a ready slot while they copy from it, and only a ready slot without pins can be claimed again.
//
// Nobody depends on another rank: who finds a tile being filled waits only while it holds no claim
// itself and only for a moment, and who finds no slot fetches what it wants from the array.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "array/distribution/tiling.hpp"
#include "atoll/lazy_mirror.hpp"
#include "transport/segment.hpp"

namespace lagoon::atoll::detail {

class ArrayState;

class NodeCache {
 public:
  /// Collective over the array's group: sees what any member wrote before. `budget`: bytes of tiles
  /// a node, at least one tile. Throws on all members alike. The array must outlive the cache.
  NodeCache(ArrayState& array, std::int64_t budget, std::string_view operation);

  /// Frees the memory now; else the last rank to let go does. By all members, which have met.
  void drop() noexcept;
  bool open() const noexcept { return segment_ != nullptr; }
  /// Error(state) unless it is.
  void require_open() const;
  /// The same on all members; of an open one.
  std::uint64_t number() const noexcept { return segment_->number().sequence; }
  std::int64_t budget() const noexcept { return budget_; }

  /// As the members of AnyArray of these names. Not collective.
  void get(const Patch& patch, std::byte* out, const Index& strides);
  void gather(std::span<const std::int64_t> positions, std::byte* values);
  /// Collective: drops all tiles; what any member wrote before is seen afterwards.
  void refresh();
  LazyStatistics statistics() const;

 private:
  class Reader;
  struct Part;
  struct Slot;
  struct Control;
  enum class Count : std::uint8_t { hits, misses, bypasses, direct, evictions, fetched_bytes };
  enum class Lookup : std::uint8_t { copied, filling, absent };
  static constexpr std::int64_t none_free = -1, taken_by_another = -2;

  std::uint64_t control_bytes() const noexcept;
  /// The tile's place in the table, the first of `ways_`.
  std::atomic<std::uint32_t>* places(std::int64_t tile) const noexcept;
  /// Its entry; zero if it has none.
  std::uint32_t find(std::int64_t tile) const noexcept;
  /// Clears the entry of a claimed slot.
  void forget(std::int64_t slot) noexcept;
  void lay_out_table() noexcept;
  void attach(std::byte* memory) noexcept;

  /// Copies the part out of its tile's slot if that is ready.
  Lookup try_copy(const Part& part, const Index& user);
  void copy_out(std::int64_t slot, const Part& part, const Index& user) const;
  bool being_filled(std::int64_t tile) const noexcept;
  /// A slot to fill with the tile; or none_free, or taken_by_another.
  std::int64_t claim(std::int64_t tile);
  std::int64_t take_slot();
  void publish(std::int64_t slot) noexcept;  ///< leaves it pinned by me
  void unpin(std::int64_t slot) noexcept;
  void abandon(std::int64_t slot) noexcept;  ///< of a claimed slot that was not filled
  /// What of the box lies on other nodes.
  struct Foreign {
    std::int64_t bytes = 0, pieces = 0;
  };
  Foreign foreign(const Patch& box) const;
  std::byte* data(std::int64_t slot) const noexcept { return data_ + slot * slot_bytes_; }
  void count(Count what, std::int64_t by) noexcept;
  /// Tiles that a rank claims before it waits for them.
  std::int64_t most_claims() const noexcept;

  ArrayState& array_;
  const Tiling tiling_;
  const std::int64_t budget_;
  std::int64_t slot_bytes_ = 0;  // of the largest tile, rounded up
  std::int64_t slots_ = 0;       // none on a single node
  std::int64_t entries_ = 0;     // of the table: a multiple of the places that a tile has
  std::int64_t ways_ = 1;        // these; one where there is an entry a tile
  std::unique_ptr<Segment> segment_;

  // In the node's shared memory.
  Control* control_ = nullptr;
  std::atomic<std::int64_t>* counts_ = nullptr;  // a cache line a member of the node
  std::atomic<std::uint32_t>* table_ = nullptr;  // a slot plus one, or zero
  Slot* slot_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace lagoon::atoll::detail

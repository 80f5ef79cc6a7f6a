// Accumulate: y += alpha x in a node's shared memory, atomic per element.
//
// Every 64 KiB of the region hash to one of 1024 locks. Whoever adds to elements (a rank of the
// node, or the agent for remote ranks) holds the lock of their stripe, so all adds to an element
// exclude each other. Fetch-add and swap are hardware atomics that take no lock; from the first of
// them on a segment, accumulates to it add atomically too (`atomics_in_use`).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "atoll/index.hpp"
#include "atoll/types.hpp"
#include "transport/strided.hpp"
#include "world/arena.hpp"

namespace lagoon::atoll::detail {

class Stripes {
 public:
  static constexpr std::uint64_t stripe_bytes = 65536;
  static constexpr std::uint64_t locks = 1024;
  struct alignas(64) Padded {
    SharedLock lock;
  };
  static constexpr std::uint64_t bytes = locks * sizeof(Padded);

  /// `table` is zeroed memory in the region; `base` is where the region is mapped here.
  Stripes(std::byte* table, const std::byte* base)
      : table_(reinterpret_cast<Padded*>(table)), base_(base) {}

  static std::uint64_t stripe_of(std::uint64_t offset) noexcept { return offset / stripe_bytes; }
  std::uint64_t offset_of(const void* address) const noexcept {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - base_);
  }
  SharedLock& lock_of(std::uint64_t stripe) const noexcept { return table_[stripe % locks].lock; }
  /// Takes and releases every lock once: accumulates under way have finished then.
  void pass_all() const noexcept;

 private:
  Padded* table_;
  const std::byte* base_;
};

/// Whether the element that `alpha` points to is one.
bool is_one(ElementType type, const void* alpha) noexcept;

/// How to add: the type, the factor (null: one), and the segment's flag.
struct Addition {
  ElementType type;
  const void* alpha;
  const std::atomic<std::uint32_t>& atomics_in_use;
};

/// Strides in bytes; the target lies in the region, the source anywhere.
void accumulate_strided(const Stripes& stripes, const Addition& addition, std::byte* target,
                        const Index& target_strides, const std::byte* source,
                        const Index& source_strides, const Index& shape);

/// The same for contiguous target and source.
void accumulate_contiguous(const Stripes& stripes, const Addition& addition, std::byte* target,
                           const std::byte* source, std::int64_t elements);

/// Bytes [position, position + length) of the packed order of `runs` += alpha * buffer.
void accumulate_packed(const Stripes& stripes, const Addition& addition, const Runs& runs,
                       std::byte* base, std::int64_t position, std::int64_t length,
                       const std::byte* buffer);

/// The element at each byte offset of `base` += alpha * values[i].
void accumulate_scattered(const Stripes& stripes, const Addition& addition, std::byte* base,
                          std::span<const std::int64_t> offsets, const std::byte* values);

}  // namespace lagoon::atoll::detail

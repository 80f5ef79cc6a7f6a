// Lazy mirrors: a read cache of a distributed array, shared by the ranks of each node.
//
// A mirror of everything (mirror.hpp) costs every node the memory of the whole array. A lazy mirror
// keeps only the tiles (about 8 KiB) that some rank of the node has read, as many as its budget
// allows; the least recently used go first. Reading a tile that is there moves nothing between
// nodes.
//
// It is for arrays that are read much and written rarely. Reads see what was written before the
// mirror was made or last refreshed; what is written later they may see or not, each tile for
// itself, until `refresh`. There is no writing: write the array. docs/lazy-mirror.md has the
// details.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "atoll/array.hpp"

namespace lagoon::atoll {

namespace detail {
class NodeCache;
}  // namespace detail

/// What reads were answered from. A read counts once for each tile that it touches, a gather once
/// for each element.
struct LazyCounts {
  std::int64_t hits = 0;       ///< the tile was on the node, or just being fetched by another rank
  std::int64_t misses = 0;     ///< the tile was fetched
  std::int64_t bypasses = 0;   ///< no slot was free: only what was wanted was fetched
  std::int64_t direct = 0;     ///< read in my node's part of the array; whole patches count once
  std::int64_t evictions = 0;  ///< tiles dropped to make room
  std::int64_t fetched_bytes = 0;  ///< elements that came from other nodes
};

struct LazyStatistics {
  LazyCounts rank;                 ///< mine since the mirror was made
  LazyCounts node;                 ///< the sum over the ranks of my node
  std::int64_t tiles_held = 0;     ///< now, on my node
  std::int64_t tile_capacity = 0;  ///< how many the budget allows; no more than the array has
};

class AnyLazyMirror {
 public:
  static constexpr std::int64_t default_budget = std::int64_t{64} << 20;

  /// Collective over the array's group; sees what any rank wrote before. `budget`: bytes of tiles
  /// that each node may hold (bookkeeping comes on top: 16 bytes a tile held and, touched when
  /// used, 4 bytes a tile of the array). Throws on all members alike: Error(value) for a budget
  /// below one tile or a mirrored array, Error(mismatch) when members give different budgets,
  /// Error(memory).
  explicit AnyLazyMirror(const AnyArray& array, std::int64_t budget = default_budget);
  AnyLazyMirror(AnyLazyMirror&&) noexcept;
  AnyLazyMirror& operator=(AnyLazyMirror&&) noexcept;
  /// Lets go of this rank's handle, without communication.
  ~AnyLazyMirror();
  /// Collective: frees the memory now. Error(state) when closed already.
  void close();
  /// Whether it can be read: not closed or moved from, and the array neither destroyed.
  bool alive() const noexcept;

  /// As AnyArray::get and gather. Not collective.
  void get(const Patch& patch, void* out, const Index& strides = {}) const;
  void gather(std::span<const std::int64_t> positions, void* values) const;

  /// Collective: drops all tiles, so that what any rank wrote before is seen afterwards.
  void refresh();
  /// Not collective; counts of other ranks as they are at the moment.
  LazyStatistics statistics() const;

  std::int64_t budget() const;  ///< bytes, as given
  ElementType type() const;
  const Index& shape() const;
  const std::string& name() const;  ///< the array's
  const Group& group() const;       ///< the array's

 private:
  detail::NodeCache& require() const;
  const detail::ArrayState& array() const;
  std::shared_ptr<detail::ArrayState> array_;  // before the cache, which refers to it
  std::unique_ptr<detail::NodeCache> cache_;
};

template <Element T>
class LazyMirror : public AnyLazyMirror {
 public:
  explicit LazyMirror(const Array<T>& array, std::int64_t budget = default_budget)
      : AnyLazyMirror(array, budget) {}

  void get(const Patch& patch, T* out, const Index& strides = {}) const {
    AnyLazyMirror::get(patch, out, strides);
  }
  void gather(std::span<const std::int64_t> positions, T* values) const {
    AnyLazyMirror::gather(positions, values);
  }
  /// One element.
  T at(const Index& position) const {
    T value{};
    Patch element{position, position, {}};
    for (std::int64_t& end : element.hi) ++end;
    AnyLazyMirror::get(element, &value);
    return value;
  }
};

/// The same, beside `mirror` (mirror.hpp).
template <Element T>
LazyMirror<T> lazy_mirror(const Array<T>& array,
                          std::int64_t budget = AnyLazyMirror::default_budget) {
  return LazyMirror<T>(array, budget);
}

}  // namespace lagoon::atoll

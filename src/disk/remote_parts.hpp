// RemoteParts: what of a request's tiles lies in the memory of other nodes. Only the rank's own
// thread may begin gets and puts, so it fetches ahead, or brings away what was handed over,
// whenever it is inside Atoll (`feed`); whoever moves the tiles takes buffers in the order of the
// tiles. A buffer holds the remote pieces of one tile, packed, one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "atoll/array.hpp"
#include "disk/tile_pieces.hpp"
#include "disk/transfer.hpp"
#include "disk/waiting.hpp"

namespace lagoon::atoll::detail {

class RemoteParts {
 public:
  /// `direction`: whether the file is written, and the array read. `tiles`: of the section, in the
  /// order in which they are moved; those that lie on this node have no buffer.
  RemoteParts(const DiskLayout& layout, const Section& section, AnyArray& array,
              Direction direction, const std::vector<std::int64_t>& tiles);

  bool empty() const noexcept { return tiles_.empty(); }

  /// By the rank's thread: begins what it can, never waits. True when something moved. Throws what
  /// gets and puts throw.
  bool feed();
  /// By the rank's thread, when nobody takes buffers any more: waits for all that is under way.
  void settle();
  /// By the rank's thread: whether everything has been brought away.
  bool settled() const noexcept;
  /// By any thread: nobody is to wait for buffers any more.
  void abandon() noexcept { abandoned_.store(true, std::memory_order_release); }

  /// By whoever moves tiles: the next tile's buffer, when its pieces have come or are to be filled
  /// in. Null if the parts were abandoned. Every `take` is followed by `give_back`.
  std::byte* take(Waiting& waiting);
  void give_back();

 private:
  enum class Stage : std::uint8_t { free, under_way, handed_over };
  struct Slot {
    std::vector<std::byte> memory;
    std::vector<Handle> handles;  // under way; destroyed, and so waited for, before the memory
    std::int64_t tile = 0;
    std::atomic<Stage> stage{Stage::free};
  };

  Slot& slot(std::size_t i) { return slots_[i % slots_.size()]; }
  /// Begins the gets or puts of a tile.
  void begin(Slot& slot, std::int64_t tile);
  bool fetch();
  bool bring_away();
  static bool arrived(const Slot& slot) noexcept;

  const DiskLayout& layout_;
  const Section& section_;
  AnyArray& array_;
  const Direction direction_;
  std::vector<std::int64_t> tiles_;  // numbers in the file
  std::vector<Slot> slots_;
  std::size_t begun_ = 0;  // tiles whose gets or puts were begun, by the rank's thread
  std::size_t taken_ = 0;  // by whoever moves tiles
  std::atomic<bool> abandoned_{false};
};

}  // namespace lagoon::atoll::detail

// TileMover: moves one rank's share of a section between the file and an array. Tiles whose rows
// lie in the memory of this node go straight to the file; the others by way of a buffer. Every tile
// is moved by one rank, whole, and checked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "disk/intent_log.hpp"
#include "disk/remote_parts.hpp"
#include "disk/section.hpp"
#include "disk/tile_pieces.hpp"
#include "disk/transfer.hpp"
#include "disk/waiting.hpp"

namespace lagoon::atoll::detail {

/// A tile of a section, by its place there, and the checksum of its bytes.
struct WrittenTile {
  std::int64_t place;
  std::uint32_t checksum;
};

/// How tiles are written.
struct TileWriting {
  bool direct = false;  ///< past the page cache where that can be
  bool logged = false;  ///< the log says before what they are to hold
};

class TileMover {
 public:
  /// `checksums`: of all tiles, after the last commit; `log`: what some of them may hold instead.
  TileMover(const DiskLayout& layout, std::shared_ptr<OpenFile> file,
            const std::vector<std::uint32_t>& checksums, IntentLog& log, Waiting& waiting,
            TileWriting writing = {})
      : layout_(layout),
        file_(std::move(file)),
        checksums_(checksums),
        log_(log),
        waiting_(waiting),
        writing_(writing) {}
  TileMover(const TileMover&) = delete;
  TileMover& operator=(const TileMover&) = delete;
  /// Waits for what is under way.
  ~TileMover();

  /// The tiles of a section, by their places there. Error(file) for one that is damaged, also where
  /// only a part of it is written. Stops early if `remote` was abandoned.
  std::vector<WrittenTile> write(const Section& section, const std::vector<std::int64_t>& tiles,
                                 const AnyArray& array, RemoteParts& remote);
  void read(const Section& section, const std::vector<std::int64_t>& tiles, const AnyArray& array,
            RemoteParts& remote);
  /// Adds one for each tile that it has done with.
  void count_in(std::atomic<std::int64_t>& counter) noexcept { counter_ = &counter; }
  /// Of a tile's bytes if they are those that were written, by the commit or the log.
  std::optional<std::uint32_t> checksum_of(std::int64_t tile);

 private:
  static constexpr std::size_t at_once = 4;

  struct Slot {
    struct Free {
      void operator()(std::byte* gone) const noexcept { std::free(gone); }
    };
    std::unique_ptr<std::byte, Free> memory;
    std::shared_ptr<Transfer> transfer;
  };
  /// One that lies in a buffer, and is to be written when the log is on the device.
  struct Logged {
    std::int64_t tile;
    std::size_t slot;
    std::byte* memory;
  };
  using Pieces = std::vector<TilePiece>;

  /// The i-th buffer in turn, its transfer done, with the offset in a page that the tile has.
  std::byte* buffer(std::size_t i, std::int64_t tile);
  void finish(Slot& slot);
  /// Copies between a tile's buffer and the array's memory; remote pieces lie in `parts`.
  void copy_pieces(Direction direction, const Section& section, const Pieces& pieces,
                   std::byte* tile, std::byte* parts) const;
  /// The same, when the parts are there. False if they were abandoned.
  bool move_pieces(Direction direction, const Section& section, const Pieces& pieces,
                   std::byte* tile, RemoteParts& remote);
  /// By way of buffers. False if the remote parts were abandoned.
  bool gather(const Section& section, std::int64_t tile, const Pieces& pieces, RemoteParts& remote,
              std::uint32_t& checksum);
  bool scatter(const Section& section, std::int64_t tile, const Pieces& pieces,
               RemoteParts& remote);
  /// Whether bytes of this checksum are those that a tile should hold, by the commit or the log.
  bool is_right(std::int64_t tile, std::uint32_t checksum) const;
  void require_whole(std::int64_t tile, const std::byte* memory) const;
  /// Before a tile is written: says so where that is asked for.
  void log(std::int64_t tile, std::uint32_t after) const;
  /// What a section changes of a tile's bytes, and the checksums of those before and behind it.
  struct Change {
    std::int64_t first, last;
    std::uint32_t before, behind;
  };
  /// What the tile holds where the section does not write.
  Change prepare(const Section& section, std::int64_t tile, std::byte* memory) const;
  Change read_around(const Section& section, std::int64_t tile, std::byte* memory) const;
  /// The tile's checksum from that of what changes.
  std::uint32_t joined(const Change& change, std::uint32_t checksum) const;
  /// Writes what has changed; the tile's checksum.
  std::uint32_t write_change(std::int64_t tile, std::byte* memory, const Change& change);
  /// Brings the log to the device, then begins what it tells of: half of the buffers at a time, so
  /// that the other half is on its way meanwhile.
  void begin_logged();
  /// Logs what is at hand of these tiles, and brings the log to the device, for all of them at
  /// once.
  void log_ahead(const Section& section, std::span<const std::int64_t> tiles,
                 const AnyArray& array);
  void begin_direct(std::int64_t tile, Slot& slot, std::byte* memory);
  void read_tile(std::int64_t tile, std::byte* memory) const;
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(layout_.tile_bytes); }
  void count() noexcept {
    if (counter_ != nullptr) counter_->fetch_add(1, std::memory_order_relaxed);
  }
  [[noreturn]] void throw_damaged(std::int64_t tile) const;

  const DiskLayout& layout_;
  const std::shared_ptr<OpenFile> file_;
  const std::vector<std::uint32_t>& checksums_;
  IntentLog& log_;
  Waiting& waiting_;
  const TileWriting writing_;
  Slot slots_[at_once];
  std::vector<Logged> logged_;
  std::vector<TileChecksum> ahead_;  // logged, on the device, and not written yet; in order
  std::atomic<std::int64_t>* counter_ = nullptr;
  std::size_t next_ = 0;  // buffer
};

}  // namespace lagoon::atoll::detail

// TileMover: moves one rank's share of a section between the file and an array. Tiles that lie in
// the memory of this node go straight to the file; of the others some are under way at once: while
// one is gathered from the array's owners, others are on their way to or from the device. Every
// tile is moved by one rank, whole, and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "atoll/array.hpp"
#include "disk/section.hpp"
#include "disk/transfer.hpp"

namespace lagoon::atoll::detail {

/// A tile and the checksum of its bytes.
struct WrittenTile {
  std::int64_t tile;
  std::uint32_t checksum;
};

class TileMover {
 public:
  /// `checksums`: of all tiles, after the last commit.
  TileMover(const DiskLayout& layout, std::shared_ptr<OpenFile> file,
            const std::vector<std::uint32_t>& checksums)
      : layout_(layout), file_(std::move(file)), checksums_(checksums) {}

  /// The i-th of the section's tiles for i in [first, last). Error(file) for one that is damaged,
  /// also where only a part of it is written.
  std::vector<WrittenTile> write(const Section& section, std::int64_t first, std::int64_t last,
                                 const AnyArray& array);
  void read(const Section& section, std::int64_t first, std::int64_t last, AnyArray& array);
  /// Whether a tile's bytes are those that were written.
  bool is_whole(std::int64_t tile);

 private:
  static constexpr std::size_t at_once = 4;

  struct Slot {
    struct Free {
      void operator()(std::byte* gone) const noexcept { std::free(gone); }
    };
    std::unique_ptr<std::byte, Free> memory;
    std::shared_ptr<Transfer> transfer;
    Handle handle;  // destroyed, and so waited for, before the memory
    ~Slot();
  };

  Slot& slot(std::size_t i);
  std::shared_ptr<Transfer> begin(Direction direction, std::int64_t tile, Slot& slot) const;
  /// Tiles that are not at hand, by way of buffers: to the file, and from it. `tiles`: which of the
  /// section's.
  void gather(const Section& section, const std::vector<std::int64_t>& tiles, const AnyArray& array,
              const std::function<void(std::int64_t, std::uint32_t)>& done_with);
  void scatter(const Section& section, const std::vector<std::int64_t>& tiles, AnyArray& array);
  void require_whole(std::int64_t tile, const std::byte* memory) const;
  /// What the tile holds where the section does not write.
  void prepare(const Section& section, std::int64_t tile, std::byte* memory) const;
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(layout_.tile_bytes); }
  [[noreturn]] void throw_damaged(std::int64_t tile) const;

  const DiskLayout& layout_;
  std::shared_ptr<OpenFile> file_;
  const std::vector<std::uint32_t>& checksums_;
  Slot slots_[at_once];
};

}  // namespace lagoon::atoll::detail

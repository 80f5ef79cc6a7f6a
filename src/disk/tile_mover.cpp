// The two pipelines.
#include "disk/tile_mover.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "atoll/error.hpp"
#include "disk/crc32c.hpp"
#include "disk/device.hpp"
#include "disk/tile_rows.hpp"

namespace lagoon::atoll::detail {

TileMover::Slot::~Slot() {
  try {
    if (transfer != nullptr) transfer->wait();
  } catch (const std::exception&) {
    // An error before this one is on its way already.
  }
}

TileMover::Slot& TileMover::slot(std::size_t i) {
  Slot& result = slots_[i % at_once];
  if (result.memory == nullptr) {
    const std::size_t rounded = (bytes() + direct_alignment - 1) / direct_alignment;
    result.memory.reset(
        static_cast<std::byte*>(std::aligned_alloc(direct_alignment, rounded * direct_alignment)));
    if (result.memory == nullptr) throw std::bad_alloc();
  }
  return result;
}

std::shared_ptr<Transfer> TileMover::begin(Direction direction, std::int64_t tile,
                                           Slot& slot) const {
  return Device::get().begin(
      direction, {{file_, layout_.offset_of(tile), slot.memory.get(), bytes()}}, BeyondEnd::error);
}

void TileMover::throw_damaged(std::int64_t tile) const {
  throw Error(ErrorKind::file,
              "tile " + layout_.patch_of(tile).to_string() + " of " + file_->label() +
                  " is damaged: its checksum is wrong",
              EBADMSG);
}

void TileMover::require_whole(std::int64_t tile, const std::byte* memory) const {
  if (crc32c({memory, bytes()}) != checksums_[static_cast<std::size_t>(tile)]) throw_damaged(tile);
}

bool TileMover::is_whole(std::int64_t tile) {
  Slot& buffer = slot(0);
  begin(Direction::read, tile, buffer)->wait();
  return crc32c({buffer.memory.get(), bytes()}) == checksums_[static_cast<std::size_t>(tile)];
}

void TileMover::prepare(const Section& section, std::int64_t tile, std::byte* memory) const {
  if (!section.covers(tile)) {
    if (file_->read(layout_.offset_of(tile), memory, bytes()) < bytes()) throw_damaged(tile);
    require_whole(tile, memory);
    return;
  }
  // Tiles at the array's edge are whole in the file.
  const Patch all = layout_.patch_of(tile);
  for (int d = 0; d < layout_.shape.size(); ++d)
    if (all.hi[d] - all.lo[d] < layout_.tile[d]) {
      std::memset(memory, 0, bytes());
      return;
    }
}

std::vector<WrittenTile> TileMover::write(const Section& section, std::int64_t first,
                                          std::int64_t last, const AnyArray& array) {
  std::vector<WrittenTile> written(static_cast<std::size_t>(last - first));
  std::vector<std::int64_t> others;
  for (std::int64_t i = first; i < last; ++i) {
    WrittenTile& tile = written[static_cast<std::size_t>(i - first)];
    tile.tile = section.tile(i);
    std::vector<iovec> rows = rows_at_hand(layout_, section, tile.tile, array, Padding::zeros);
    if (rows.empty()) {
      others.push_back(i);
      continue;
    }
    tile.checksum = crc32c_of(rows);
    file_->write(layout_.offset_of(tile.tile), std::move(rows));
  }
  gather(section, others, array, [&](std::int64_t i, std::uint32_t checksum) {
    written[static_cast<std::size_t>(i - first)].checksum = checksum;
  });
  return written;
}

void TileMover::gather(const Section& section, const std::vector<std::int64_t>& tiles,
                       const AnyArray& array,
                       const std::function<void(std::int64_t, std::uint32_t)>& done_with) {
  const Index strides = section.buffer_strides();
  const std::size_t element = size_of(layout_.type);
  // A tile is gathered while those before it are written.
  for (std::size_t i = 0; i <= tiles.size(); ++i) {
    if (i < tiles.size()) {
      Slot& next = slot(i);
      if (const auto before = std::exchange(next.transfer, nullptr)) before->wait();
      const std::int64_t tile = section.tile(tiles[i]);
      prepare(section, tile, next.memory.get());
      const Patch region = section.region(tile);
      const auto offset = static_cast<std::size_t>(section.buffer_offset(tile, region));
      next.handle = array.get_async(section.array_region(region),
                                    next.memory.get() + offset * element, strides);
    }
    if (i == 0) continue;
    Slot& ready = slot(i - 1);
    ready.handle.wait();
    done_with(tiles[i - 1], crc32c({ready.memory.get(), bytes()}));
    ready.transfer = begin(Direction::write, section.tile(tiles[i - 1]), ready);
  }
  for (Slot& done : slots_)
    if (const auto transfer = std::exchange(done.transfer, nullptr)) transfer->wait();
}

void TileMover::read(const Section& section, std::int64_t first, std::int64_t last,
                     AnyArray& array) {
  std::vector<std::int64_t> others;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t tile = section.tile(i);
    const std::vector<iovec> rows = rows_at_hand(layout_, section, tile, array, Padding::none);
    if (rows.empty()) {
      others.push_back(i);
      continue;
    }
    if (file_->read(layout_.offset_of(tile), rows) < bytes()) throw_damaged(tile);
    if (crc32c_of(rows) != checksums_[static_cast<std::size_t>(tile)]) throw_damaged(tile);
  }
  scatter(section, others, array);
}

void TileMover::scatter(const Section& section, const std::vector<std::int64_t>& tiles,
                        AnyArray& array) {
  constexpr std::size_t ahead = at_once - 1;
  const Index strides = section.buffer_strides();
  const std::size_t element = size_of(layout_.type);
  for (std::size_t i = 0; i < tiles.size() + ahead; ++i) {
    if (i < tiles.size()) {
      Slot& next = slot(i);
      next.handle.wait();
      next.transfer = begin(Direction::read, section.tile(tiles[i]), next);
    }
    if (i < ahead) continue;
    const std::size_t j = i - ahead;
    Slot& ready = slot(j);
    if (const auto transfer = std::exchange(ready.transfer, nullptr)) transfer->wait();
    const std::int64_t tile = section.tile(tiles[j]);
    require_whole(tile, ready.memory.get());
    const Patch region = section.region(tile);
    const auto offset = static_cast<std::size_t>(section.buffer_offset(tile, region));
    ready.handle = array.put_async(section.array_region(region),
                                   ready.memory.get() + offset * element, strides);
  }
  for (Slot& done : slots_) done.handle.wait();
}

}  // namespace lagoon::atoll::detail

// The two pipelines.
#include "disk/tile_mover.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "atoll/error.hpp"
#include "disk/crc32c.hpp"
#include "disk/device.hpp"

namespace lagoon::atoll::detail {

TileMover::Slot::~Slot() {
  try {
    if (transfer != nullptr) transfer->wait();
  } catch (const std::exception&) {
    // An error before this one is on its way already.
  }
}

TileMover::Slot& TileMover::slot(std::int64_t i) {
  Slot& result = slots_[static_cast<std::size_t>(i) % at_once];
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

std::string TileMover::name_of_tile(std::int64_t tile) const {
  return "tile " + layout_.patch_of(tile).to_string() + " of " + file_->label();
}

void TileMover::require_whole(std::int64_t tile, const std::byte* memory) const {
  if (crc32c({memory, bytes()}) == checksums_[static_cast<std::size_t>(tile)]) return;
  throw Error(ErrorKind::file, name_of_tile(tile) + " is damaged: its checksum is wrong", EBADMSG);
}

bool TileMover::is_whole(std::int64_t tile) {
  Slot& buffer = slot(0);
  begin(Direction::read, tile, buffer)->wait();
  return crc32c({buffer.memory.get(), bytes()}) == checksums_[static_cast<std::size_t>(tile)];
}

void TileMover::prepare(const Section& section, std::int64_t tile, std::byte* memory) const {
  if (!section.covers(tile)) {
    if (file_->read(layout_.offset_of(tile), memory, bytes()) < bytes())
      throw Error(ErrorKind::file, name_of_tile(tile) + " is beyond its end", EBADMSG);
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
  std::vector<WrittenTile> written;
  const Index strides = section.buffer_strides();
  const std::size_t element = size_of(layout_.type);
  // Tile i is gathered while those before it are written.
  for (std::int64_t i = first; i <= last; ++i) {
    if (i < last) {
      Slot& next = slot(i);
      if (const auto before = std::exchange(next.transfer, nullptr)) before->wait();
      const std::int64_t tile = section.tile(i);
      prepare(section, tile, next.memory.get());
      const Patch region = section.region(tile);
      const auto offset = static_cast<std::size_t>(section.buffer_offset(tile, region));
      next.handle = array.get_async(section.array_region(region),
                                    next.memory.get() + offset * element, strides);
    }
    if (i == first) continue;
    Slot& ready = slot(i - 1);
    ready.handle.wait();
    const std::int64_t tile = section.tile(i - 1);
    written.push_back({tile, crc32c({ready.memory.get(), bytes()})});
    ready.transfer = begin(Direction::write, tile, ready);
  }
  for (Slot& done : slots_)
    if (const auto transfer = std::exchange(done.transfer, nullptr)) transfer->wait();
  return written;
}

void TileMover::read(const Section& section, std::int64_t first, std::int64_t last,
                     AnyArray& array) {
  constexpr auto ahead = static_cast<std::int64_t>(at_once) - 1;
  const Index strides = section.buffer_strides();
  const std::size_t element = size_of(layout_.type);
  for (std::int64_t i = first; i < last + ahead; ++i) {
    if (i < last) {
      Slot& next = slot(i);
      next.handle.wait();
      next.transfer = begin(Direction::read, section.tile(i), next);
    }
    const std::int64_t j = i - ahead;
    if (j < first || j >= last) continue;
    Slot& ready = slot(j);
    if (const auto transfer = std::exchange(ready.transfer, nullptr)) transfer->wait();
    const std::int64_t tile = section.tile(j);
    require_whole(tile, ready.memory.get());
    const Patch region = section.region(tile);
    const auto offset = static_cast<std::size_t>(section.buffer_offset(tile, region));
    ready.handle = array.put_async(section.array_region(region),
                                   ready.memory.get() + offset * element, strides);
  }
  for (Slot& done : slots_) done.handle.wait();
}

}  // namespace lagoon::atoll::detail

// Tiles one after the other.
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
#include "disk/tile_rows.hpp"
#include "transport/strided.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::int64_t part_bytes = std::int64_t{1} << 19;  // of a tile, at a time

}  // namespace

TileMover::~TileMover() {
  for (Slot& slot : slots_) {
    try {
      finish(slot);
    } catch (const std::exception&) {
      // An error before this one is on its way already.
    }
  }
}

void TileMover::finish(Slot& slot) {
  const auto transfer = std::exchange(slot.transfer, nullptr);
  if (transfer == nullptr) return;
  waiting_.until([&] { return transfer->done(); });
  transfer->check();
}

std::byte* TileMover::buffer(std::size_t i, std::int64_t tile) {
  Slot& slot = slots_[i % at_once];
  const auto waits = [&](const Logged& one) { return one.slot == i % at_once; };
  if (std::any_of(logged_.begin(), logged_.end(), waits)) begin_logged();
  finish(slot);
  if (slot.memory == nullptr) {
    const std::size_t pages = bytes() / direct_alignment + 2;
    slot.memory.reset(
        static_cast<std::byte*>(std::aligned_alloc(direct_alignment, pages * direct_alignment)));
    if (slot.memory == nullptr) throw std::bad_alloc();
  }
  return slot.memory.get() + static_cast<std::size_t>(layout_.offset_of(tile)) % direct_alignment;
}

void TileMover::throw_damaged(std::int64_t tile) const {
  throw Error(ErrorKind::file,
              "tile " + layout_.patch_of(tile).to_string() + " of " + file_->label() +
                  " is damaged: its checksum is wrong",
              EBADMSG);
}

bool TileMover::is_right(std::int64_t tile, std::uint32_t checksum) const {
  const std::uint32_t committed = checksums_[static_cast<std::size_t>(tile)];
  if (checksum == committed) return true;
  const auto intent = log_.intent(tile);
  return intent && intent->admits(committed, checksum);
}

void TileMover::require_whole(std::int64_t tile, const std::byte* memory) const {
  if (!is_right(tile, crc32c({memory, bytes()}))) throw_damaged(tile);
}

void TileMover::log(std::int64_t tile, std::uint32_t after) const {
  if (!writing_.logged) return;
  const std::uint32_t committed = checksums_[static_cast<std::size_t>(tile)];
  TileIntent intent{committed, committed, after};
  const auto earlier = log_.intent(tile);
  if (earlier && earlier->committed == committed &&
      (earlier->before != committed || earlier->after != committed)) {
    // A write that never was committed may have been done: its bytes are not to be lost now.
    std::vector<std::byte> there(bytes());
    there.resize(file_->read(layout_.offset_of(tile), there.data(), there.size()));
    const std::uint32_t found = crc32c(there);
    if (there.size() == bytes() && earlier->admits(committed, found)) intent.before = found;
  }
  log_.log(tile, intent);
}

void TileMover::read_tile(std::int64_t tile, std::byte* memory) const {
  if (file_->read(layout_.offset_of(tile), memory, bytes()) < bytes()) throw_damaged(tile);
}

std::optional<std::uint32_t> TileMover::checksum_of(std::int64_t tile) {
  waiting_.look();
  std::byte* const memory = buffer(0, tile);
  if (file_->read(layout_.offset_of(tile), memory, bytes()) < bytes()) return std::nullopt;
  const std::uint32_t found = crc32c({memory, bytes()});
  return is_right(tile, found) ? std::optional(found) : std::nullopt;
}

TileMover::Change TileMover::prepare(const Section& section, std::int64_t tile,
                                     std::byte* memory) const {
  if (!section.covers(tile)) return read_around(section, tile, memory);
  // Tiles at the array's edge are whole in the file.
  const Patch all = layout_.patch_of(tile);
  for (int d = 0; d < layout_.shape.size(); ++d)
    if (all.hi[d] - all.lo[d] < layout_.tile[d]) {
      std::memset(memory, 0, bytes());
      break;
    }
  return {0, layout_.tile_bytes, 0, 0};
}

TileMover::Change TileMover::read_around(const Section& section, std::int64_t tile,
                                         std::byte* memory) const {
  const auto element = static_cast<std::int64_t>(size_of(layout_.type));
  const Patch region = section.region(tile);
  Patch last_element = region;
  for (int d = 0; d < region.lo.size(); ++d) last_element.lo[d] = region.hi[d] - 1;
  Change change{section.buffer_offset(tile, region) * element,
                (section.buffer_offset(tile, last_element) + 1) * element, 0, 0};
  // Each part is looked at while it is in the core's cache.
  const auto read = [&](std::int64_t first, std::int64_t last) {
    std::uint32_t checksum = 0;
    while (first < last) {
      const auto part = static_cast<std::size_t>(std::min(last - first, part_bytes));
      if (file_->read(layout_.offset_of(tile) + first, memory + first, part) < part)
        throw_damaged(tile);
      checksum = crc32c({memory + first, part}, checksum);
      first += static_cast<std::int64_t>(part);
    }
    return checksum;
  };
  change.before = read(0, change.first);
  const std::uint32_t changing = read(change.first, change.last);
  change.behind = read(change.last, layout_.tile_bytes);
  if (!is_right(tile, joined(change, changing))) throw_damaged(tile);
  return change;
}

std::uint32_t TileMover::joined(const Change& change, std::uint32_t checksum) const {
  const auto power = [](std::int64_t count) {
    return crc32c_power(static_cast<std::uint64_t>(count));
  };
  checksum ^= crc32c_times(power(change.last - change.first), change.before);
  return crc32c_times(power(layout_.tile_bytes - change.last), checksum) ^ change.behind;
}

std::uint32_t TileMover::write_change(std::int64_t tile, std::byte* memory, const Change& change) {
  std::uint32_t checksum = 0;
  if (writing_.logged) {
    const auto count = static_cast<std::size_t>(change.last - change.first);
    checksum = crc32c({memory + change.first, count});
    log(tile, joined(change, checksum));
  }
  for (std::int64_t at = change.first; at < change.last; at += part_bytes) {
    const auto part = static_cast<std::size_t>(std::min(change.last - at, part_bytes));
    if (!writing_.logged) checksum = crc32c({memory + at, part}, checksum);
    file_->write(layout_.offset_of(tile) + at, memory + at, part);
  }
  return joined(change, checksum);
}

void TileMover::copy_pieces(Direction direction, const Section& section, const Pieces& pieces,
                            std::byte* tile, std::byte* parts) const {
  const std::size_t element = size_of(layout_.type);
  const Index strides = tile_strides(layout_, section);
  for (const TilePiece& piece : pieces) {
    std::byte* there = piece.memory;
    Index there_strides = piece.strides;
    if (there == nullptr) {
      there = parts;
      there_strides = packed_strides(piece.shape);
      for (std::int64_t& stride : there_strides) stride *= static_cast<std::int64_t>(element);
      parts += piece.bytes;
    }
    if (direction == Direction::write)
      copy_strided(tile + piece.place, strides, there, there_strides, piece.shape, element);
    else
      copy_strided(there, there_strides, tile + piece.place, strides, piece.shape, element);
  }
}

bool TileMover::move_pieces(Direction direction, const Section& section, const Pieces& pieces,
                            std::byte* tile, RemoteParts& remote) {
  const bool has_parts = std::any_of(
      pieces.begin(), pieces.end(), [](const TilePiece& piece) { return piece.memory == nullptr; });
  std::byte* const parts = has_parts ? remote.take(waiting_) : nullptr;
  if (has_parts && parts == nullptr) return false;
  copy_pieces(direction, section, pieces, tile, parts);
  if (has_parts) remote.give_back();
  return true;
}

/// The middle of whole pages goes past the page cache; what is left of a page at either end shares
/// it with the next tile.
void TileMover::begin_direct(std::int64_t tile, Slot& slot, std::byte* memory) {
  const std::int64_t begin = layout_.offset_of(tile), end = begin + layout_.tile_bytes;
  constexpr auto page = static_cast<std::int64_t>(direct_alignment);
  const std::int64_t first = std::min((begin + page - 1) / page * page, end);
  const std::int64_t last = std::max(end / page * page, first);
  std::vector<FilePiece> pieces;
  for (const auto& [from, to] : {std::pair{first, last}, {begin, first}, {last, end}})
    if (from < to)
      pieces.push_back({file_, from, memory + (from - begin), static_cast<std::size_t>(to - from)});
  slot.transfer =
      Device::get().begin(Direction::write, std::move(pieces), BeyondEnd::error, Caching::direct);
}

void TileMover::begin_logged() {
  if (logged_.empty()) return;
  log_.sync();
  for (const Logged& one : std::exchange(logged_, {}))
    begin_direct(one.tile, slots_[one.slot], one.memory);
}

void TileMover::log_ahead(const Section& section, std::span<const std::int64_t> tiles,
                          const AnyArray& array) {
  ahead_.clear();
  for (const std::int64_t i : tiles) {
    waiting_.look();
    const std::int64_t tile = section.tile(i);
    const auto rows = rows_at_hand(layout_, section, tile, pieces_of(layout_, section, tile, array),
                                   Padding::zeros);
    if (rows.empty()) continue;
    ahead_.push_back({tile, crc32c_of(rows)});
    log(tile, ahead_.back().checksum);
  }
  if (!ahead_.empty()) log_.sync();
}

bool TileMover::gather(const Section& section, std::int64_t tile, const Pieces& pieces,
                       RemoteParts& remote, std::uint32_t& checksum) {
  const std::size_t i = next_++;
  std::byte* const memory = buffer(i, tile);
  const Change change = prepare(section, tile, memory);
  if (!move_pieces(Direction::write, section, pieces, memory, remote)) return false;
  if (!writing_.direct) {
    checksum = write_change(tile, memory, change);
    return true;
  }
  checksum = crc32c({memory, bytes()});
  const bool is_logged =
      std::find(ahead_.begin(), ahead_.end(), TileChecksum{tile, checksum}) != ahead_.end();
  if (is_logged || !writing_.logged) {
    begin_direct(tile, slots_[i % at_once], memory);
    return true;
  }
  log(tile, checksum);
  logged_.push_back({tile, i % at_once, memory});
  if (logged_.size() == at_once / 2) begin_logged();
  return true;
}

std::vector<WrittenTile> TileMover::write(const Section& section,
                                          const std::vector<std::int64_t>& tiles,
                                          const AnyArray& array, RemoteParts& remote) {
  std::vector<WrittenTile> written;
  written.reserve(tiles.size());
  // Bringing the log to the device takes as long as writing some tiles.
  constexpr std::size_t most_ahead = 16;
  for (std::size_t at = 0; at < tiles.size(); ++at) {
    const std::int64_t i = tiles[at];
    if (at > 0) count();
    waiting_.look();
    if (writing_.direct && writing_.logged && at % most_ahead == 0)
      log_ahead(section, std::span(tiles).subspan(at, std::min(most_ahead, tiles.size() - at)),
                array);
    const std::int64_t tile = section.tile(i);
    const Pieces pieces = pieces_of(layout_, section, tile, array);
    std::vector<iovec> rows;
    if (!writing_.direct) rows = rows_at_hand(layout_, section, tile, pieces, Padding::zeros);
    WrittenTile& next = written.emplace_back(WrittenTile{i, 0});
    if (rows.empty()) {
      if (!gather(section, tile, pieces, remote, next.checksum)) break;
      continue;
    }
    if (writing_.logged) {
      next.checksum = crc32c_of(rows);
      log(tile, next.checksum);
    }
    for_each_part(rows, [&](std::int64_t offset, std::vector<iovec> part) {
      if (!writing_.logged) next.checksum = crc32c_of(part, next.checksum);
      file_->write(layout_.offset_of(tile) + offset, std::move(part));
    });
  }
  begin_logged();
  for (Slot& slot : slots_) finish(slot);
  return written;
}

bool TileMover::scatter(const Section& section, std::int64_t tile, const Pieces& pieces,
                        RemoteParts& remote) {
  std::byte* const memory = buffer(0, tile);
  read_tile(tile, memory);
  require_whole(tile, memory);
  return move_pieces(Direction::read, section, pieces, memory, remote);
}

void TileMover::read(const Section& section, const std::vector<std::int64_t>& tiles,
                     const AnyArray& array, RemoteParts& remote) {
  for (const std::int64_t i : tiles) {
    if (i != tiles.front()) count();
    waiting_.look();
    const std::int64_t tile = section.tile(i);
    const Pieces pieces = pieces_of(layout_, section, tile, array);
    const std::vector<iovec> rows = rows_at_hand(layout_, section, tile, pieces, Padding::none);
    if (rows.empty()) {
      if (!scatter(section, tile, pieces, remote)) return;
      continue;
    }
    std::size_t got = 0;
    std::uint32_t checksum = 0;
    for_each_part(rows, [&](std::int64_t offset, const std::vector<iovec>& part) {
      got += file_->read(layout_.offset_of(tile) + offset, part);
      checksum = crc32c_of(part, checksum);
    });
    if (got < bytes() || !is_right(tile, checksum)) throw_damaged(tile);
  }
}

}  // namespace lagoon::atoll::detail

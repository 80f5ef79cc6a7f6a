// Tiles one after the other.
#include "disk/tile_mover.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "atoll/error.hpp"
#include "disk/crc32c.hpp"
#include "disk/device.hpp"
#include "transport/strided.hpp"

namespace lagoon::atoll::detail {

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

void TileMover::prepare(const Section& section, std::int64_t tile, std::byte* memory) const {
  if (!section.covers(tile)) {
    read_tile(tile, memory);
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

bool TileMover::gather(const Section& section, std::int64_t tile, const Pieces& pieces,
                       RemoteParts& remote, std::uint32_t& checksum) {
  const std::size_t i = next_++;
  std::byte* const memory = buffer(i, tile);
  prepare(section, tile, memory);
  if (!move_pieces(Direction::write, section, pieces, memory, remote)) return false;
  checksum = crc32c({memory, bytes()});
  log(tile, checksum);
  if (writing_.direct)
    begin_direct(tile, slots_[i % at_once], memory);
  else
    file_->write(layout_.offset_of(tile), memory, bytes());
  return true;
}

namespace {

/// Checksums of a tile's bytes as they were and as they will be, row after row: bytes in between
/// are looked at once for both.
class RowChecksums {
 public:
  /// The next bytes, which stay.
  void keep(std::span<const std::byte> bytes) {
    before_ = crc32c(bytes, before_);
    difference_ = crc32c_times(power_of(bytes.size()), difference_);
  }
  /// The next bytes, which are replaced by as many others.
  void replace(std::span<const std::byte> old, std::span<const std::byte> fresh) {
    const std::uint32_t was = crc32c(old), power = power_of(old.size());
    before_ = crc32c_times(power, before_) ^ was;
    difference_ = crc32c_times(power, difference_) ^ was ^ crc32c(fresh);
  }
  std::uint32_t before() const noexcept { return before_; }
  std::uint32_t after() const noexcept { return before_ ^ difference_; }

 private:
  /// Rows of a tile are of a length, but for the first and the last gap.
  std::uint32_t power_of(std::size_t bytes) {
    for (const auto& [length, power] : known_)
      if (length == bytes) return power;
    known_[next_] = {bytes, crc32c_power(bytes)};
    return known_[std::exchange(next_, (next_ + 1) % known_.size())].second;
  }

  std::uint32_t before_ = 0, difference_ = 0;
  std::array<std::pair<std::size_t, std::uint32_t>, 4> known_{};
  std::size_t next_ = 0;
};

}  // namespace

std::uint32_t TileMover::overwrite(std::int64_t tile, const std::vector<TileRow>& rows) {
  // What is read at once stays in a core's cache until it has been looked at.
  constexpr std::int64_t most_at_once = std::int64_t{1} << 18;
  // Shorter gaps are written with the rows around them: a call costs more.
  constexpr std::int64_t least_gap = std::int64_t{1} << 13;
  std::byte* const memory = buffer(next_++, tile);
  const std::int64_t offset = layout_.offset_of(tile);
  RowChecksums checksums;
  std::int64_t at = 0, read = 0;  // looked at so far, in memory so far
  const auto read_up_to = [&](std::int64_t end) {
    if (end <= read) return;
    end = std::max(end, std::min(read + most_at_once, layout_.tile_bytes));
    const auto bytes = static_cast<std::size_t>(end - read);
    if (file_->read(offset + read, memory + read, bytes) < bytes) throw_damaged(tile);
    read = end;
  };
  const auto keep_up_to = [&](std::int64_t end) {
    while (at < end) {
      const std::int64_t next = std::min(at + most_at_once, end);
      read_up_to(next);
      checksums.keep({memory + at, static_cast<std::size_t>(next - at)});
      at = next;
    }
  };
  for (const TileRow& row : rows) {
    keep_up_to(row.offset);
    at = row.offset + row.bytes;
    read_up_to(at);
    const auto bytes = static_cast<std::size_t>(row.bytes);
    checksums.replace({memory + row.offset, bytes}, {row.memory, bytes});
  }
  keep_up_to(layout_.tile_bytes);
  if (!is_right(tile, checksums.before())) throw_damaged(tile);
  log(tile, checksums.after());

  std::vector<iovec> run;  // of bytes one after the other in the file
  std::int64_t first = 0, last = 0;
  const auto write_run = [&] {
    if (!run.empty()) file_->write(offset + first, std::exchange(run, {}));
  };
  for (const TileRow& row : rows) {
    if (run.empty() || row.offset - last >= least_gap) {
      write_run();
      first = row.offset;
    } else if (row.offset > last) {
      run.push_back({memory + last, static_cast<std::size_t>(row.offset - last)});
    }
    run.push_back({row.memory, static_cast<std::size_t>(row.bytes)});
    last = row.offset + row.bytes;
  }
  write_run();
  return checksums.after();
}

std::vector<WrittenTile> TileMover::write(const Section& section,
                                          const std::vector<std::int64_t>& tiles,
                                          const AnyArray& array, RemoteParts& remote) {
  std::vector<WrittenTile> written;
  written.reserve(tiles.size());
  for (const std::int64_t i : tiles) {
    if (i != tiles.front()) count();
    waiting_.look();
    const std::int64_t tile = section.tile(i);
    const Pieces pieces = pieces_of(layout_, section, tile, array);
    std::vector<iovec> rows;
    if (!writing_.direct) rows = rows_at_hand(layout_, section, tile, pieces, Padding::zeros);
    WrittenTile& next = written.emplace_back(WrittenTile{i, 0});
    if (rows.empty()) {
      std::vector<TileRow> some;
      if (!writing_.direct && !section.covers(tile)) some = rows_of(layout_, section, pieces);
      if (!some.empty())
        next.checksum = overwrite(tile, some);
      else if (!gather(section, tile, pieces, remote, next.checksum))
        break;
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

// Sixteen bytes a tile.
#include "disk/intent_log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "atoll/error.hpp"
#include "disk/byte_writer.hpp"
#include "disk/crc32c.hpp"
#include "disk/names.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::int64_t entry_bytes = 16;

/// Ends with a checksum of all before and the number of the tile.
std::vector<std::byte> encode(std::int64_t tile, const TileIntent& intent) {
  ByteWriter writer, checked;
  writer.u32(intent.committed).u32(intent.before).u32(intent.after);
  checked.append(writer.bytes()).u64(static_cast<std::uint64_t>(tile));
  return writer.u32(crc32c(checked.bytes())).bytes();
}

}  // namespace

void IntentLog::make(const std::string& path, std::int64_t tiles, bool sparse) {
  OpenFile file(path, {.creates = true, .for_others = true});
  if (file.length() >= tiles * entry_bytes) return;
  file.resize(tiles * entry_bytes);
  if (!sparse) file.reserve(0, tiles * entry_bytes);
  file.sync();
  sync_name(path);
}

void IntentLog::open_to_write() {
  const std::scoped_lock lock(mutex_);
  file_ = std::make_shared<OpenFile>(path_, OpenMode{});
  file_->use_beside_other_hosts();
  sought_ = true;
}

std::shared_ptr<OpenFile> IntentLog::file_if_any() const {
  const std::scoped_lock lock(mutex_);
  if (sought_) return file_;
  try {
    file_ = std::make_shared<OpenFile>(path_, OpenMode{.writes = false});
    file_->use_beside_other_hosts();
  } catch (const Error& error) {
    if (error.error_number() != ENOENT) throw;  // arrays that nobody has written in place have none
  }
  sought_ = true;
  return file_;
}

std::optional<TileIntent> IntentLog::intent(std::int64_t tile) const {
  std::array<std::byte, entry_bytes> bytes{};
  const auto file = file_if_any();
  if (file == nullptr || file->read(tile * entry_bytes, bytes.data(), bytes.size()) < bytes.size())
    return std::nullopt;
  ByteReader reader(bytes);
  const std::uint32_t committed = reader.u32(), before = reader.u32(), after = reader.u32();
  const TileIntent found{committed, before, after};
  const std::vector<std::byte> expected = encode(tile, found);
  if (!std::equal(expected.begin(), expected.end(), bytes.begin())) return std::nullopt;
  return found;
}

void IntentLog::log(std::int64_t tile, const TileIntent& intent) {
  const std::vector<std::byte> bytes = encode(tile, intent);
  file_->write(tile * entry_bytes, bytes.data(), bytes.size());
}

void IntentLog::sync() { file_->sync(); }

}  // namespace lagoon::atoll::detail

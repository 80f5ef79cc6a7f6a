// Counting tiles.
#include "disk/unwritten_tiles.hpp"

#include <cerrno>

namespace lagoon::atoll::detail {

void UnwrittenTiles::add(const DiskLayout& layout, const Section& section, const Error& failure) {
  if (count_ == 0) {
    why_ = failure.message();
    error_number_ = failure.error_number() != 0 ? failure.error_number() : EIO;
  }
  is_unwritten_.resize(static_cast<std::size_t>(layout.tiles));
  for (std::int64_t i = 0; i < section.tiles(); ++i) {
    std::vector<bool>::reference tile = is_unwritten_[static_cast<std::size_t>(section.tile(i))];
    count_ += tile ? 0 : 1;
    tile = true;
  }
}

void UnwrittenTiles::remove(const Section& section) {
  for (std::int64_t i = 0; count_ > 0 && i < section.tiles(); ++i) {
    const std::int64_t number = section.tile(i);
    std::vector<bool>::reference tile = is_unwritten_[static_cast<std::size_t>(number)];
    if (!tile || !section.covers(number)) continue;
    tile = false;
    --count_;
  }
}

void UnwrittenTiles::require_none(const DiskLayout& layout, const std::string& text) const {
  constexpr int most_named = 4;
  if (count_ == 0) return;
  std::string names;
  int named = 0;
  for (std::int64_t i = 0; i < layout.tiles && named < most_named; ++i) {
    if (!is_unwritten_[static_cast<std::size_t>(i)]) continue;
    names += (named++ == 0 ? "" : ", ") + layout.patch_of(i).to_string();
  }
  throw Error(ErrorKind::file,
              std::to_string(count_) + " of " + std::to_string(layout.tiles) + " tiles of " + text +
                  " were not written: " + names + (count_ > most_named ? ", ..." : "") +
                  "; the first write that failed: " + why_,
              error_number_);
}

}  // namespace lagoon::atoll::detail

#include "compat/parts.hpp"

#include <algorithm>
#include <iterator>

namespace lagoon::atoll::compat {

Parts::Parts(std::int64_t begin, std::int64_t end, std::int64_t alignment)
    : alignment_(alignment), free_{{begin, end - begin}} {}

std::optional<std::int64_t> Parts::take(std::int64_t bytes) {
  // What is too much anyway is not rounded up: that may overflow.
  const auto fits = [=](const auto& gap) { return gap.second >= bytes; };
  if (std::ranges::none_of(free_, fits)) return std::nullopt;
  const std::int64_t rounded = (bytes + alignment_ - 1) / alignment_ * alignment_;
  const auto gap =
      std::ranges::find_if(free_, [=](const auto& one) { return one.second >= rounded; });
  if (gap == free_.end()) return std::nullopt;
  const auto [offset, length] = *gap;
  free_.erase(gap);
  if (length > rounded) free_[offset + rounded] = length - rounded;
  used_[offset] = rounded;
  return offset;
}

bool Parts::give_back(std::int64_t offset) {
  const auto part = used_.find(offset);
  if (part == used_.end()) return false;
  const std::int64_t bytes = part->second;
  used_.erase(part);
  join(offset, bytes);
  return true;
}

/// A gap becomes one with those next to it.
void Parts::join(std::int64_t offset, std::int64_t bytes) {
  const auto behind = free_.find(offset + bytes);
  if (behind != free_.end()) {
    bytes += behind->second;
    free_.erase(behind);
  }
  const auto next = free_.lower_bound(offset);
  const auto before = next == free_.begin() ? free_.end() : std::prev(next);
  if (before != free_.end() && before->first + before->second == offset)
    before->second += bytes;
  else
    free_[offset] = bytes;
}

bool Parts::holds(std::int64_t offset, std::int64_t bytes) const {
  const auto next = used_.upper_bound(offset);
  const auto part = next == used_.begin() ? used_.end() : std::prev(next);
  return part != used_.end() && bytes <= part->first + part->second - offset;
}

}  // namespace lagoon::atoll::compat

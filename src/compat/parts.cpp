#include "compat/parts.hpp"

#include <algorithm>
#include <iterator>

namespace lagoon::atoll::compat {

std::optional<std::int64_t> Gaps::take(std::int64_t bytes) {
  const auto gap = std::ranges::find_if(bytes_, [=](const auto& g) { return g.second >= bytes; });
  if (gap == bytes_.end()) return std::nullopt;
  const auto [offset, length] = *gap;
  bytes_.erase(gap);
  if (length > bytes) bytes_[offset + bytes] = length - bytes;
  return offset;
}

void Gaps::give(std::int64_t offset, std::int64_t bytes) {
  const auto behind = bytes_.find(offset + bytes);
  if (behind != bytes_.end()) {
    bytes += behind->second;
    bytes_.erase(behind);
  }
  const std::int64_t begin = trim(offset);
  bytes_[begin] = offset + bytes - begin;
}

std::int64_t Gaps::trim(std::int64_t end) {
  const auto next = bytes_.lower_bound(end);
  if (next == bytes_.begin()) return end;
  const auto before = std::prev(next);
  const auto [offset, length] = *before;
  if (offset + length != end) return end;
  bytes_.erase(before);
  return offset;
}

std::int64_t Gaps::largest() const noexcept {
  std::int64_t most = 0;
  for (const auto& gap : bytes_) most = std::max(most, gap.second);
  return most;
}

Parts::Parts(std::int64_t begin, std::int64_t end, std::int64_t alignment) : alignment_(alignment) {
  gaps_.give(begin, end - begin);
}

std::optional<std::int64_t> Parts::take(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  // What is too much anyway is not rounded up: that may overflow.
  if (bytes > gaps_.largest()) return std::nullopt;
  const std::int64_t rounded = (bytes + alignment_ - 1) / alignment_ * alignment_;
  const std::optional<std::int64_t> offset = gaps_.take(rounded);
  if (offset) used_[*offset] = rounded;
  return offset;
}

bool Parts::give_back(std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto part = used_.find(offset);
  if (part == used_.end()) return false;
  gaps_.give(offset, part->second);
  used_.erase(part);
  return true;
}

bool Parts::holds(std::int64_t offset, std::int64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto next = used_.upper_bound(offset);
  const auto part = next == used_.begin() ? used_.end() : std::prev(next);
  return part != used_.end() && bytes <= part->first + part->second - offset;
}

}  // namespace lagoon::atoll::compat

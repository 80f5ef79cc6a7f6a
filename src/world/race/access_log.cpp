#include "world/race/access_log.hpp"

#include <algorithm>

#include "world/collective.hpp"

namespace lagoon::atoll::detail::race {

std::size_t AccessLog::Hash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = mix(key.place.group ^ key.place.cut, key.place.sequence);
  hash = mix(hash, key.site);
  return mix(hash,
             static_cast<std::uint64_t>(key.begin) << 8 | static_cast<std::uint64_t>(key.kind));
}

void AccessLog::complete(std::int32_t target, Time now) noexcept {
  for (Access& access : all_) {
    if (access.complete || is_direct(access.kind) || !writes(access.kind)) continue;
    if (access.target != target && access.target != Access::several_targets) continue;
    access.complete = true;
    access.end = now;
  }
}

void AccessLog::clear() noexcept {
  all_.clear();
  lines_.clear();
  has_writes_ = false;
  lost_ = 0;
}

void AccessLog::push(Line& line, std::size_t number) noexcept {
  if (line.count == Line::most) {
    std::move(line.last.begin() + 1, line.last.end(), line.last.begin());
    --line.count;
  }
  line.last[line.count++] = number;
}

// The newest first: what grows is mostly the last row. A row that is full joins with those before
// it when the next one begins.
bool AccessLog::join(Line& line, const Box& box) {
  for (std::size_t i = line.count; i-- > 0;)
    if (race::join(all_[line.last[i]].box, box)) return true;
  while (line.count > 1) {
    Box& before = all_[line.last[line.count - 2]].box;
    if (line.last[line.count - 1] + 1 != all_.size() || !race::join(before, all_.back().box)) break;
    all_.pop_back();
    --line.count;
    if (race::join(before, box)) return true;
  }
  if (!box.single()) return false;
  for (std::size_t j = line.count; j-- > 1;)
    for (std::size_t i = j; i-- > 0;) {
      Box &a = all_[line.last[i]].box, &b = all_[line.last[j]].box;
      if (!a.single() || !b.single()) continue;
      const std::optional<Box> whole = line_of(a, b, box);
      if (!whole) continue;
      a = b = *whole;  // one of them too many, and harmless
      return true;
    }
  return false;
}

std::size_t AccessLog::add(const Access& access, bool may_join) {
  has_writes_ = has_writes_ || writes(access.kind);
  if (may_join) {
    Line& line =
        lines_[{access.place, access.site, access.bytes, access.begin, access.target, access.kind}];
    if (join(line, access.box)) return none;
    if (all_.size() < most_) push(line, all_.size());
  }
  if (all_.size() >= most_) {
    ++lost_;
    return none;
  }
  all_.push_back(access);
  return all_.size() - 1;
}

}  // namespace lagoon::atoll::detail::race

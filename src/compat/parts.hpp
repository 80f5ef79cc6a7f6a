// A range of offsets that is handed out in parts: first fit, neighbours joined when they come back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace lagoon::atoll::compat {

class Parts {
 public:
  /// From `begin` to before `end`; parts begin at multiples of `alignment`, of which `begin` is
  /// one.
  Parts(std::int64_t begin, std::int64_t end, std::int64_t alignment);

  /// Where a part of `bytes` bytes, 1 at least, begins; none where no gap is large enough.
  std::optional<std::int64_t> take(std::int64_t bytes);
  /// Whether a part that was taken begins there.
  bool give_back(std::int64_t offset);
  /// Whether such bytes lie in one part that was taken.
  bool holds(std::int64_t offset, std::int64_t bytes) const;

 private:
  void join(std::int64_t offset, std::int64_t bytes);
  std::int64_t alignment_;
  std::map<std::int64_t, std::int64_t> used_, free_;  // bytes by offset
};

}  // namespace lagoon::atoll::compat

// A range of offsets that is handed out in parts: first fit, neighbours joined when they come back.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace lagoon::atoll::compat {

/// What is free of a range.
class Gaps {
 public:
  /// The first `bytes` bytes, 1 at least, of the first gap that has them; none where no gap does.
  std::optional<std::int64_t> take(std::int64_t bytes);
  /// Becomes one with the gaps next to it.
  void give(std::int64_t offset, std::int64_t bytes);
  /// Gives up the gap that reaches up to `end`, if there is one, and says where it begins; else
  /// `end`.
  std::int64_t trim(std::int64_t end);
  std::int64_t largest() const noexcept;

 private:
  std::map<std::int64_t, std::int64_t> bytes_;  // by offset
};

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
  std::int64_t alignment_;
  mutable std::mutex mutex_;  // guards what follows: any threads take parts
  Gaps gaps_;
  std::map<std::int64_t, std::int64_t> used_;  // bytes by offset
};

}  // namespace lagoon::atoll::compat

// Access: what a rank did to elements of an array, as the race detector keeps it.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "world/race/box.hpp"

namespace lagoon::atoll::detail::race {

enum class Kind : std::uint8_t { get, put, accumulate, atomic, load, store };
inline constexpr std::size_t kinds = 6;

constexpr bool writes(Kind kind) noexcept { return kind != Kind::get && kind != Kind::load; }
/// By pointers into the memory: ordered by meetings only.
constexpr bool is_direct(Kind kind) noexcept { return kind == Kind::load || kind == Kind::store; }
/// Whether two such accesses of different ranks to one element have to be ordered.
constexpr bool conflict(Kind a, Kind b) noexcept {
  const auto adds = [](Kind kind) { return kind == Kind::accumulate || kind == Kind::atomic; };
  return (writes(a) || writes(b)) && !(adds(a) && adds(b));
}

/// What elements are numbered in: a segment, and how an array is cut that lies in it.
struct Place {
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  std::uint64_t cut = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// Of an element, bytes `first` to `end`; all of them where `end` is 0.
struct Bytes {
  std::int32_t first = 0;
  std::int32_t end = 0;
  bool meets(const Bytes& other) const noexcept {
    return end == 0 || other.end == 0 || (first < other.end && other.first < end);
  }
  friend bool operator==(const Bytes&, const Bytes&) noexcept = default;
};

/// A rank's time is its number of events so far (clocks.hpp).
using Time = std::int32_t;

struct Access {
  Place place;
  Box box;
  Bytes bytes;
  Kind kind = Kind::get;
  /// Whether it is complete at `end`. In any case it is by the rank's next fence.
  bool complete = false;
  /// Of a store that was found in the memory afterwards: some elements of the box may be others'.
  bool found = false;
  Time begin = 0;
  Time end = 0;
  std::uint64_t site = 0;  // sites.hpp
  std::int32_t target =
      0;  // whose memory, by world rank; several_targets. Not written: see `write`
  static constexpr std::int32_t several_targets = -1;

  void write(std::vector<std::int64_t>& words) const;
  /// Reads what `write` has written, and moves on.
  static Access read(const std::int64_t*& words);
};

}  // namespace lagoon::atoll::detail::race

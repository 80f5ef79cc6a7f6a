// AccessLog: the accesses of a rank since all ranks last met. Neighbours become one: a loop that
// puts row by row leaves one box, and so does one over every fourth element.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "world/race/access.hpp"

namespace lagoon::atoll::detail::race {

class AccessLog {
 public:
  /// No more than so many boxes; accesses beyond are counted and not kept.
  explicit AccessLog(std::size_t most) : most_(most) {}

  /// The number of the access, by which `at` finds it if it is not joined with others; `none` where
  /// there is no room.
  std::size_t add(const Access& access, bool may_join);
  Access& at(std::size_t number) { return all_[number]; }
  static constexpr std::size_t none = SIZE_MAX;

  /// A fence to one rank: what was written there, or to several ranks, by `now` is over.
  void complete(std::int32_t target, Time now) noexcept;

  const std::vector<Access>& all() const noexcept { return all_; }
  bool has_writes() const noexcept { return has_writes_; }
  std::uint64_t lost() const noexcept { return lost_; }
  void clear() noexcept;

 private:
  /// Accesses that may be joined: of one place, kind, site and time. The last few boxes are looked
  /// at.
  struct Line {
    static constexpr std::size_t most = 6;
    std::array<std::size_t, most> last{};
    std::size_t count = 0;
  };
  struct Key {
    Place place;
    std::uint64_t site;
    Bytes bytes;
    Time begin;
    std::int32_t target;
    Kind kind;
    friend bool operator==(const Key&, const Key&) noexcept = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  bool join(Line& line, const Box& box);
  void push(Line& line, std::size_t number) noexcept;

  std::size_t most_;
  std::vector<Access> all_;
  std::unordered_map<Key, Line, Hash> lines_;
  bool has_writes_ = false;
  std::uint64_t lost_ = 0;
};

}  // namespace lagoon::atoll::detail::race

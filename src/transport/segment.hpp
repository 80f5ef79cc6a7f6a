// Segment: the memory of one array. On every node of its group a record in shared memory says where
// each member's block lies; the node's registry finds the record by the segment's number, so that
// the agent can serve segments of groups its own rank is not in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

/// In shared memory. Followed by the blocks of the members on the node.
struct SegmentRecord : Holding {
  struct Member {
    std::int32_t rank;     // in the group
    std::uint64_t offset;  // in the region
    std::uint64_t bytes;
  };
  std::atomic<std::uint32_t> atomics_in_use;
  std::uint32_t members;
  std::uint32_t fresh;  // the memory reads as zero already
  Member member[1];

  static std::uint64_t bytes(std::size_t members) noexcept {
    return sizeof(SegmentRecord) + members * sizeof(Member);
  }
  const Member* find(std::int32_t rank) const noexcept;
};

/// Finds records by number: a hash table in the region's reserved part, one a node.
class Registry {
 public:
  static constexpr std::uint64_t capacity = std::uint64_t{1} << 16;
  static std::uint64_t bytes() noexcept;

  explicit Registry(std::byte* table) noexcept;
  bool insert(const SegmentNumber& number, std::uint64_t record) noexcept;  ///< false when full
  void erase(const SegmentNumber& number) noexcept;
  /// Offset of the record, or 0.
  std::uint64_t find(const SegmentNumber& number) const noexcept;

 private:
  struct Table;
  Table& table_;
};

/// One rank's hold on a segment.
class Segment {
 public:
  /// Collective over `group`: `bytes[i]` is what the i-th member on my node owns. `operation` and
  /// `arguments` are agreed on by all members; `failure` is this rank's failed argument check.
  /// `prepare(block)` is done to this rank's block before others may use it; all members have one,
  /// or none has; what fails there fails on all alike.
  using Prepare = std::function<void(std::byte*)>;
  Segment(std::shared_ptr<GroupState> group, std::string_view operation, std::uint64_t arguments,
          const std::vector<std::uint64_t>& bytes, bool zero, const Error* failure,
          const Prepare& prepare = nullptr);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  /// Lets go without communication.
  ~Segment();

  /// Collective: lets go on all members, so that the memory is free at once.
  void destroy();
  /// Collective: another object has come to share this hold, on all members.
  void share() noexcept { shared_ = true; }
  /// Collective: the same for one of the objects that share this hold. Where there were several,
  /// which each rank lets go as it likes, the memory goes when the last of them has.
  static void leave(std::shared_ptr<Segment>& hold);

  const SegmentNumber& number() const noexcept { return number_; }
  GroupState& group() const noexcept { return *group_; }
  /// Block of the i-th member on my node.
  std::byte* block(int local) const noexcept { return blocks_[static_cast<std::size_t>(local)]; }
  SegmentRecord& record() const noexcept { return *record_; }

 private:
  void begin(std::string_view operation, std::uint64_t arguments,
             const std::vector<std::uint64_t>& bytes, bool zero, const Error* failure);
  void settle(std::string_view operation, const Prepare& prepare);
  void take(const std::vector<std::uint64_t>& bytes, bool zero);
  void map();

  std::shared_ptr<GroupState> group_;
  SegmentNumber number_;
  SegmentRecord* record_ = nullptr;
  std::vector<std::byte*> blocks_;
  bool shared_ = false;  // ever, the same on all members
};

}  // namespace lagoon::atoll::detail

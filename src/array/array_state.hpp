// ArrayState: what an array handle points to, and the way of a patch to memory. Any threads may
// move patches at once.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/cache/node_cache.hpp"
#include "array/distribution/blocks.hpp"
#include "array/mirror/mirror.hpp"
#include "atoll/array.hpp"
#include "atoll/fields.hpp"
#include "world/profile.hpp"

namespace lagoon::atoll::detail {

class ArrayState : public Blocks {
 public:
  static constexpr const char* kind = "array";
  /// Collective; throws on all members alike.
  ArrayState(const Group& group, const Index& shape, ElementType type, const ArrayOptions& options);
  /// The same in memory that is there already, of the same group; contents are kept. Error(value)
  /// where a member's block is too small.
  ArrayState(const Group& group, const Index& shape, ElementType type, const ArrayOptions& options,
             std::shared_ptr<Segment> memory);

  const ElementType type;
  const std::size_t element_bytes;
  const Index shape;
  const Layout layout;  // the wish, for duplicates
  std::unique_ptr<const Distribution> distribution;
  std::unique_ptr<Mirror> mirror;    // null unless mirrored
  ProfileEntry* profile = nullptr;   // null without ATOLL_PROFILE
  bool read_only = false;            // the same on all members
  std::uint64_t creation = 0;        // its number in the whole group, alike on all members
  std::unique_ptr<NodeCache> cache;  // of a read-only array on several nodes, else null

  /// Error(state) for a read-only array.
  void require_writable() const {
    if (read_only) refuse_write();
  }
  /// Error(index) unless the patch fits the shape.
  void check_patch(const Patch& patch) const;
  /// That, and Error(value) for a buffer that does not fit the patch; false: nothing to move.
  bool check_transfer(const Patch& patch, const void* data, const Index& strides) const;
  /// Error(value) unless the numbers make up positions and there is a buffer for them, Error(index)
  /// unless the array has an element at each.
  void check_positions(std::span<const std::int64_t> positions, const void* values) const;
  /// The owner of an element; Error(index) unless the position fits the shape.
  int owner(const Index& position) const;

  void transfer(Action action, const Patch& patch, std::byte* data, const Index& strides,
                const void* alpha, Operation& operation);
  /// Get or put of a field of each element; strides count fields. Error(value) for a field that is
  /// not inside an element.
  void transfer_field(Action action, const Patch& patch, const Field& field, std::byte* data,
                      const Index& strides, Operation& operation);
  /// `transfer` where the patch lies in one block of this node, the common case; false if not.
  bool transfer_in_last_block(Action action, const Patch& patch, std::byte* data,
                              const Index& strides, const void* alpha);
  void scattered(Action action, std::span<const std::int64_t> positions, std::byte* values,
                 const void* alpha);
  std::int64_t fetch(Action action, const Index& position, std::int64_t operand);
  /// Of a mirrored array: I write into my own blocks, or everybody of my node fills the patch.
  void mark_own_written() const;
  void mark_filled(const Patch& patch, bool zeros) const noexcept;

 private:
  ArrayState(const Index& shape, ElementType type, const ArrayOptions& options,
             const Group& sharers);
  /// A block of a rank of my node, where each has one.
  struct NodeBlock {
    Index lo, hi;
    Index strides;                // bytes
    std::byte* origin = nullptr;  // address that position 0 would have
  };
  /// Those that transfers have fallen into, by the ranks' places on the node. Each is made once, by
  /// whichever thread comes first, and never changes.
  class NodeBlocks {
   public:
    NodeBlocks() = default;
    NodeBlocks(const NodeBlocks&) = delete;
    NodeBlocks& operator=(const NodeBlocks&) = delete;
    ~NodeBlocks();
    /// The one that this thread used last, or else any thread; null: none yet.
    const NodeBlock* last() const noexcept;
    const NodeBlock* find(std::uint32_t local) const noexcept {
      return blocks_[local].load(std::memory_order_acquire);
    }
    void remember(const NodeBlock* block) noexcept;
    const NodeBlock* add(std::uint32_t local, const NodeBlock& block);
    void make_room(std::size_t locals);

   private:
    std::uint64_t number_ = 0;  // never that of two arrays of a process
    std::size_t count_ = 0;
    std::unique_ptr<std::atomic<const NodeBlock*>[]> blocks_;
    std::atomic<const NodeBlock*> latest_{nullptr};  // of any thread
  };
  void check_room(const Segment& memory) const;
  void begin_life(const Group& members);
  void remember(int rank) noexcept;
  /// For the profile: elements of member `rank` are touched.
  void count(int rank, std::int64_t elements) const;
  /// Address of an element of that block; null when it lies elsewhere.
  std::byte* in_last_block(const Index& position) const noexcept {
    const int n = shape.size();
    const NodeBlock* const last = blocks_.last();
    if (position.size() != n || last == nullptr) return nullptr;
    std::byte* memory = last->origin;
    for (int d = 0; d < n; ++d) {
      if (position[d] < last->lo[d] || position[d] >= last->hi[d]) return nullptr;
      memory += position[d] * last->strides[d];
    }
    return memory;
  }
  /// `fetch` with all its checks, wherever the element lies.
  std::int64_t fetch_checked(Action action, const Index& position, std::int64_t operand);
  [[noreturn]] void refuse_write() const;

  NodeBlocks blocks_;
  // An int64 array of which a fetch has passed every check but that of its position, and has begun
  // atomics. Type, mirror, profile and segment are the same for an array's whole life, so later
  // fetches have only the position to look at.
  std::atomic<bool> counting_{false};
};

}  // namespace lagoon::atoll::detail

// MemoryState: what a Memory points to, and the way of a section to bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "array/distribution/blocks.hpp"
#include "atoll/memory.hpp"

namespace lagoon::atoll::detail {

class MemoryState : public Blocks {
 public:
  static constexpr const char* kind = "memory";
  /// Collective; throws on all members alike.
  MemoryState(const Group& group, std::int64_t bytes, const std::string& name);
  /// The same where all members know what each has, so that fewer meetings do: none of it is
  /// negative. `prepare`: see Segment.
  MemoryState(const Group& group, std::vector<std::int64_t> bytes_of_all, const std::string& name,
              const Segment::Prepare& prepare);

  std::vector<std::int64_t> bytes;  // of each member

  void transfer(Action action, const MemorySection& section, std::byte* data, const Index& strides,
                const void* alpha, Operation& operation);
  std::int64_t fetch(Action action, ElementType type, int rank, std::int64_t offset,
                     std::int64_t operand);
  /// Updates elements of a rank's block by the function of `set_updater`, atomic per element
  /// against other updates and accumulates, not against fetch_add and swap. `old` gets the values
  /// before, packed, unless null. The operands are free again, and `old` is there, when the
  /// operation is over. Error(index) where a run leaves the block.
  void update(int rank, const UpdateKind& how, std::span<const UpdateRun> runs,
              const std::byte* operands, std::byte* old, Operation& operation);

 private:
  std::vector<std::uint64_t> bytes_here() const;
  /// False: nothing to move.
  bool check(const MemorySection& section, const Index& section_strides, const void* data,
             const Index& strides) const;
  void check_range(int rank, std::int64_t lowest, std::int64_t end) const;
  void check_alignment(ElementType type, std::int64_t offset) const;
};

}  // namespace lagoon::atoll::detail

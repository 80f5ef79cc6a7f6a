// MemoryState: what a Memory points to, and the way of a section to bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atoll/memory.hpp"
#include "transport/transport.hpp"

namespace lagoon::atoll::detail {

class MemoryState {
 public:
  /// Collective; throws on all members alike.
  MemoryState(const Group& group, std::int64_t bytes, const std::string& name);

  const Group group;
  const std::string name;
  std::vector<std::int64_t> bytes;   // of each member
  std::shared_ptr<Segment> segment;  // with arrays that were made in it; null after destroy

  bool alive() const noexcept {
    return segment != nullptr && group.state()->started_in() != nullptr;
  }
  /// Error(state) unless alive.
  void require_alive() const;
  /// Null where the member is on another node.
  std::byte* address(int rank) const noexcept;
  void transfer(Action action, const MemorySection& section, std::byte* data, const Index& strides,
                const void* alpha, Operation& operation);
  std::int64_t fetch(Action action, ElementType type, int rank, std::int64_t offset,
                     std::int64_t operand);

 private:
  /// False: nothing to move.
  bool check(const MemorySection& section, const Index& section_strides, const void* data,
             const Index& strides) const;
  void check_range(int rank, std::int64_t lowest, std::int64_t end) const;
  void check_alignment(ElementType type, std::int64_t offset) const;
  [[noreturn]] void fail(ErrorKind kind, const std::string& message) const;

  Stripes stripes_;
  Transport* transport_;
};

}  // namespace lagoon::atoll::detail

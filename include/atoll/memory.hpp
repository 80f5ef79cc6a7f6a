// Memory: plain memory on every rank of a group, each as much as it likes, that all members read,
// write and add to by rank and byte. For programs that keep their own order in it; arrays are in
// array.hpp.
//
// Any rank works on any block at any time; the owner does nothing. Memory is a movable handle; the
// blocks go with `destroy`, or, once every rank has let go of its handle, when the group next
// creates something or the World ends. Memory model: docs/memory-model.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "atoll/group.hpp"
#include "atoll/handle.hpp"
#include "atoll/index.hpp"
#include "atoll/types.hpp"

namespace lagoon::atoll {

namespace detail {
class MemoryState;
}

/// Elements in the block of one rank, a row-major section with steps of any size between them.
struct MemorySection {
  int rank = 0;             ///< of the memory's group
  std::int64_t offset = 0;  ///< of the first element, in bytes
  Index shape;              ///< in elements
  Index strides{};          ///< in bytes, of any sign; empty: packed
  ElementType type = ElementType::uint8;
};

class Memory {
 public:
  /// Collective over `group`. Each member says how many bytes it gives, also none; they begin on a
  /// multiple of 64 and are zero. Throws on all members alike: Error(value) for a negative number,
  /// Error(memory).
  Memory(const Group& group, std::int64_t bytes, const std::string& name = {});
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;
  /// Lets go of this rank's handle, without communication.
  ~Memory();
  /// Collective: completes operations on the memory and frees it now.
  void destroy();

  bool alive() const noexcept;  ///< not destroyed, moved from, or left over from an ended world
  const std::string& name() const;
  const Group& group() const;
  /// How many bytes a rank gave.
  std::int64_t bytes(int rank) const;
  /// A rank's block as memory of this process; null where the rank is on another node.
  std::byte* address(int rank) const;

  /// One-sided, not collective. `strides` are those of the buffer, in bytes; empty: packed.
  /// Error(index) where the section leaves the block.
  void get(const MemorySection& section, void* out, const Index& strides = {}) const;
  void put(const MemorySection& section, const void* data, const Index& strides = {});
  /// section += alpha * data, atomic per element against other accumulates. `alpha` points to one
  /// element of the section's type; null means one. Error(value) where an element does not lie on a
  /// multiple of its size.
  void accumulate(const MemorySection& section, const void* data, const void* alpha = nullptr,
                  const Index& strides = {});
  [[nodiscard]] Handle get_async(const MemorySection& section, void* out,
                                 const Index& strides = {}) const;
  [[nodiscard]] Handle put_async(const MemorySection& section, const void* data,
                                 const Index& strides = {});
  [[nodiscard]] Handle accumulate_async(const MemorySection& section, const void* data,
                                        const void* alpha = nullptr, const Index& strides = {});

  /// Atomic on one integer on a multiple of its size; both return the old value.
  std::int64_t fetch_add(ElementType type, int rank, std::int64_t offset, std::int64_t increment);
  std::int64_t swap(ElementType type, int rank, std::int64_t offset, std::int64_t value);

  /// Internal.
  const std::shared_ptr<detail::MemoryState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::MemoryState> state_;
};

}  // namespace lagoon::atoll

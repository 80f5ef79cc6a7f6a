// Buffers: the caller's memory of nonblocking operations that nobody has waited for. It belongs to
// the operation: what a put sends is compared when it is waited for, and no other operation may use
// what a get fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "atoll/index.hpp"
#include "world/race/access.hpp"

namespace lagoon::atoll::detail::race {

struct Buffer {
  const std::byte* data = nullptr;
  Index shape;
  Index strides;  // in bytes
  std::size_t element_bytes = 0;

  bool packed() const noexcept;
  std::size_t bytes() const noexcept;  ///< where it is packed
  std::uint64_t hash() const noexcept;
};

/// A use of a buffer, for messages.
struct BufferUse {
  Kind kind;
  std::uint64_t site;
  Place place;
  Box box;
};

class Buffers {
 public:
  struct Pending {
    const void* operation;
    Buffer buffer;
    BufferUse use;
    std::uint64_t hash;
    std::size_t access;      // its number in the log
    std::uint64_t interval;  // of the log
  };
  void add(Pending pending) { pending_.push_back(pending); }
  /// One whose buffer this use does not go with, if there is one.
  std::optional<BufferUse> against(const Buffer& buffer, Kind kind) const noexcept;
  /// Takes out what was noted of an operation.
  std::optional<Pending> take(const void* operation);

 private:
  std::vector<Pending> pending_;
};

}  // namespace lagoon::atoll::detail::race

// MirrorMemory: the part of an array that lies in my node's memory, read and written by patches.
// Any rank of the node may use it for any patch there, whoever owns it. For a mirrored array that
// is every patch. Patches have step one and lie inside the array.
#pragma once

#include <cstddef>
#include <cstdint>

#include "array/array_state.hpp"

namespace lagoon::atoll::detail {

class MirrorMemory {
 public:
  explicit MirrorMemory(const ArrayState& array) : array_(array) {}

  /// The patch's elements, packed in row-major order: `pack` reads the array, `unpack` writes it.
  void pack(const Patch& patch, std::byte* buffer) const;
  void unpack(const Patch& patch, const std::byte* buffer) const;
  void clear(const Patch& patch) const;
  /// Where the patch's elements lie, if they lie packed in one block; else null.
  std::byte* contiguous(const Patch& patch) const;
  /// 64 bits that differ, but for chance, when the patch's contents differ; `zero_fingerprint` for
  /// zeros, never 0 or 1.
  std::uint64_t fingerprint(const Patch& patch) const;
  static constexpr std::uint64_t zero_fingerprint = 2;

 private:
  template <class F>
  void for_each_part(const Patch& patch, F&& f) const;
  template <class F>
  void for_each_run(const Patch& patch, F&& f) const;

  const ArrayState& array_;
};

}  // namespace lagoon::atoll::detail

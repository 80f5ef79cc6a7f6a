// MirrorMemory: walking the pieces of a patch in this node's blocks.
#include "array/mirror/mirror_memory.hpp"

#include <array>
#include <cstring>

#include "array/distribution/piece.hpp"

namespace lagoon::atoll::detail {

namespace {

Index times(Index index, std::size_t bytes) {
  for (std::int64_t& entry : index) entry *= static_cast<std::int64_t>(bytes);
  return index;
}

/// An order-dependent hash of words, in four lanes that a processor works on side by side.
class Fingerprint {
 public:
  void add(const std::byte* bytes, std::int64_t length) noexcept {
    for (; length >= 32; length -= 32, bytes += 32)
      for (std::size_t l = 0; l < 4; ++l) add_word(l, bytes + 8 * l, 8);
    for (std::size_t l = 0; length > 0; ++l, bytes += 8, length -= 8)
      add_word(l, bytes, length < 8 ? static_cast<std::size_t>(length) : 8);
  }
  std::uint64_t value() const noexcept {
    if (any_ == 0) return MirrorMemory::zero_fingerprint;
    std::uint64_t z = 0;
    for (const std::uint64_t lane : lanes_) {
      z = (z ^ lane) * 0xbf58476d1ce4e5b9ULL;
      z ^= z >> 29;
    }
    return z <= MirrorMemory::zero_fingerprint ? z + 3 : z;
  }

 private:
  void add_word(std::size_t lane, const std::byte* bytes, std::size_t length) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, length);
    any_ |= word;
    std::uint64_t h = lanes_[lane] ^ (word * 0x9e3779b97f4a7c15ULL);
    h = (h << 31) | (h >> 33);
    lanes_[lane] = h * 0x94d049bb133111ebULL + 0x632be59bd9b4e019ULL;
  }
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
  std::uint64_t any_ = 0;
};

}  // namespace

/// Calls `f(memory, memory_strides, offset, buffer_strides, shape)` for the pieces of a patch, all
/// but the shape in bytes; `offset` and `buffer_strides` for a packed buffer.
template <class F>
void MirrorMemory::for_each_part(const Patch& patch, F&& f) const {
  const std::size_t size = array_.element_bytes;
  const Index packed = times(packed_strides(patch.shape()), size);
  array_.distribution->for_each_piece(patch, [&](const Piece& piece) {
    std::int64_t offset = 0;
    for (int d = 0; d < packed.size(); ++d) offset += piece.position[d] * packed[d];
    f(array_.block(piece.rank) + piece.offset * static_cast<std::int64_t>(size),
      times(piece.strides, size), offset, packed, piece.shape);
  });
}

void MirrorMemory::pack(const Patch& patch, std::byte* buffer) const {
  for_each_part(patch, [&](std::byte* memory, const Index& strides, std::int64_t offset,
                           const Index& packed, const Index& shape) {
    copy_strided(buffer + offset, packed, memory, strides, shape, array_.element_bytes);
  });
}

void MirrorMemory::unpack(const Patch& patch, const std::byte* buffer) const {
  for_each_part(patch, [&](std::byte* memory, const Index& strides, std::int64_t offset,
                           const Index& packed, const Index& shape) {
    copy_strided(memory, strides, buffer + offset, packed, shape, array_.element_bytes);
  });
}

/// Calls `f(memory, bytes)` for the runs of the patch in one piece, in its order.
template <class F>
void MirrorMemory::for_each_run(const Patch& patch, F&& f) const {
  for_each_part(patch, [&](std::byte* memory, const Index& strides, std::int64_t, const Index&,
                           const Index& shape) {
    const Runs runs = Runs::of(shape, strides, array_.element_bytes);
    runs.for_each_row(
        0, runs.bytes(),
        [&](std::int64_t at, std::int64_t stride, std::int64_t run, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) f(memory + at + i * stride, run);
        });
  });
}

void MirrorMemory::clear(const Patch& patch) const {
  for_each_run(patch, [](std::byte* memory, std::int64_t bytes) {
    std::memset(memory, 0, static_cast<std::size_t>(bytes));
  });
}

std::byte* MirrorMemory::contiguous(const Patch& patch) const {
  std::byte* result = nullptr;
  int parts = 0;
  for_each_part(patch, [&](std::byte* memory, const Index& strides, std::int64_t, const Index&,
                           const Index& shape) {
    if (++parts == 1 && Runs::of(shape, strides, array_.element_bytes).contiguous())
      result = memory;
  });
  return parts == 1 ? result : nullptr;
}

std::uint64_t MirrorMemory::fingerprint(const Patch& patch) const {
  Fingerprint print;
  for_each_run(patch,
               [&](const std::byte* memory, std::int64_t bytes) { print.add(memory, bytes); });
  return print.value();
}

}  // namespace lagoon::atoll::detail

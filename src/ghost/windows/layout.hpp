// Layout: where the bytes of a datatype lie, as few strips as can be: runs of equal length at equal
// distances. Made once for a type, which then keeps it, without gaps and with them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/update.hpp"

namespace lagoon::atoll::ghost {

/// `count` runs of `run` bytes, the first at `offset`, their starts `stride` apart.
struct Strip {
  std::int64_t offset = 0, run = 0, stride = 0, count = 1;
};

/// Strips in a row; a single one, the usual case, takes no memory of its own.
class Strips {
 public:
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Strip* begin() noexcept { return size_ > 1 ? many_.data() : &one_; }
  Strip* end() noexcept { return begin() + size_; }
  const Strip* begin() const noexcept { return size_ > 1 ? many_.data() : &one_; }
  const Strip* end() const noexcept { return begin() + size_; }
  const Strip& operator[](std::size_t i) const noexcept { return begin()[i]; }
  Strip& back() noexcept { return end()[-1]; }
  const Strip& back() const noexcept { return end()[-1]; }
  void push_back(const Strip& strip) {
    if (size_ == 0) {
      one_ = strip;
    } else {
      if (size_ == 1) many_.assign(1, one_);
      many_.push_back(strip);
    }
    ++size_;
  }

 private:
  std::size_t size_ = 0;
  Strip one_;
  std::vector<Strip> many_;
};

struct Layout {
  static constexpr int mixed = -2;  // of `type`

  Strips strips;  // in the order of the type's own bytes
  std::int64_t bytes = 0;
  std::int64_t extent = 0;  // from one to the next
  int type = -1;            // the number of the only predefined type in it; -1: it is empty

  bool contiguous() const noexcept {
    return strips.empty() || (strips.size() == 1 && strips[0].count == 1);
  }
  /// Offset of the first byte in the order of the type.
  std::int64_t first() const noexcept { return strips.empty() ? 0 : strips[0].offset; }
  /// Least offset, and the end.
  std::int64_t lowest() const noexcept;
  std::int64_t end() const noexcept;
  /// Appends so many of another, so many bytes apart, the first at `offset`.
  void add(const Layout& other, std::int64_t offset, std::int64_t count, std::int64_t stride);
  /// Joins strips that go on where the last one ends.
  void compress();

 private:
  void append(const Strip& strip);
};

/// Of predefined types with gaps (pairs): the bytes that are data, or whole elements, as updates
/// take them.
enum class Gaps : std::uint8_t { left_out, included };

/// Of `count` of a type one after the other.
Layout layout_of(MPI_Datatype type, std::int64_t count, Gaps gaps);
/// From its constructors. (flatten.cpp)
Layout flatten(MPI_Datatype type, Gaps gaps);
/// Of elements of a predefined type, by its number.
Layout layout_of_elements(int number, std::int64_t count, Gaps gaps);

/// Calls `f(offset, bytes)` for every run.
template <class F>
void for_each_run(const Layout& layout, F&& f) {
  for (const Strip& strip : layout.strips)
    for (std::int64_t i = 0; i < strip.count; ++i) f(strip.offset + i * strip.stride, strip.run);
}

/// Copies the bytes of one layout to those of another of as many bytes. `base`s are what offsets
/// are relative to.
void copy_layout(const Layout& to, std::byte* to_base, const Layout& from,
                 const std::byte* from_base);
/// To and from packed bytes.
void pack(const Layout& from, const std::byte* base, std::byte* packed);
void unpack(const Layout& to, std::byte* base, const std::byte* packed);

}  // namespace lagoon::atoll::ghost

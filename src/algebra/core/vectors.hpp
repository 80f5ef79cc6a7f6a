// Parts of distributed vectors in memory of one's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/description.hpp"
#include "atoll/array.hpp"
#include "atoll/error.hpp"
#include "world/widening.hpp"

namespace lagoon::atoll::detail {

/// Else Error(value). `length` is said to come from what `reason` tells; below zero any will do.
inline void check_vector(const AnyArray& v, std::int64_t length = -1,
                         const std::string& reason = {}) {
  if (v.dimensions() == 1 && (length < 0 || v.shape()[0] == length)) return;
  throw Error(ErrorKind::value, description(v) + " has shape " + v.shape().to_string() +
                                    "; expected a vector" +
                                    (length < 0 ? "" : " of " + std::to_string(length) + reason));
}

/// My stretch of a patch that is dealt out in equal ones.
struct Stretch {
  std::int64_t first, last;
  std::size_t size() const noexcept { return static_cast<std::size_t>(last - first); }
  Patch patch() const { return {{first}, {last}, {}}; }
};
inline Stretch stretch_of(const Patch& patch, const Group& group) {
  const std::int64_t begin = patch.lo[0], length = std::max<std::int64_t>(0, patch.hi[0] - begin);
  const std::int64_t ranks = group.size(), rank = group.rank();
  const std::int64_t each = length / ranks, more = length % ranks;
  const std::int64_t first = begin + rank * each + std::min(rank, more);
  return {first, first + each + (rank < more ? 1 : 0)};
}

/// Elements as they are stored. (A std::vector<bool> has none.)
template <Element T>
class StoredElements {
 public:
  explicit StoredElements(std::int64_t count)
      : data_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count))),
        size_(static_cast<std::size_t>(count)) {}
  T* data() noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }
  T& operator[](std::int64_t i) const noexcept { return data_[static_cast<std::size_t>(i)]; }
  const T* begin() const noexcept { return data_.get(); }
  const T* end() const noexcept { return data_.get() + size_; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_;
};
/// Elements [first, last) of a vector of this type.
template <Element T>
StoredElements<T> fetch_stored(const AnyArray& v, std::int64_t first, std::int64_t last) {
  StoredElements<T> values(last - first);
  if (first < last) v.get(Patch{{first}, {last}, {}}, values.data());
  return values;
}

/// Calls `read(memory)` with room for so many elements as they are stored; gives them as the type T
/// in which theirs is computed.
template <Element T, class Read>
std::vector<T> read_elements(ElementType stored, std::size_t count, const Read& read) {
  std::vector<T> values(count);
  if (values.empty()) return values;
  if (!is_narrow(stored)) {
    read(values.data());
    return values;
  }
  std::vector<std::byte> bytes(count * size_of(stored));
  read(bytes.data());
  widen(stored, bytes.data(), reinterpret_cast<std::byte*>(values.data()),
        static_cast<std::int64_t>(count));
  return values;
}

/// The other way round: calls `write(memory)` with the elements as they are stored, if there are
/// any.
template <Element T, class Write>
void write_elements(ElementType stored, std::span<const T> values, const Write& write) {
  if (values.empty()) return;
  if (!is_narrow(stored)) return write(static_cast<const void*>(values.data()));
  std::vector<std::byte> bytes(values.size() * size_of(stored));
  narrow(stored, reinterpret_cast<const std::byte*>(values.data()), bytes.data(),
         std::ssize(values));
  write(static_cast<const void*>(bytes.data()));
}

/// Elements [first, last) of a vector, as the type in which its own is computed.
template <Element T>
std::vector<T> fetch_elements(const AnyArray& v, std::int64_t first, std::int64_t last) {
  return read_elements<T>(v.type(), static_cast<std::size_t>(last - first),
                          [&](void* to) { v.get(Patch{{first}, {last}, {}}, to); });
}
/// Stores elements of that type from `first` on.
template <Element T>
void store_elements(AnyArray& v, std::int64_t first, std::span<const T> values) {
  write_elements(v.type(), values, [&](const void* from) {
    v.put(Patch{{first}, {first + std::ssize(values)}, {}}, from);
  });
}

}  // namespace lagoon::atoll::detail

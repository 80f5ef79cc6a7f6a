// Moving objects between global pointer arrays and the caller's buffers. One-sided.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/index.hpp"
#include "compat/gp/pointer_array.hpp"

namespace lagoon::atoll::gp {

/// What the caller has for each of several objects: an array with leading dimensions, or a list.
template <class T>
class Table {
 public:
  /// Of a patch; strides are in elements.
  Table(T* data, const Index& shape, const Index& strides)
      : data_(data), shape_(shape), strides_(strides) {}
  explicit Table(T* data) : data_(data) {}

  /// Of the `k`-th object.
  T& operator[](std::size_t k) const {
    std::int64_t rest = static_cast<std::int64_t>(k), place = shape_.empty() ? rest : 0;
    for (int d = shape_.size() - 1; d >= 0; --d) {
      place += rest % shape_[d] * strides_[d];
      rest /= shape_[d];
    }
    return data_[place];
  }

 private:
  T* data_;
  Index shape_{}, strides_{};
};

/// Where the objects are, or are to be, in this process, and their sizes.
struct Places {
  Table<void*> pointers;
  Table<int> sizes;
};

/// Bytes of all together. Error(value) for more than an int holds.
int total_size(const std::vector<Object>& objects);

/// Copies the objects to `buffer`, one behind the other, and says where. Returns their total size.
int get(const std::vector<Object>& objects, void* buffer, const Places& places);

/// Writes to the objects and returns how many bytes. Error(value) for one with more bytes than the
/// object has or, if sizes are to be `equal`, with fewer; then nothing is written.
int put(const std::vector<Object>& objects, const Places& places, bool equal);

/// Of objects of this process.
void zero(const std::vector<Object>& objects);

}  // namespace lagoon::atoll::gp

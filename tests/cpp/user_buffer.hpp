// UserBuffer: a caller's memory for a section, in any order of dimensions, padded, reversed or
// broadcast: what NumPy views look like. Knows which of its cells a get may touch.
#pragma once

#include <cstdint>
#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {

enum class BufferKind : std::uint8_t { packed, padded, reversed, permuted, broadcast };
inline constexpr BufferKind gettable_buffers[] = {BufferKind::packed, BufferKind::padded,
                                                  BufferKind::reversed, BufferKind::permuted};
inline constexpr BufferKind all_buffers[] = {BufferKind::packed, BufferKind::padded,
                                             BufferKind::reversed, BufferKind::permuted,
                                             BufferKind::broadcast};

template <Element T>
class UserBuffer {
 public:
  /// Memory for `shape`. Broadcast: every other dimension has stride zero.
  UserBuffer(Random& random, const Index& shape, BufferKind kind) : shape_(shape), kind_(kind) {
    const int dimensions = shape.size();
    std::vector<int> order(static_cast<std::size_t>(dimensions));
    for (int d = 0; d < dimensions; ++d) order[static_cast<std::size_t>(d)] = d;
    if (kind == BufferKind::permuted)
      for (int d = dimensions - 1; d > 0; --d)
        std::swap(order[static_cast<std::size_t>(d)],
                  order[static_cast<std::size_t>(random.between(0, d))]);
    strides_ = Index::filled(dimensions, 0);
    std::int64_t reach = kind == BufferKind::padded ? random.between(1, 3) : 1;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const int d = *it;
      if (kind == BufferKind::broadcast && d % 2 == 0) continue;
      strides_[d] = reach;
      const std::int64_t padding = kind == BufferKind::padded ? random.between(0, 2) : 0;
      reach *= std::max<std::int64_t>(1, shape[d]) + padding;
      if (kind == BufferKind::reversed && random.chance(0.7)) {
        origin_ += std::max<std::int64_t>(0, shape[d] - 1) * strides_[d];
        strides_[d] = -strides_[d];
      }
    }
    storage_.assign(static_cast<std::size_t>(reach), untouched());
  }

  T* data() { return storage_.data() + origin_; }
  /// Empty for packed buffers: the default of all calls.
  Index strides() const { return kind_ == BufferKind::packed ? Index{} : strides_; }

  T& at(const Index& position) {
    std::int64_t offset = origin_;
    for (int d = 0; d < shape_.size(); ++d) offset += position[d] * strides_[d];
    return storage_[static_cast<std::size_t>(offset)];
  }

  /// The section as a packed vector.
  std::vector<T> packed() {
    std::vector<T> values;
    values.reserve(storage_.size());
    for_each_position(shape_,
                      [&](const Index& position, std::int64_t) { values.push_back(at(position)); });
    return values;
  }

  /// Fills with small exact random values.
  void fill(Random& random) {
    for (T& value : storage_) value = small_value<T>(random);
  }

  /// Whether no cell outside the section was written since construction. Destroys the contents.
  bool padding_untouched() {
    for_each_position(shape_,
                      [&](const Index& position, std::int64_t) { at(position) = untouched(); });
    return std::all_of(storage_.begin(), storage_.end(),
                       [](const T& value) { return value == untouched(); });
  }

 private:
  static T untouched() { return static_cast<T>(-777); }
  Index shape_, strides_;
  BufferKind kind_;
  std::int64_t origin_ = 0;
  std::vector<T> storage_;
};

}  // namespace lagoon::atoll::test

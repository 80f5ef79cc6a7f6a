// SerialArray: what one process with one plain array would do. The truth for the random tests.
//
// It also keeps, for every element, who touched it since the last sync and how, and so decides
// whether the memory model (docs/memory-model.md) lets another operation run concurrently:
//   reads with reads, and accumulates (fetch-adds too) with accumulates, may meet on an element;
//   anything else by two ranks on one element needs a sync between; one rank's own operations
//   never need one.
#pragma once

#include <cstdint>
#include <vector>

#include "support.hpp"

namespace lagoon::atoll::test {

enum class Access : std::uint8_t { read, accumulate, write };

template <Element T>
class SerialArray {
 public:
  explicit SerialArray(const Index& shape)
      : shape_(shape),
        values_(static_cast<std::size_t>(shape.product())),
        touched_(values_.size()) {}

  const Index& shape() const { return shape_; }
  const std::vector<T>& values() const { return values_; }
  std::vector<T>& values() { return values_; }
  T& at(const Index& position) {
    return values_[static_cast<std::size_t>(linear_index(position, shape_))];
  }

  std::vector<T> get(const Patch& patch) {
    std::vector<T> out;
    for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
      out.push_back(at(array_position(patch, position)));
    });
    return out;
  }
  void put(const Patch& patch, const std::vector<T>& packed) {
    for_each_position(patch.shape(), [&](const Index& position, std::int64_t linear) {
      at(array_position(patch, position)) = packed[static_cast<std::size_t>(linear)];
    });
  }
  void accumulate(const Patch& patch, const std::vector<T>& packed, T alpha) {
    for_each_position(patch.shape(), [&](const Index& position, std::int64_t linear) {
      add_product(at(array_position(patch, position)), alpha,
                  packed[static_cast<std::size_t>(linear)]);
    });
  }

  /// Whether `rank` may touch these elements so without a sync. Changes nothing.
  bool allowed(const Patch& patch, int rank, Access access) {
    bool good = true;
    for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
      good = good && !conflicts(array_position(patch, position), rank, access);
    });
    return good;
  }
  bool conflicts(const Index& position, int rank, Access access) const {
    const auto i = static_cast<std::size_t>(linear_index(position, shape_));
    for (int a = 0; a < 3; ++a) {
      if (static_cast<Access>(a) == access && access != Access::write) continue;
      if ((touched_[i].ranks[a] & ~bit(rank)) != 0) return true;
    }
    return false;
  }
  void touch(const Patch& patch, int rank, Access access) {
    for_each_position(patch.shape(), [&](const Index& position, std::int64_t) {
      touch(array_position(patch, position), rank, access);
    });
  }
  void touch(const Index& position, int rank, Access access) {
    const auto i = static_cast<std::size_t>(linear_index(position, shape_));
    touched_[i].ranks[static_cast<int>(access)] |= bit(rank);
  }
  /// A sync: nothing conflicts with what came before.
  void forget() { std::fill(touched_.begin(), touched_.end(), Touched{}); }

 private:
  struct Touched {
    std::uint16_t ranks[3] = {0, 0, 0};  // by Access; one bit a rank
  };
  static std::uint16_t bit(int rank) { return static_cast<std::uint16_t>(1U << rank); }

  Index shape_;
  std::vector<T> values_;
  std::vector<Touched> touched_;
};

}  // namespace lagoon::atoll::test

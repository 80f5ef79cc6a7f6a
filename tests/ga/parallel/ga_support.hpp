// What the tests of Global Arrays' interface share: random patches, and arrays beside serial
// models.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ga/ga.h"
#include "ga/macdecls.h"

namespace ga_test {

inline std::int64_t product(const std::vector<int>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{1},
                         std::multiplies<std::int64_t>());
}

/// A patch in C's manner: row-major, from 0, both ends included.
struct Box {
  std::vector<int> lo, hi;

  int dimensions() const { return static_cast<int>(lo.size()); }
  std::vector<int> shape() const {
    std::vector<int> result(lo.size());
    for (std::size_t d = 0; d < lo.size(); ++d) result[d] = hi[d] - lo[d] + 1;
    return result;
  }
  std::int64_t elements() const { return product(shape()); }
  /// Calls f(subscript, number within the box) for all elements in row-major order.
  template <class F>
  void each(F&& f) const {
    std::vector<int> at = lo;
    const std::int64_t count = elements();
    for (std::int64_t k = 0; k < count; ++k) {
      f(at, k);
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] <= hi[d]) break;
        at[d] = lo[d];
      }
    }
  }
};

inline Box whole(const std::vector<int>& dims) {
  Box box{std::vector<int>(dims.size(), 0), dims};
  for (int& end : box.hi) --end;
  return box;
}

inline Box random_box(const std::vector<int>& dims, std::mt19937& random) {
  Box box = whole(dims);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const int a = std::uniform_int_distribution<int>(0, dims[d] - 1)(random);
    const int b = std::uniform_int_distribution<int>(0, dims[d] - 1)(random);
    box.lo[d] = std::min(a, b);
    box.hi[d] = std::max(a, b);
  }
  return box;
}

/// Leading dimensions of a packed buffer.
inline std::vector<int> leading(const Box& box) {
  std::vector<int> result = box.shape();
  result.erase(result.begin());
  result.push_back(1);  // never empty
  return result;
}

/// An array on one process that the global one is compared with.
template <class T>
struct Model {
  std::vector<int> dims;
  std::vector<T> data = std::vector<T>(static_cast<std::size_t>(product(dims)));

  T& at(const std::vector<int>& subscript) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) offset = offset * dims[d] + subscript[d];
    return data[static_cast<std::size_t>(offset)];
  }
};

/// All of an array, on every process.
template <class T>
Model<T> contents(int g_a, const std::vector<int>& dims) {
  Model<T> model{dims};
  Box all = whole(dims);
  std::vector<int> ld = leading(all);
  NGA_Get(g_a, all.lo.data(), all.hi.data(), model.data.data(), ld.data());
  return model;
}

inline int create(int type, std::vector<int> dims, const std::string& name = "test") {
  return NGA_Create(type, static_cast<int>(dims.size()), dims.data(), name.c_str(), nullptr);
}

}  // namespace ga_test

// What the tests of algebra compare with: a copy of an array on every rank, and loops over it.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ga/ga.h"
#include "ga/macdecls.h"

namespace algebra_test {

template <class T>
inline constexpr int code = MT_C_DBL;
template <>
inline constexpr int code<int> = MT_C_INT;
template <>
inline constexpr int code<long> = MT_C_LONGINT;
template <>
inline constexpr int code<float> = MT_C_FLOAT;
template <>
inline constexpr int code<std::complex<float>> = MT_C_SCPL;
template <>
inline constexpr int code<std::complex<double>> = MT_C_DCPL;

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

/// The same numbers on all ranks.
class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  int between(int least, int most) {
    return least + static_cast<int>(engine_() % static_cast<unsigned>(most - least + 1));
  }
  /// A small whole number, not zero: sums and products of these are exact in every type.
  template <class T>
  T number() {
    const auto whole = [this] { return between(1, 5) * (between(0, 1) == 0 ? -1 : 1); };
    if constexpr (is_complex<T>) {
      using R = typename T::value_type;
      const int real = whole(), imaginary = whole();
      return {static_cast<R>(real), static_cast<R>(imaginary)};
    } else {
      return static_cast<T>(whole());
    }
  }

 private:
  std::mt19937 engine_;
};

/// Bounds as C has them: both ends included.
struct Bounds {
  std::vector<int> lo, hi;
  int count() const {
    int n = 1;
    for (std::size_t d = 0; d < lo.size(); ++d) n *= hi[d] - lo[d] + 1;
    return n;
  }
};

/// An array and a copy of it, which the test changes by itself.
template <class T>
class Twin {
 public:
  Twin(std::vector<int> shape, Chance& chance) : shape_(std::move(shape)) {
    std::vector<int> chunk(shape_.size(), -1);
    handle_ =
        NGA_Create(code<T>, static_cast<int>(shape_.size()), shape_.data(), "test", chunk.data());
    int n = 1;
    for (const int extent : shape_) n *= extent;
    for (int i = 0; i < n; ++i) values.push_back(chance.number<T>());
    write();
  }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
  ~Twin() { GA_Destroy(handle_); }

  int handle() const { return handle_; }
  const std::vector<int>& shape() const { return shape_; }
  Bounds all() const {
    Bounds bounds{std::vector<int>(shape_.size(), 0), shape_};
    for (int& end : bounds.hi) --end;
    return bounds;
  }

  /// The array as it is now.
  std::vector<T> read() const {
    std::vector<T> result(values.size());
    Bounds bounds = all();
    std::vector<int> leading(shape_.begin() + 1, shape_.end());
    leading.push_back(1);
    NGA_Get(handle_, bounds.lo.data(), bounds.hi.data(), result.data(), leading.data());
    GA_Sync();
    return result;
  }
  /// Writes `values` into the array.
  void write() {
    Bounds bounds = all();
    std::vector<int> leading(shape_.begin() + 1, shape_.end());
    leading.push_back(1);
    if (GA_Nodeid() == 0)
      NGA_Put(handle_, bounds.lo.data(), bounds.hi.data(), values.data(), leading.data());
    GA_Sync();
  }

  /// The places in `values` of a patch's elements, in row-major order.
  std::vector<std::size_t> places(const Bounds& bounds) const {
    std::vector<std::size_t> result;
    std::vector<int> at = bounds.lo;
    for (int i = 0; i < bounds.count(); ++i) {
      std::size_t place = 0;
      for (std::size_t d = 0; d < at.size(); ++d)
        place = place * static_cast<std::size_t>(shape_[d]) + static_cast<std::size_t>(at[d]);
      result.push_back(place);
      for (auto d = static_cast<int>(at.size()) - 1; d >= 0; --d) {
        const auto e = static_cast<std::size_t>(d);
        if (++at[e] <= bounds.hi[e]) break;
        at[e] = bounds.lo[e];
      }
    }
    return result;
  }
  /// The same with the dimensions of the patch in reverse order.
  std::vector<std::size_t> reversed_places(const Bounds& bounds) const {
    std::vector<std::size_t> result(static_cast<std::size_t>(bounds.count()));
    const std::vector<std::size_t> straight = places(bounds);
    for (std::size_t i = 0; i < straight.size(); ++i) {
      std::size_t rest = i, to = 0, extents_before = 1;
      std::vector<std::size_t> at(shape_.size());
      for (std::size_t d = shape_.size(); d-- > 0;) {
        const auto extent = static_cast<std::size_t>(bounds.hi[d] - bounds.lo[d] + 1);
        at[d] = rest % extent;
        rest /= extent;
      }
      for (std::size_t d = 0; d < shape_.size(); ++d) {
        to += at[d] * extents_before;
        extents_before *= static_cast<std::size_t>(bounds.hi[d] - bounds.lo[d] + 1);
      }
      result[to] = straight[i];
    }
    return result;
  }

  std::vector<T> values;

 private:
  std::vector<int> shape_;
  int handle_ = 0;
};

/// A patch of this shape somewhere in an array that has room for it.
inline Bounds place(const std::vector<int>& extents, const std::vector<int>& shape,
                    Chance& chance) {
  Bounds bounds;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    bounds.lo.push_back(chance.between(0, shape[d] - extents[d]));
    bounds.hi.push_back(bounds.lo[d] + extents[d] - 1);
  }
  return bounds;
}

}  // namespace algebra_test

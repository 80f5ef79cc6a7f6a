// Values: what a put or accumulate takes from Python, as memory of the array's element type.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "atoll/types.hpp"
#include "numpy.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// A number, a NumPy array of the right type (used in place, whatever its strides), or anything
/// NumPy makes an array of, converted by the rule, in a copy. Keeps the memory alive. As in NumPy,
/// the integers of an array wrap, those of numbers and lists must fit.
class Values {
 public:
  static constexpr int most_dimensions = 64;  // NumPy's own limit
  /// TypeError where the rule forbids the conversion (float64 to int32 in arithmetic);
  /// OverflowError for a number, or one in a list, that the type does not hold.
  Values(nb::handle object, ElementType type, Rule rule = Rule::same_kind);
  /// An array to be written to: must be a writable ndarray of exactly this type.
  static Values writable(nb::handle array, ElementType type);
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  std::byte* data() const noexcept { return data_; }
  int dimensions() const noexcept { return dimensions_; }
  std::int64_t extent(int d) const noexcept { return shape_[static_cast<std::size_t>(d)]; }
  std::int64_t stride(int d) const noexcept { return strides_[static_cast<std::size_t>(d)]; }
  std::span<const std::int64_t> shape() const noexcept {
    return {shape_.data(), static_cast<std::size_t>(dimensions_)};
  }

 private:
  struct Writable {};
  Values(nb::handle array, ElementType type, Writable);
  bool view(nb::handle array, ElementType type, bool to_write);

  alignas(16) std::array<std::byte, 16> number_;
  nb::object array_;
  std::byte* data_ = nullptr;
  int dimensions_ = 0;
  std::array<std::int64_t, most_dimensions> shape_;
  std::array<std::int64_t, most_dimensions> strides_;  // in elements
};

/// The same as an ndarray of the type, for who cuts and broadcasts it in Python.
nb::object elements_of(nb::handle object, ElementType type, Rule rule);

}  // namespace lagoon::atoll::python

// Section: what a key like `[3, 1:9:2, ::-1, None]` selects, in the library's words.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/index.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

class Values;

struct Section {
  static constexpr int most_dimensions = 64;  // NumPy's own limit

  Patch patch;            ///< steps positive; `step` empty when all are one
  unsigned reversed = 0;  ///< bit d: dimension d is walked from high to low
  int dimensions = 0;     ///< of the result
  std::array<std::int64_t, most_dimensions> shape;  ///< of the result
  std::array<std::int8_t, most_dimensions> axis;    ///< array dimension behind each; -1: newaxis
  std::int64_t elements = 1;
  bool scalar = true;  ///< integers only; with an ellipsis NumPy gives an array of no dimension

  std::span<const std::int64_t> result_shape() const noexcept {
    return {shape.data(), static_cast<std::size_t>(dimensions)};
  }
};

/// Memory for the section's elements: where the patch's first element is, and the strides (in
/// elements) per array dimension, empty when packed.
struct SectionMemory {
  std::byte* data;
  Index strides;
};

/// Reads the key for an array of this shape, by NumPy's rules for basic indexing. False when the
/// key is not basic (index arrays, masks): then `section` is not usable. IndexError, as NumPy says
/// it.
bool parse_key(nb::handle key, const Index& shape, Section& section);
/// The same for an array that repeats without end: integers and bounds of slices mean what they
/// say, also below zero and beyond the extent. IndexError for keys that are not basic. ValueError
/// for a section with more elements than can be counted.
Section parse_periodic_key(nb::handle key, const Index& shape);
/// The same as `parse_key` for calls that want a plain patch (ints stand for ranges of one):
/// IndexError for steps and index arrays.
Patch parse_patch(nb::handle key, const Index& shape);
/// The same where steps are welcome, upwards ones.
Patch parse_stepped_patch(nb::handle key, const Index& shape);
/// One position: as many integers as dimensions; negative ones count from the end.
Index parse_position(nb::handle key, const Index& shape);

/// A C-contiguous buffer of the section's shape.
SectionMemory packed_memory(const Section& section, std::byte* data, std::size_t element_size);
/// `values`, broadcast to the section's shape. ValueError when they do not fit.
SectionMemory broadcast_memory(const Section& section, const Values& values,
                               std::size_t element_size);
/// `values` as they are, to be written to: ValueError unless the shapes are equal.
SectionMemory exact_memory(const Section& section, const Values& values, std::size_t element_size);

/// (slice(lo, hi), ...), ready to be used as a key.
nb::tuple key_of(const Patch& patch);
nb::list keys_of(const std::vector<Patch>& patches);
nb::tuple tuple_of(const Index& index);
Index index_from(nb::handle sequence);

}  // namespace lagoon::atoll::python

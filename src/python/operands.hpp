// Arrays and patches as the calls of the algebra take them from Python.
#pragma once

#include <nanobind/nanobind.h>

#include "atoll/array.hpp"
#include "section.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// The patch that a key names, with or without steps; without a key all of the array.
inline Patch patch_or_all(nb::handle key, const AnyArray& array) {
  return key.is_none() ? whole(array.shape()) : parse_stepped_patch(key, array.shape());
}

}  // namespace lagoon::atoll::python

// Factors of products, as Python names them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "atoll/matmul.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// The patch that `key` selects (None: all) in the form "N", "T", "C" or "H"; ValueError for
/// another.
Factor factor_of(const AnyArray& array, nb::handle key, const std::string& form);

}  // namespace lagoon::atoll::python

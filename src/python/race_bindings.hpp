// Views of an array's memory for programs that are looked at by the race detector.
#pragma once

#include "array_object.hpp"
#include "program_line.hpp"

namespace lagoon::atoll::python {

/// With the race detector, of a program's own call: a view that tells what is done by it
/// (python/atoll/_races.py). Else the view as it is.
nb::object followed(nb::object view, const ArrayObject& object, const Patch& patch,
                    const void* data, const Index& strides);

/// What the detector has found, and such views.
void bind_races(nb::module_& m);

}  // namespace lagoon::atoll::python

// What lies below the public table of element types: MPI's types.
#pragma once

#include "atoll/types.hpp"
#include "mpi/handles.hpp"

namespace lagoon::atoll::detail {

mpi::Datatype mpi_type(ElementType type);

}  // namespace lagoon::atoll::detail

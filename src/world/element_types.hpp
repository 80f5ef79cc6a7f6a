// What lies below the public table of element types: MPI's types.
#pragma once

#include <mpi.h>

#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

MPI_Datatype mpi_type(ElementType type);

}  // namespace lagoon::atoll::detail

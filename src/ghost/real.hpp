// Real: the functions of the MPI behind this library.
#pragma once

namespace lagoon::atoll::ghost {

/// By a name as "PMPI_Send"; ends the process with a line if the MPI that was loaded lacks it.
void* real_function(const char* name) noexcept;

}  // namespace lagoon::atoll::ghost

// Detecting an mpiexec of another MPI than the one this program is linked with.
#pragma once

namespace lagoon::atoll::detail {

/// Throws Error(communication) with an explanation when the environment shows that the launcher
/// belongs to another MPI family than the linked library. Call before MPI_Init: started by the
/// wrong launcher it fails with a text that nobody understands, or makes n worlds of one rank.
void check_launcher();

}  // namespace lagoon::atoll::detail

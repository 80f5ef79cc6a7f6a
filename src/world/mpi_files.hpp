// Files of MPI in /dev/shm that would outlive a killed run.
#pragma once

namespace lagoon::atoll::detail {

/// Removes the names of MPICH's segments that this process has mapped. The memory stays.
///
/// MPICH 5 keeps /dev/shm/mpich_shm_* linked from MPI_Init to MPI_Finalize (MPICH 4 unlinked it
/// once all ranks had attached), so kill -9 would leave it behind. It is only opened in MPI_Init
/// and MPI_Finalize does not mind its absence. REQUIRES: all ranks of the host have left MPI_Init.
void unlink_mpi_files() noexcept;

/// MPI_Finalize; and removes what Open MPI 5 forgets there: a process that runs without a launcher
/// leaves its /dev/shm/sm_segment.* for ever. (A launcher of Open MPI removes its ranks' ones.)
void finalize_mpi() noexcept;

}  // namespace lagoon::atoll::detail

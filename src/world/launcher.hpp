// Detecting launchers that do not belong to the MPI that this program is linked with.
#pragma once

namespace lagoon::atoll::detail {

/// ATOLL_LAUNCHER is not "ignore". Asked before MPI runs, when no Config is read yet; what else it
/// may not be is told by that.
bool launcher_is_checked();

/// Throws Error(communication) with an explanation when the environment shows that the launcher
/// belongs to another MPI family than the linked library. Call before MPI_Init: started by the
/// wrong launcher it fails with a text that nobody understands, or makes n worlds of one rank.
void check_launcher();

/// Throws Error(communication) when a launcher says in the environment that it has started several
/// processes, and MPI, which runs, knows of this one alone: n programs that do the same and write
/// the same files (srun without --mpi). Knows srun, Hydra, Open MPI, PMIx, PALS, ALPS, jsrun.
void check_processes_know_each_other();

}  // namespace lagoon::atoll::detail

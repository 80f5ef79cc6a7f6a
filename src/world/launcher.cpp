// Detecting a foreign mpiexec from the variables that launchers set for their processes.
#include "world/launcher.hpp"

#include <mpi.h>

#include <cstdlib>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::detail {

namespace {

bool several(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::atoi(value) > 1;
}

}  // namespace

void check_launcher() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);  // allowed before MPI_Init
  const std::string library(text, static_cast<std::size_t>(length));
  const bool open_mpi = library.find("Open MPI") != std::string::npos;
  // Slurm's srun speaks PMI to both families, so hydra is recognised by its own variables.
  const bool by_open_mpi = several("OMPI_COMM_WORLD_SIZE");
  const bool by_hydra = several("PMI_SIZE") && std::getenv("MPI_LOCALNRANKS") != nullptr &&
                        std::getenv("SLURM_PROCID") == nullptr;
  const char* launcher = !open_mpi && by_open_mpi ? "Open MPI"
                         : open_mpi && by_hydra   ? "MPICH (hydra)"
                                                  : nullptr;
  if (launcher == nullptr) return;
  throw Error(ErrorKind::communication,
              std::string("started by the mpiexec of ") + launcher + ", but linked with " +
                  library.substr(0, library.find_first_of("\n,")) +
                  "; use the mpiexec that belongs to this library (with the wheels: the one in the "
                  "same environment, e.g. .venv/bin/mpiexec)");
}

}  // namespace lagoon::atoll::detail

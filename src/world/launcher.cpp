// Detecting a launcher that does not fit the MPI, from the variables that launchers set for their
// processes.
#include "world/launcher.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/mpi_library.hpp"

namespace lagoon::atoll::detail {

namespace {

/// How many processes a launcher of MPI programs has started. Slurm's srun, which starts anything,
/// speaks where none of these does: within a job mpiexec starts its daemons by srun.
constexpr const char* sizes[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE",
                                 "JSM_NAMESPACE_SIZE", "MPI_LOCALNRANKS"};
/// The number of a process, from launchers that do not tell how many there are.
constexpr const char* ranks[] = {"PMI_RANK", "PMIX_RANK", "PALS_RANKID", "ALPS_APP_PE"};
constexpr const char* tasks_of_slurm = "SLURM_STEP_NUM_TASKS";

int number(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? std::atoi(value) : 0;
}

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

/// How to start in the place of what was done.
std::string remedy(const std::string& mpi) {
  if (!is_set("SLURM_STEP_ID"))
    return "use the mpiexec that belongs to this library (with the wheels: the one in the same "
           "environment, e.g. .venv/bin/mpiexec), or atoll run, which finds it";
  const bool cray = mpi.find("CRAY") != mpi.npos;
  const bool is_open_mpi = family_of(mpi) == MpiFamily::open_mpi;
  return std::string("use srun --mpi=") +
         (cray          ? "cray_shasta"
          : is_open_mpi ? "pmix"
                        : "pmi2") +
         ", or in a job script the mpiexec of this library or atoll run";
}

/// An MPICH without the library of PMIx ends inside MPI_Init: "not compatible with PMI1 client".
bool pmix_is_foreign(const std::string& mpi) {
  int runs = 0;
  mpi::initialized(&runs);
  if (runs != 0 || !mpi.starts_with("MPICH") || !is_set("PMIX_RANK")) return false;
  for (const char* other : {"PMI_FD", "PMI_PORT", "PMI_RANK", "MPIR_CVAR_PMI_VERSION"})
    if (is_set(other)) return false;
  void* const loaded = dlopen("libpmix.so.2", RTLD_NOLOAD | RTLD_LAZY);
  if (loaded != nullptr) dlclose(loaded);
  return loaded == nullptr;
}

/// A shell that srun has given a terminal to: what is started there by hand is no task of srun.
bool under_a_terminal_of_slurm() {
  return is_set("SLURM_PTY_PORT") && number("SLURM_TASK_PID") != ::getpid();
}

/// "NAME=value" by which the environment tells of other processes; empty: it does not.
std::string sign_of_others() {
  const auto shown = [](const char* name) { return std::string(name) + '=' + std::getenv(name); };
  bool told = false;
  for (const char* size : sizes) {
    if (number(size) > 1) return shown(size);
    told = told || is_set(size);
  }
  if (told) return {};
  for (const char* rank : ranks)
    if (number(rank) > 0) return shown(rank);
  if (number(tasks_of_slurm) > 1 && !under_a_terminal_of_slurm()) return shown(tasks_of_slurm);
  return {};
}

}  // namespace

bool launcher_is_checked() {
  const char* setting = std::getenv("ATOLL_LAUNCHER");
  return setting == nullptr || std::string_view(setting) != "ignore";
}

void check_launcher() {
  if (!launcher_is_checked()) return;
  const std::string mpi = running_library();
  const bool is_open_mpi = family_of(mpi) == MpiFamily::open_mpi;
  // Slurm's srun speaks PMI to both families, so hydra is recognised by its own variables.
  const bool by_open_mpi = number("OMPI_COMM_WORLD_SIZE") > 1;
  const bool by_hydra =
      number("PMI_SIZE") > 1 && is_set("MPI_LOCALNRANKS") && !is_set("SLURM_PROCID");
  const char* launcher = !is_open_mpi && by_open_mpi ? "the mpiexec of Open MPI"
                         : is_open_mpi && by_hydra   ? "the mpiexec of MPICH (hydra)"
                         : pmix_is_foreign(mpi)      ? "a launcher that speaks PMIx alone"
                                                     : nullptr;
  if (launcher == nullptr) return;
  throw Error(ErrorKind::communication, std::string("started by ") + launcher +
                                            ", but linked with " + mpi + "; " + remedy(mpi) +
                                            " (ATOLL_LAUNCHER=ignore to start all the same)");
}

void check_processes_know_each_other() {
  int size = 0;
  mpi::comm_size(mpi::comm_world, &size);
  if (size > 1 || !launcher_is_checked()) return;
  const std::string sign = sign_of_others();
  if (sign.empty()) return;
  const std::string mpi = running_library();
  throw Error(ErrorKind::communication,
              "the launcher has started several processes (" + sign + "), but " + mpi +
                  " knows of one, and each would be a world of its own that does the same; " +
                  remedy(mpi) + " (ATOLL_LAUNCHER=ignore where that is what is wanted)");
}

}  // namespace lagoon::atoll::detail

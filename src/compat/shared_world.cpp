#include "compat/shared_world.hpp"

#include <cstdlib>
#include <memory>

#include "mpi/face.hpp"

namespace lagoon::atoll::compat {

namespace {

struct Shared {
  std::unique_ptr<World> world;  // none if the program has its own
  int claims = 0;
  bool started_mpi = false;
};

Shared& shared() {
  static Shared& instance = *new Shared;  // not ended by exit(): the other ranks may not leave
  return instance;
}

std::unique_ptr<World> start(mpi::Comm communicator) {
  int initialized = 0;
  mpi::initialized(&initialized);
  if (initialized != 0) return std::make_unique<World>(communicator);
  auto world = std::make_unique<World>();
  world->leave_mpi_running();
  shared().started_mpi = true;
  // Another status comes from an end in the middle, where the others do not meet this process.
  on_exit(
      [](int status, void*) {
        if (status == 0) end_mpi();
      },
      nullptr);
  return world;
}

}  // namespace

namespace {

/// Before the program calls MPI_Init, by which MPI starts without threads unless the environment
/// says otherwise; then nobody would serve other nodes while the program computes. What the user
/// has set stays.
[[gnu::constructor]] void ask_mpi_for_threads() {
  setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE", 0);  // MPICH
  setenv("OMPI_MPI_THREAD_LEVEL", "3", 0);                             // Open MPI
}

}  // namespace

World& claim_world(mpi::Comm communicator) {
  if (!World::running()) shared().world = start(communicator);
  ++shared().claims;
  return World::current();
}

void release_world() {
  if (shared().claims == 0) return;
  --shared().claims;
  if (shared().claims > 0) return;
  shared().world.reset();
}

void end_mpi() noexcept {
  if (!shared().started_mpi || World::running()) return;
  shared().started_mpi = false;
  World::end_mpi();
}

}  // namespace lagoon::atoll::compat

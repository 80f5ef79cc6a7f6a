#include "compat/shared_world.hpp"

#include <memory>

namespace lagoon::atoll::compat {

namespace {

struct Shared {
  std::unique_ptr<World> world;  // none if the program has its own
  int claims = 0;
};

Shared& shared() {
  static Shared& instance = *new Shared;  // not ended by exit(): the other ranks may not leave
  return instance;
}

std::unique_ptr<World> start(MPI_Comm communicator) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) return std::make_unique<World>();
  return std::make_unique<World>(communicator);
}

}  // namespace

World& claim_world(MPI_Comm communicator) {
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

}  // namespace lagoon::atoll::compat

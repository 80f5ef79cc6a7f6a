#include "compat/ga/runtime.hpp"

#include "atoll/error.hpp"
#include "compat/ga/mutexes.hpp"
#include "compat/ga/pending.hpp"
#include "compat/shared_world.hpp"

namespace lagoon::atoll::ga {

Runtime* Runtime::instance_ = nullptr;

Runtime::Runtime(World& world)
    : groups(world), pending(std::make_unique<PendingOperations>()), world_(world) {}

Runtime::~Runtime() = default;

void Runtime::start(MPI_Comm communicator) {
  if (running()) return;
  instance_ = new Runtime(compat::claim_world(communicator));
}

void Runtime::stop() {
  if (!running()) return;
  Runtime& ending = get();
  ending.pending->wait_all();
  ending.world().sync();
  ending.mutexes.reset();
  ending.arrays.destroy_all();
  delete instance_;
  instance_ = nullptr;
  compat::release_world();
}

void Runtime::not_running() {
  throw Error(ErrorKind::state, "GA is not initialized: call GA_Initialize first");
}

}  // namespace lagoon::atoll::ga

#include "compat/ga/runtime.hpp"

#include "atoll/error.hpp"
#include "compat/ga/memories.hpp"
#include "compat/ga/pending.hpp"
#include "compat/ga/sparse/matrices.hpp"
#include "compat/shared_world.hpp"
#include "compat/tcgmsg/session.hpp"

namespace lagoon::atoll::ga {

Runtime* Runtime::instance_ = nullptr;

Runtime::Runtime(World& world)
    : groups(world), pending(std::make_unique<PendingOperations>()), world_(world) {}

Runtime::~Runtime() = default;

void Runtime::start(mpi::Comm communicator) {
  if (running()) return;
  instance_ = new Runtime(compat::claim_world(communicator));
  tcgmsg::Session::start();  // programs need not call pbeginf beside GA_Initialize
}

void Runtime::stop() {
  if (!running()) return;
  Runtime& ending = get();
  if (ending.before_stop != nullptr) ending.before_stop();
  ending.pending->wait_all();
  ending.world().sync();
  if (ending.mutexes) ending.mutexes->destroy();
  ending.mutexes.reset();
  ending.sparse_matrices.reset();
  ending.arrays.destroy_all();
  ending.memories.reset();
  delete instance_;
  instance_ = nullptr;
  tcgmsg::Session::stop();
  compat::release_world();
}

void Runtime::not_running() {
  throw Error(ErrorKind::state, "GA is not initialized: call GA_Initialize first");
}

}  // namespace lagoon::atoll::ga

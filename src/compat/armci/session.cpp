#include "compat/armci/session.hpp"

#include <utility>

#include "atoll/error.hpp"
#include "compat/armci/arguments.hpp"
#include "compat/mpi_calls.hpp"
#include "compat/shared_world.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::armci {

Session::Session(World& running)
    : world(running), groups(running), allocations(running), held_(running) {}

Session::~Session() {
  if (own_ != mpi::comm_null && !stale()) mpi::comm_free(&own_);
}

std::unique_ptr<Session>& Session::instance() {
  static auto& session = *new std::unique_ptr<Session>;  // not ended by exit()
  return session;
}

bool Session::stale() const { return !World::running() || held_ != World::current(); }

Session& Session::get() {
  std::unique_ptr<Session>& session = instance();
  if (session != nullptr && !session->stale()) [[likely]]
    return *session;
  session.reset();
  if (!World::running())
    throw Error(ErrorKind::state, "ARMCI is not initialized: ARMCI_Init comes first");
  session = std::make_unique<Session>(World::current());
  return *session;
}

void Session::start(mpi::Comm communicator) {
  if (World::running() && get().own_ != mpi::comm_null) return;
  World& world = compat::claim_world(communicator);
  world.barrier();  // MPI_Comm_dup waits inside MPI; let everybody come here in our own way first
  Session& session = get();
  compat::check(mpi::comm_dup(world.mpi_communicator(), &session.own_), "MPI_Comm_dup");
  session.pool = std::make_unique<Pool>(world, session.allocations);
}

void Session::stop() {
  if (!World::running()) return;
  Session& session = get();
  session.pending.wait_all();
  session.world.sync();
  const bool claimed = session.own_ != mpi::comm_null;
  instance().reset();
  if (claimed) compat::release_world();
}

int Session::process(int number) const { return checked("proc", number, world.size()); }

const Group& Session::group(const int* number) const { return groups.at(given("group", number)); }

void Session::fence() {
  pending.wait_all();
  world.fence();
  // Programs wait in loops of fences for what others put, also where no agent serves these.
  bool served = false;
  world.wait_until([&] { return std::exchange(served, true); });
}

}  // namespace lagoon::atoll::armci

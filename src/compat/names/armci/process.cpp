// The C names of start and end, of order between processes, and of mutexes.
#include <string>

#include "compat/armci/arguments.hpp"
#include "compat/armci/done.hpp"
#include "compat/armci/notifications.hpp"
#include "compat/armci/session.hpp"
#include "compat/mpi_calls.hpp"
#include "mpi/face.hpp"

using lagoon::atoll::Error;
using lagoon::atoll::ErrorKind;
using lagoon::atoll::Mutexes;
using lagoon::atoll::World;
using lagoon::atoll::armci::done;
using lagoon::atoll::armci::given;
using lagoon::atoll::armci::notify;
using lagoon::atoll::armci::Session;
using lagoon::atoll::armci::wait_for_notification;
using lagoon::atoll::compat::guarded;

namespace {

Mutexes& mutexes() {
  Session& session = Session::get();
  if (session.mutexes == nullptr)
    throw Error(ErrorKind::state, "there are no mutexes: ARMCI_Create_mutexes comes first");
  return *session.mutexes;
}

}  // namespace

extern "C" {

int ARMCI_Init(void) {
  return done("ARMCI_Init", [] { Session::start(); });
}

int ARMCI_Init_args(int* /*argc*/, char*** /*argv*/) {
  return done("ARMCI_Init_args", [] { Session::start(); });
}

int ARMCI_Init_mpi_comm(lagoon::atoll::compat::ProgramComm comm) {
  return done("ARMCI_Init_mpi_comm",
              [&] { Session::start(lagoon::atoll::mpi::calls.comm_of_native(comm)); });
}

int ARMCI_Initialized(void) { return World::running() ? 1 : 0; }

void ARMCI_Finalize(void) {
  guarded("ARMCI_Finalize", [] { Session::stop(); });
}

// Nothing of Atoll's outlives the processes.
void ARMCI_Cleanup(void) {}

void ARMCI_Error(const char* msg, int code) {
  lagoon::atoll::compat::fail(msg == nullptr ? "ARMCI_Error" : msg, code);
}

void ARMCI_Fence(int proc) {
  guarded("ARMCI_Fence", [&] {
    Session& session = Session::get();
    session.pending.wait_process(session.process(proc));
    session.world.fence(proc);
  });
}

void ARMCI_AllFence(void) {
  guarded("ARMCI_AllFence", [] { Session::get().fence(); });
}

void ARMCI_GroupFence(ARMCI_Group* group) {
  guarded("ARMCI_GroupFence", [&] {
    Session& session = Session::get();
    session.pending.wait_all();
    session.group(group).fence();
  });
}

void ARMCI_Barrier(void) {
  guarded("ARMCI_Barrier", [] {
    Session& session = Session::get();
    session.pending.wait_all();
    session.world.sync();
  });
}

int ARMCI_Create_mutexes(int num) {
  return done("ARMCI_Create_mutexes", [&] {
    Session& session = Session::get();
    if (session.mutexes != nullptr)
      throw Error(ErrorKind::state, "there are mutexes already: ARMCI_Destroy_mutexes comes first");
    session.mutexes = std::make_unique<Mutexes>(session.world, num);
  });
}

int ARMCI_Destroy_mutexes(void) {
  return done("ARMCI_Destroy_mutexes", [] {
    mutexes().destroy();
    Session::get().mutexes.reset();
  });
}

void ARMCI_Lock(int mutex, int proc) {
  guarded("ARMCI_Lock", [&] { mutexes().lock(mutex, proc); });
}

void ARMCI_Unlock(int mutex, int proc) {
  guarded("ARMCI_Unlock", [&] { mutexes().unlock(mutex, proc); });
}

int armci_notify(int proc) {
  return guarded("armci_notify", [&] { return notify(Session::get(), proc); });
}

int armci_notify_wait(int proc, int* pval) {
  return guarded("armci_notify_wait",
                 [&] { return given("pval", pval) = wait_for_notification(Session::get(), proc); });
}

}  // extern "C"

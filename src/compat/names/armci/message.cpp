// The C names of messages, barriers and broadcasts.
#include "ga/message.h"

#include <string>

#include "atoll/error.hpp"
#include "compat/armci/addresses.hpp"
#include "compat/armci/arguments.hpp"
#include "compat/armci/circle.hpp"
#include "compat/armci/messages.hpp"
#include "compat/failure.hpp"
#include "compat/mpi_calls.hpp"
#include "mpi/face.hpp"

using lagoon::atoll::Error;
using lagoon::atoll::ErrorKind;
using lagoon::atoll::Group;
using lagoon::atoll::World;
using lagoon::atoll::armci::Circle;
using lagoon::atoll::armci::exchange_addresses;
using lagoon::atoll::armci::from_anybody;
using lagoon::atoll::armci::given;
using lagoon::atoll::armci::not_negative;
using lagoon::atoll::armci::program_tag;
using lagoon::atoll::armci::receive;
using lagoon::atoll::armci::Received;
using lagoon::atoll::armci::refuse;
using lagoon::atoll::armci::send;
using lagoon::atoll::armci::Session;
using lagoon::atoll::compat::guarded;
namespace mpi = lagoon::atoll::mpi;

namespace {

std::size_t length(const char* argument, int bytes) {
  return static_cast<std::size_t>(not_negative(argument, bytes));
}

void broadcast(const char* routine, void* data, int bytes, int root, int scope,
               const ARMCI_Group* group) {
  guarded(routine, [&] {
    const Session& session = Session::get();
    const Group& members = group == nullptr ? session.world : session.group(group);
    Circle(session, members, scope).broadcast(data, length("len", bytes), root);
  });
}

Received receive_from(int tag, void* data, int room, int* bytes, int from) {
  const Received received =
      receive(Session::get(), program_tag(tag), data, length("buflen", room), from);
  if (bytes != nullptr) *bytes = received.bytes;
  return received;
}

/// Before ARMCI runs, MPI's.
int number_of_mpi(int (*ask)(mpi::Comm, int*)) {
  int number = 0;
  lagoon::atoll::compat::check(ask(mpi::comm_world, &number), "MPI_Comm_rank or _size");
  return number;
}

void finalize() {
  Session::stop();
  if (World::running())
    throw Error(ErrorKind::state, "something besides ARMCI still runs, which needs MPI");
  int finalized = 0;
  mpi::finalized(&finalized);
  if (finalized == 0) mpi::finalize();
}

void exchange(const Session& session, const Group& group, void** addresses, int count) {
  (void)given("ptr_ar", addresses);
  if (count != group.size())
    refuse("n is " + std::to_string(count) + ", not the " + std::to_string(group.size()) +
           " processes");
  exchange_addresses(session, group, addresses);
}

}  // namespace

extern "C" {

// Starts ARMCI as well: only then it is known which processes serve others, and do not count.
void armci_msg_init(int* argc, char*** argv) {
  guarded("armci_msg_init", [&] {
    int initialized = 0;
    mpi::ThreadLevel level{};
    mpi::initialized(&initialized);
    if (initialized == 0) mpi::init_thread(argc, argv, mpi::ThreadLevel::multiple, &level);
    Session::start();
  });
}

void armci_msg_finalize(void) { guarded("armci_msg_finalize", finalize); }

void armci_msg_abort(int code) { lagoon::atoll::compat::fail("armci_msg_abort", code); }

int armci_msg_me(void) {
  return guarded("armci_msg_me", [] {
    return World::running() ? World::current().rank() : number_of_mpi(mpi::comm_rank);
  });
}

int armci_msg_nproc(void) {
  return guarded("armci_msg_nproc", [] {
    return World::running() ? World::current().size() : number_of_mpi(mpi::comm_size);
  });
}

double armci_timer(void) {
  return guarded("armci_timer", [] { return mpi::wtime(); });
}

void armci_msg_snd(int tag, void* buffer, int len, int to) {
  guarded("armci_msg_snd",
          [&] { send(Session::get(), program_tag(tag), buffer, length("len", len), to); });
}

void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from) {
  guarded("armci_msg_rcv",
          [&] { (void)receive_from(tag, buffer, buflen, msglen, Session::get().process(from)); });
}

int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen) {
  return guarded("armci_msg_rcvany",
                 [&] { return receive_from(tag, buffer, buflen, msglen, from_anybody).from; });
}

void armci_msg_barrier(void) {
  guarded("armci_msg_barrier", [] { Session::get().world.barrier(); });
}

void armci_msg_group_barrier(ARMCI_Group* group) {
  guarded("armci_msg_group_barrier", [&] { Session::get().group(group).barrier(); });
}

void armci_msg_bcast(void* buffer, int len, int root) {
  broadcast("armci_msg_bcast", buffer, len, root, SCOPE_ALL, nullptr);
}

void armci_msg_brdcst(void* buffer, int len, int root) {
  broadcast("armci_msg_brdcst", buffer, len, root, SCOPE_ALL, nullptr);
}

void armci_msg_bcast_scope(int scope, void* buffer, int len, int root) {
  broadcast("armci_msg_bcast_scope", buffer, len, root, scope, nullptr);
}

void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group) {
  guarded("armci_msg_group_bcast_scope", [&] {
    broadcast("armci_msg_group_bcast_scope", buf, len, root, scope, &given("group", group));
  });
}

void armci_msg_clus_brdcst(void* buf, int len) {
  guarded("armci_msg_clus_brdcst", [&] {
    const Session& session = Session::get();
    const Circle node(session, session.world, SCOPE_NODE);
    node.distribute(buf, length("len", len));
  });
}

void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group* mastergroup) {
  guarded("armci_grp_clus_brdcst", [&] {
    const Session& session = Session::get();
    const Circle circle(session, session.group(mastergroup), grp_master, grp_clus_nproc);
    circle.distribute(buf, length("len", len));
  });
}

void armci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right) {
  guarded("armci_msg_bintree", [&] {
    const Session& session = Session::get();
    const Circle circle(session, session.world, scope);
    const auto process = [&](bool there, int member) {
      return there ? circle.process(member) : -1;
    };
    const int me = circle.me(), size = circle.size();
    const bool in = circle.includes_me();
    given("Root", Root) = circle.process(0);
    given("Up", Up) = process(in && me > 0, (me - 1) / 2);
    given("Left", Left) = process(in && 2 * me + 1 < size, 2 * me + 1);
    given("Right", Right) = process(in && 2 * me + 2 < size, 2 * me + 2);
  });
}

void armci_exchange_address(void* ptr_ar[], int n) {
  guarded("armci_exchange_address", [&] {
    const Session& session = Session::get();
    exchange(session, session.world, ptr_ar, n);
  });
}

void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group) {
  guarded("armci_exchange_address_grp", [&] {
    const Session& session = Session::get();
    exchange(session, session.group(group), ptr_arr, n);
  });
}

}  // extern "C"

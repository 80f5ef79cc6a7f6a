// A blocking receive looks at the message before it takes it, and so knows its length; a
// nonblocking one gives MPI the buffer at once.
#include "compat/tcgmsg/messages.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "atoll/error.hpp"
#include "compat/mpi_calls.hpp"
#include "compat/tcgmsg/bytes.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::tcgmsg {

namespace {

long length_of(const mpi::Status& status) {
  std::int64_t bytes = 0;
  compat::check(mpi::get_elements_x(&status, mpi::type_byte, &bytes), "MPI_Get_elements_x");
  return static_cast<long>(bytes);
}

void require_length(long bytes) {
  if (bytes < 0)
    throw Error(ErrorKind::value,
                "lenbuf = " + std::to_string(bytes) + ", expected 0 or more bytes");
}

void abandon(mpi::Request& request, bool receives) {
  if (request == mpi::request_null) return;
  if (receives) mpi::cancel(&request);
  mpi::request_free(&request);
}

}  // namespace

Messages::Messages(const World& world) : world_(world) {
  compat::check(mpi::comm_dup(world.mpi_communicator(), &communicator_), "MPI_Comm_dup");
  mpi::comm_set_errhandler(communicator_, mpi::errors_return);
  int largest = 0;
  mpi::comm_largest_tag(mpi::comm_world, &largest);
  largest_type_ = largest;
}

Messages::~Messages() {
  for (Transfer& transfer : transfers_) abandon(transfer.request, transfer.receives);
  for (Copy& copy : copies_) {
    int done = 0;
    mpi::test(&copy.request, &done, mpi::status_ignore);
    if (done != 0) continue;
    abandon(copy.request, false);
    (void)copy.bytes.release();  // MPI may still read it
  }
  mpi::comm_free(&communicator_);
}

int Messages::tag(long type) const {
  if (type < 0 || type > largest_type_)
    throw Error(ErrorKind::value, "type = " + std::to_string(type) + ", expected 0 to " +
                                      std::to_string(largest_type_));
  return static_cast<int>(type);
}

int Messages::place(const char* argument, long node, bool may_be_any) const {
  if (may_be_any && node == any_node) return mpi::any_source;
  if (node < 0 || node >= world_.size())
    throw Error(ErrorKind::value, std::string(argument) + " = " + std::to_string(node) +
                                      ", expected 0 to " + std::to_string(world_.size() - 1) +
                                      (may_be_any ? ", or -1 for any" : ""));
  return static_cast<int>(node);
}

void Messages::count(const Transfer& transfer) {
  (transfer.receives ? traffic_.received : traffic_.sent) += 1;
  (transfer.receives ? traffic_.bytes_received : traffic_.bytes_sent) += transfer.bytes;
  if (!prints) return;
  std::printf("%d: %s %ld: type %ld, %ld bytes\n", world_.rank(),
              transfer.receives ? "received from" : "sent to", transfer.node, transfer.type,
              transfer.bytes);
  std::fflush(stdout);
}

void Messages::complete(Transfer& transfer) {
  mpi::Status status{};
  const std::string what = (transfer.receives ? "receiving from " : "sending to ") +
                           std::to_string(transfer.node) + " with type " +
                           std::to_string(transfer.type) + " and a buffer of " +
                           std::to_string(transfer.bytes) + " bytes";
  compat::complete(transfer.request, what.c_str(), &status);
  if (transfer.receives) {
    transfer.bytes = length_of(status);
    transfer.node = status.source();
  }
  count(transfer);
}

void Messages::send_to_myself(int tag, const void* data, long bytes) {
  std::erase_if(copies_, [](Copy& copy) {
    int done = 0;
    compat::check(mpi::test(&copy.request, &done, mpi::status_ignore), "MPI_Test");
    return done != 0;
  });
  const auto size = static_cast<std::size_t>(bytes);
  Copy copy{mpi::request_null, std::make_unique_for_overwrite<std::byte[]>(size)};
  if (size > 0) std::memcpy(copy.bytes.get(), data, size);
  const Bytes all(bytes);
  compat::check(mpi::isend(copy.bytes.get(), all.count(), all.datatype(), world_.rank(), tag,
                           communicator_, &copy.request),
                "MPI_Isend");
  copies_.push_back(std::move(copy));
}

void Messages::send(long type, const void* data, long bytes, long node, bool blocking) {
  const int to = place("node", node, false), number = tag(type);
  require_length(bytes);
  Transfer transfer{mpi::request_null, false, type, bytes, node};
  if (to == world_.rank() && blocking) {
    send_to_myself(number, data, bytes);
    return count(transfer);
  }
  const Bytes all(bytes);
  compat::check(
      mpi::isend(data, all.count(), all.datatype(), to, number, communicator_, &transfer.request),
      "MPI_Isend");
  if (blocking)
    complete(transfer);
  else
    transfers_.push_back(transfer);
}

Arrival Messages::receive_now(int tag, void* data, long room, int source) {
  mpi::Message message = mpi::message_null;
  mpi::Status status{};
  world_.wait_until([&] {
    int found = 0;
    compat::check(mpi::improbe(source, tag, communicator_, &found, &message, &status),
                  "MPI_Improbe");
    return found != 0;
  });
  const Arrival arrival{length_of(status), status.source()};
  if (arrival.bytes > room)
    throw Error(ErrorKind::value, "lenbuf = " + std::to_string(room) +
                                      ", but the message of type " + std::to_string(tag) +
                                      " from node " + std::to_string(arrival.node) + " has " +
                                      std::to_string(arrival.bytes) + " bytes");
  const Bytes all(arrival.bytes);
  mpi::Request request = mpi::request_null;
  compat::check(mpi::imrecv(data, all.count(), all.datatype(), &message, &request), "MPI_Imrecv");
  compat::complete(request, "MPI_Imrecv");
  return arrival;
}

Arrival Messages::receive(long type, void* data, long room, long node, bool blocking) {
  const int from = place("nodeselect", node, true), number = tag(type);
  require_length(room);
  if (blocking) {
    const Arrival arrival = receive_now(number, data, room, from);
    count({mpi::request_null, true, type, arrival.bytes, arrival.node});
    return arrival;
  }
  Transfer transfer{mpi::request_null, true, type, room, node};
  const Bytes all(room);
  compat::check(
      mpi::irecv(data, all.count(), all.datatype(), from, number, communicator_, &transfer.request),
      "MPI_Irecv");
  transfers_.push_back(transfer);
  return {-1, node};
}

bool Messages::probe(long type, long node) const {
  const int from = place("node", node, true), number = tag(type);
  int found = 0, looks = 0;
  // Programs call this in loops: between two looks others get their turn.
  world_.wait_until([&] {
    compat::check(mpi::iprobe(from, number, communicator_, &found, mpi::status_ignore),
                  "MPI_Iprobe");
    return found != 0 || ++looks == 2;
  });
  return found != 0;
}

void Messages::wait(long node) {
  (void)place("node", node, true);
  for (Transfer& transfer : transfers_)
    if (node == any_node || transfer.node == node) complete(transfer);
  std::erase_if(transfers_, [](const Transfer& t) { return t.request == mpi::request_null; });
}

}  // namespace lagoon::atoll::tcgmsg

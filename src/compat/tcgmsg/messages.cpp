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

namespace lagoon::atoll::tcgmsg {

namespace {

long length_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  compat::check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
  return static_cast<long>(bytes);
}

void require_length(long bytes) {
  if (bytes < 0)
    throw Error(ErrorKind::value,
                "lenbuf = " + std::to_string(bytes) + ", expected 0 or more bytes");
}

void abandon(MPI_Request& request, bool receives) {
  if (request == MPI_REQUEST_NULL) return;
  if (receives) MPI_Cancel(&request);
  MPI_Request_free(&request);
}

}  // namespace

Messages::Messages(const World& world) : world_(world) {
  compat::check(MPI_Comm_dup(world.communicator(), &communicator_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  void* largest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &known);
  if (known != 0) largest_type_ = *static_cast<const int*>(largest);
}

Messages::~Messages() {
  for (Transfer& transfer : transfers_) abandon(transfer.request, transfer.receives);
  for (Copy& copy : copies_) {
    int done = 0;
    MPI_Test(&copy.request, &done, MPI_STATUS_IGNORE);
    if (done != 0) continue;
    abandon(copy.request, false);
    (void)copy.bytes.release();  // MPI may still read it
  }
  MPI_Comm_free(&communicator_);
}

int Messages::tag(long type) const {
  if (type < 0 || type > largest_type_)
    throw Error(ErrorKind::value, "type = " + std::to_string(type) + ", expected 0 to " +
                                      std::to_string(largest_type_));
  return static_cast<int>(type);
}

int Messages::place(const char* argument, long node, bool may_be_any) const {
  if (may_be_any && node == any_node) return MPI_ANY_SOURCE;
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
  MPI_Status status{};
  const std::string what = (transfer.receives ? "receiving from " : "sending to ") +
                           std::to_string(transfer.node) + " with type " +
                           std::to_string(transfer.type) + " and a buffer of " +
                           std::to_string(transfer.bytes) + " bytes";
  compat::complete(transfer.request, what.c_str(), &status);
  if (transfer.receives) {
    transfer.bytes = length_of(status);
    transfer.node = status.MPI_SOURCE;
  }
  count(transfer);
}

void Messages::send_to_myself(int tag, const void* data, long bytes) {
  std::erase_if(copies_, [](Copy& copy) {
    int done = 0;
    compat::check(MPI_Test(&copy.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
  const auto size = static_cast<std::size_t>(bytes);
  Copy copy{MPI_REQUEST_NULL, std::make_unique_for_overwrite<std::byte[]>(size)};
  if (size > 0) std::memcpy(copy.bytes.get(), data, size);
  const Bytes all(bytes);
  compat::check(MPI_Isend(copy.bytes.get(), all.count(), all.datatype(), world_.rank(), tag,
                          communicator_, &copy.request),
                "MPI_Isend");
  copies_.push_back(std::move(copy));
}

void Messages::send(long type, const void* data, long bytes, long node, bool blocking) {
  const int to = place("node", node, false), number = tag(type);
  require_length(bytes);
  Transfer transfer{MPI_REQUEST_NULL, false, type, bytes, node};
  if (to == world_.rank() && blocking) {
    send_to_myself(number, data, bytes);
    return count(transfer);
  }
  const Bytes all(bytes);
  compat::check(
      MPI_Isend(data, all.count(), all.datatype(), to, number, communicator_, &transfer.request),
      "MPI_Isend");
  if (blocking)
    complete(transfer);
  else
    transfers_.push_back(transfer);
}

Arrival Messages::receive_now(int tag, void* data, long room, int source) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status{};
  world_.wait_until([&] {
    int found = 0;
    compat::check(MPI_Improbe(source, tag, communicator_, &found, &message, &status),
                  "MPI_Improbe");
    return found != 0;
  });
  const Arrival arrival{length_of(status), status.MPI_SOURCE};
  if (arrival.bytes > room)
    throw Error(ErrorKind::value, "lenbuf = " + std::to_string(room) +
                                      ", but the message of type " + std::to_string(tag) +
                                      " from node " + std::to_string(arrival.node) + " has " +
                                      std::to_string(arrival.bytes) + " bytes");
  const Bytes all(arrival.bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  compat::check(MPI_Imrecv(data, all.count(), all.datatype(), &message, &request), "MPI_Imrecv");
  compat::complete(request, "MPI_Imrecv");
  return arrival;
}

Arrival Messages::receive(long type, void* data, long room, long node, bool blocking) {
  const int from = place("nodeselect", node, true), number = tag(type);
  require_length(room);
  if (blocking) {
    const Arrival arrival = receive_now(number, data, room, from);
    count({MPI_REQUEST_NULL, true, type, arrival.bytes, arrival.node});
    return arrival;
  }
  Transfer transfer{MPI_REQUEST_NULL, true, type, room, node};
  const Bytes all(room);
  compat::check(
      MPI_Irecv(data, all.count(), all.datatype(), from, number, communicator_, &transfer.request),
      "MPI_Irecv");
  transfers_.push_back(transfer);
  return {-1, node};
}

bool Messages::probe(long type, long node) const {
  const int from = place("node", node, true), number = tag(type);
  int found = 0, looks = 0;
  // Programs call this in loops: between two looks others get their turn.
  world_.wait_until([&] {
    compat::check(MPI_Iprobe(from, number, communicator_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    return found != 0 || ++looks == 2;
  });
  return found != 0;
}

void Messages::wait(long node) {
  (void)place("node", node, true);
  for (Transfer& transfer : transfers_)
    if (node == any_node || transfer.node == node) complete(transfer);
  std::erase_if(transfers_, [](const Transfer& t) { return t.request == MPI_REQUEST_NULL; });
}

}  // namespace lagoon::atoll::tcgmsg

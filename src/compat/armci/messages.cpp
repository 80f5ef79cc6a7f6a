#include "compat/armci/messages.hpp"

#include <limits>
#include <string>

#include "compat/armci/arguments.hpp"
#include "compat/mpi_calls.hpp"

namespace lagoon::atoll::armci {

namespace {

int length(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    refuse("a message of " + std::to_string(bytes) + " bytes is longer than MPI can send");
  return static_cast<int>(bytes);
}

int largest_tag(MPI_Comm communicator) {
  int* largest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(communicator, MPI_TAG_UB, static_cast<void*>(&largest), &known);
  return known != 0 ? *largest : 32767;  // what every MPI has
}

}  // namespace

Tag program_tag(int tag) {
  const int most = largest_tag(MPI_COMM_WORLD) - static_cast<int>(Tag::of_program);
  if (tag < 0 || tag > most)
    refuse("the tag " + std::to_string(tag) + " is not 0 to " + std::to_string(most));
  return static_cast<Tag>(tag + static_cast<int>(Tag::of_program));
}

void send(const Session& session, Tag tag, const void* data, std::size_t bytes, int to) {
  MPI_Request request = MPI_REQUEST_NULL;
  compat::check(MPI_Isend(data, length(bytes), MPI_BYTE, session.process(to), static_cast<int>(tag),
                          session.communicator(), &request),
                "MPI_Isend");
  compat::complete(request, "MPI_Isend");
}

Received receive(const Session& session, Tag tag, void* data, std::size_t room, int from) {
  const int source = from == from_anybody ? MPI_ANY_SOURCE : session.process(from);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  World::current().wait_until([&] {
    int found = 0;
    compat::check(MPI_Improbe(source, static_cast<int>(tag), session.communicator(), &found,
                              &message, &status),
                  "MPI_Improbe");
    return found != 0;
  });
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (static_cast<std::size_t>(bytes) > room)
    refuse("a message of " + std::to_string(bytes) + " bytes from process " +
           std::to_string(status.MPI_SOURCE) + " is longer than the buffer of " +
           std::to_string(room));
  MPI_Request request = MPI_REQUEST_NULL;
  compat::check(MPI_Imrecv(data, bytes, MPI_BYTE, &message, &request), "MPI_Imrecv");
  compat::complete(request, "MPI_Imrecv");
  return {status.MPI_SOURCE, bytes};
}

}  // namespace lagoon::atoll::armci

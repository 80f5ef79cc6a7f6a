#include "compat/armci/messages.hpp"

#include <limits>
#include <string>

#include "compat/armci/arguments.hpp"
#include "compat/mpi_calls.hpp"
#include "mpi/face.hpp"

namespace lagoon::atoll::armci {

namespace {

int length(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    refuse("a message of " + std::to_string(bytes) + " bytes is longer than MPI can send");
  return static_cast<int>(bytes);
}

}  // namespace

Tag program_tag(int tag) {
  int most = 0;
  mpi::comm_largest_tag(mpi::comm_world, &most);
  most -= static_cast<int>(Tag::of_program);
  if (tag < 0 || tag > most)
    refuse("the tag " + std::to_string(tag) + " is not 0 to " + std::to_string(most));
  return static_cast<Tag>(tag + static_cast<int>(Tag::of_program));
}

void send(const Session& session, Tag tag, const void* data, std::size_t bytes, int to) {
  mpi::Request request = mpi::request_null;
  compat::check(mpi::isend(data, length(bytes), mpi::type_byte, session.process(to),
                           static_cast<int>(tag), session.communicator(), &request),
                "MPI_Isend");
  compat::complete(request, "MPI_Isend");
}

Received receive(const Session& session, Tag tag, void* data, std::size_t room, int from) {
  const int source = from == from_anybody ? mpi::any_source : session.process(from);
  mpi::Message message = mpi::message_null;
  mpi::Status status;
  World::current().wait_until([&] {
    int found = 0;
    compat::check(mpi::improbe(source, static_cast<int>(tag), session.communicator(), &found,
                               &message, &status),
                  "MPI_Improbe");
    return found != 0;
  });
  int bytes = 0;
  mpi::get_count(&status, mpi::type_byte, &bytes);
  if (static_cast<std::size_t>(bytes) > room)
    refuse("a message of " + std::to_string(bytes) + " bytes from process " +
           std::to_string(status.source()) + " is longer than the buffer of " +
           std::to_string(room));
  mpi::Request request = mpi::request_null;
  compat::check(mpi::imrecv(data, bytes, mpi::type_byte, &message, &request), "MPI_Imrecv");
  compat::complete(request, "MPI_Imrecv");
  return {status.source(), bytes};
}

}  // namespace lagoon::atoll::armci

// What TCGMSG prints for people, and where.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "compat/mpi_calls.hpp"
#include "compat/tcgmsg/session.hpp"

namespace lagoon::atoll::tcgmsg {

void print_traffic(const Session& session) {
  const World& world = session.world;
  std::vector<Traffic> all(static_cast<std::size_t>(world.size()));
  const int bytes = sizeof(Traffic);
  MPI_Request request = MPI_REQUEST_NULL;
  compat::check(MPI_Igather(&session.messages.traffic(), bytes, MPI_BYTE, all.data(), bytes,
                            MPI_BYTE, 0, world.communicator(), &request),
                "MPI_Igather");
  compat::complete(request, "MPI_Igather");
  if (world.rank() != 0) return;
  std::printf("TCGMSG: %6s %12s %16s %12s %16s\n", "node", "sent", "bytes", "received", "bytes");
  for (std::size_t node = 0; node < all.size(); ++node)
    std::printf("TCGMSG: %6zu %12ld %16ld %12ld %16ld\n", node, all[node].sent,
                all[node].bytes_sent, all[node].received, all[node].bytes_received);
  std::fflush(stdout);
}

void redirect_output(int rank) {
  const std::string name = "log." + std::to_string(rank);
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) throw Error::of_file(errno, "cannot open '" + name + "'");
  std::fflush(stdout);
  std::fflush(stderr);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  close(file);
}

}  // namespace lagoon::atoll::tcgmsg

// What TCGMSG prints for people, and where.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "atoll/error.hpp"
#include "compat/tcgmsg/session.hpp"

namespace lagoon::atoll::tcgmsg {

void print_traffic(const Session& session) {
  const Traffic& mine = session.messages.traffic();
  std::printf("TCGMSG: %6s %12s %16s %12s %16s\n", "node", "sent", "bytes", "received", "bytes");
  std::printf("TCGMSG: %6d %12ld %16ld %12ld %16ld\n", session.world.rank(), mine.sent,
              mine.bytes_sent, mine.received, mine.bytes_received);
  std::fflush(stdout);
}

void redirect_output(int rank) {
  const std::string name = "log." + std::to_string(rank);
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) throw Error::of_file(errno, "open '" + name + "'");
  std::fflush(stdout);
  std::fflush(stderr);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  close(file);
}

}  // namespace lagoon::atoll::tcgmsg

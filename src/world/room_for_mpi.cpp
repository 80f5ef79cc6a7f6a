// What MPICH puts into /dev/shm, as measured (docs/containers.md).
#include "world/room_for_mpi.hpp"

#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi/face.hpp"
#include "world/ending.hpp"
#include "world/mpi_library.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr const char* folder = "/dev/shm";
constexpr useconds_t most_microseconds_to_tell = 300000;

int number(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? std::atoi(value) : 0;
}

std::string in_mebibytes(std::uint64_t bytes) { return std::to_string(bytes / mebibyte) + " MiB"; }

}  // namespace

std::string lack_of_room_for_mpi(const std::string& library, std::uint64_t free, int ranks) {
  // Open MPI says itself what it lacks.
  if (family_of(library) != MpiFamily::mpich) return {};
  // UCX goes without it where it finds less than 16 MiB, and crashes where it had found them and
  // does no more, since another rank or MPICH itself was faster.
  const bool ucx = library.find("ucx") != std::string::npos;
  const std::uint64_t a_rank = ucx ? 11 * mebibyte / 2 : 3 * mebibyte / 2;
  const std::uint64_t kept_free = ucx ? 16 * mebibyte : 0;
  const std::uint64_t wanted = kept_free + static_cast<std::uint64_t>(ranks) * a_rank;
  if (free >= wanted) return {};
  return std::string(folder) + " has " + in_mebibytes(free) + " free, and MPICH may need " +
         in_mebibytes(wanted + mebibyte - 1) + " there for " + std::to_string(ranks) +
         (ranks == 1 ? " rank" : " ranks") +
         " of this machine. If the run ends by a bus error or a segmentation fault now, make it "
         "larger: docker run --shm-size=1g, or mount -o remount,size=1g " +
         folder;
}

void tell_lack_of_room_for_mpi() noexcept try {
  struct statfs status{};
  if (statfs(folder, &status) != 0 || status.f_blocks == 0) return;  // the latter: no limit
  char library[mpi::max_library_version_string];
  int length = 0;
  mpi::get_library_version(library, &length);
  const std::uint64_t free =
      static_cast<std::uint64_t>(status.f_bavail) * static_cast<std::uint64_t>(status.f_bsize);
  const std::string line =
      lack_of_room_for_mpi(std::string(library, static_cast<std::size_t>(length)), free,
                           std::max(1, number("MPI_LOCALNRANKS")));
  if (line.empty()) return;
  // The first rank's line is to be out before another one's MPI ends the run.
  if (number("MPI_LOCALRANKID") != 0) {
    usleep(most_microseconds_to_tell);
    return;
  }
  std::fputs(("atoll: " + line + "\n").c_str(), stderr);
  let_output_be_read(STDERR_FILENO);
} catch (...) {
  // What cannot be told is no reason to fail.
}

}  // namespace lagoon::atoll::detail

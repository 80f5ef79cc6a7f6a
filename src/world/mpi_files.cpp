// Finding MPICH's segments among this process's mappings, and unlinking them.
#include "world/mpi_files.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace lagoon::atoll::detail {

void unlink_mpi_files() noexcept try {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.find("/dev/shm/mpich_shm_");
    if (path == std::string::npos || line.ends_with(" (deleted)")) continue;
    ::unlink(line.c_str() + path);
  }
} catch (...) {
  // Not being tidy is no reason to fail.
}

}  // namespace lagoon::atoll::detail

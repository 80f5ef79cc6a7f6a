// Finding MPI's segments among this process's mappings, and unlinking them.
#include "world/mpi_files.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "mpi/face.hpp"

namespace lagoon::atoll::detail {

namespace {

/// The files still linked that this process has mapped and whose path starts so.
std::vector<std::string> mapped_files(const char* start) {
  std::vector<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.find(start);
    if (path != std::string::npos && !line.ends_with(" (deleted)"))
      files.push_back(line.substr(path));
  }
  return files;
}

void unlink_all(const std::vector<std::string>& files) noexcept {
  for (const std::string& file : files) ::unlink(file.c_str());
}

}  // namespace

void unlink_mpi_files() noexcept try {
  unlink_all(mapped_files("/dev/shm/mpich_shm_"));
} catch (...) {
  // Not being tidy is no reason to fail.
}

void finalize_mpi() noexcept {
  int size = 0;
  mpi::comm_size(mpi::comm_world, &size);
  std::vector<std::string> files;
  try {
    if (size == 1) files = mapped_files("/dev/shm/sm_segment.");
  } catch (...) {
    files.clear();  // as above
  }
  mpi::finalize();
  unlink_all(files);
}

}  // namespace lagoon::atoll::detail

// A disk that is soon full.
#pragma once

#include <mpi.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace lagoon::atoll::test {

/// A file system of its own in a new folder, gone again. Collective; by root only, on one host.
class SmallDisk {
 public:
  SmallDisk(MPI_Comm all, std::string path, const std::string& size)
      : all_(all), path_(std::move(path)) {
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    if (rank == 0) {
      std::filesystem::create_directory(path_);
      mounted_ = mount("atoll-test", path_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    }
    if (mounted_) std::ofstream(path_ + "/mark") << "x";
    MPI_Barrier(all);
    // Other hosts may have mounts of their own.
    int there = std::filesystem::exists(path_ + "/mark") ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, all);
    is_there_ = there != 0;
    if (mounted_) std::filesystem::remove(path_ + "/mark");
    MPI_Barrier(all);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    MPI_Barrier(all_);
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
    MPI_Barrier(all_);
  }
  bool is_there() const { return is_there_; }

 private:
  MPI_Comm all_;
  std::string path_;
  bool mounted_ = false, is_there_ = false;
};

}  // namespace lagoon::atoll::test

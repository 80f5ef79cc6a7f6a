// A disk that is soon full.
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "mpi/face.hpp"

namespace lagoon::atoll::test {

/// A file system of its own in a new folder, gone again. Collective; by root only, on one host.
class SmallDisk {
 public:
  SmallDisk(mpi::Comm all, std::string path, const std::string& size)
      : all_(all), path_(std::move(path)) {
    int rank = 0;
    mpi::comm_rank(all, &rank);
    if (rank == 0) {
      std::filesystem::create_directory(path_);
      mounted_ = mount("atoll-test", path_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    }
    if (mounted_) std::ofstream(path_ + "/mark") << "x";
    mpi::barrier(all);
    // Other hosts may have mounts of their own.
    int there = std::filesystem::exists(path_ + "/mark") ? 1 : 0;
    mpi::allreduce(mpi::in_place(), &there, 1, mpi::type_int, mpi::op_min, all);
    is_there_ = there != 0;
    if (mounted_) std::filesystem::remove(path_ + "/mark");
    mpi::barrier(all);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    mpi::barrier(all_);
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
    mpi::barrier(all_);
  }
  bool is_there() const { return is_there_; }

 private:
  mpi::Comm all_;
  std::string path_;
  bool mounted_ = false, is_there_ = false;
};

}  // namespace lagoon::atoll::test

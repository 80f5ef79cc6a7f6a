// What is known of a file system before anything is opened there (paper 004, section 4.1).
#pragma once

#include <cstdint>
#include <string>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

struct FileSystem {
  std::string type;        ///< "ext4", "tmpfs", "nfs", ...; a number in hexadecimal if unknown
  std::int64_t available;  ///< bytes that this user may still write
  std::int64_t total;      ///< bytes
  bool in_memory;          ///< what is written there takes memory
  bool shared;             ///< other hosts see the same files
};

/// Of the file system that a file or folder lies on. Error(file) if there is no such path.
FileSystem file_system(const std::string& path);

/// What `atoll info` says about the disk layer: how files are read and written.
std::string describe_disk();

}  // namespace lagoon::atoll

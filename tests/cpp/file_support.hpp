// What tests of files share: folders that go again, faults, bytes that one can tell apart.
#pragma once

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "disk/file_fault.hpp"
#include "support.hpp"

namespace lagoon::atoll::test {

using Bytes = std::vector<std::byte>;

/// A new folder of all ranks of the world, gone with the last of them. Collective.
class Folder {
 public:
  explicit Folder(const std::string& parent = std::filesystem::temp_directory_path()) {
    make(parent);
    // Hosts have a /dev/shm each.
    if (everywhere(std::filesystem::exists(path_))) return;
    std::error_code ignored;
    if (world().rank() == 0) std::filesystem::remove_all(path_, ignored);
    make(std::filesystem::temp_directory_path());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    world().barrier();
    std::error_code ignored;
    if (world().rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// A folder in it. Every rank its own.
  std::string mine(const std::string& name) const {
    const std::string folder = path_ + "/" + name + "-" + std::to_string(world().rank());
    std::filesystem::create_directories(folder);
    return folder;
  }

 private:
  void make(const std::string& parent) {
    path_ = parent + "/atoll-test-XXXXXX";
    if (world().rank() == 0 && mkdtemp(path_.data()) == nullptr) path_.clear();
    world().broadcast(path_, 0);
  }
  std::string path_;
};

/// For what brings much to its device, which takes no time there.
inline constexpr const char* in_memory = "/dev/shm";

/// Files and folders in a folder.
inline std::size_t entries_of(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator()));
}

/// Files in a folder that this process has open.
inline std::size_t open_files_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;  // the iterator's own is gone
    const std::string path = std::filesystem::read_symlink(entry.path(), ignored);
    count += path.starts_with(folder + "/") ? 1 : 0;
  }
  return count;
}

/// What a file holds, by the standard library.
inline Bytes contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Bytes result;
  for (char c = 0; file.get(c);) result.push_back(static_cast<std::byte>(c));
  return result;
}

inline Bytes random_bytes(Random& random, std::int64_t count) {
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.between(0, 255));
  return bytes;
}

/// Installs a hook while it lives.
class Faults {
 public:
  explicit Faults(detail::FileFaultHook hook) { detail::set_file_fault_hook(std::move(hook)); }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;
  ~Faults() { detail::set_file_fault_hook({}); }
};

/// Fails the n-th call of this rank to the system.
class FailNth {
 public:
  FailNth(int nth, int error)
      : faults_(
            [this, nth, error](detail::FileCall, std::int64_t, std::size_t) -> detail::FileFault {
              return {.error = calls_++ == nth ? error : 0};
            }) {}
  bool happened(int nth) const { return calls_ > nth; }

 private:
  std::atomic<int> calls_{0};
  Faults faults_;
};

inline int error_number_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.error_number();
  }
  return 0;
}

/// Changes one byte of a file. By one rank, between barriers.
inline void flip(const std::string& path, std::int64_t offset) {
  world().barrier();
  if (world().rank() == 0) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(offset);
    const int byte = file.get();
    file.seekp(offset);
    file.put(static_cast<char>(byte ^ 0x10));
  }
  world().barrier();
}

}  // namespace lagoon::atoll::test

// SharedMemory: one region of anonymous memory that all ranks of a node map.
//
// It is a memfd: no name in any file system, so nothing is left behind however and whenever the
// ranks die. The leader creates it; the others open it through /proc/<leader>/fd. A node's only
// rank may have private memory instead: systems that give no large pages to shared memory have them
// there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/handles.hpp"

namespace lagoon::atoll::detail {

class SharedMemory {
 public:
  /// What a node's only rank gets.
  enum class Alone : bool { is_shared, is_private };

  /// Collective over `node`. Zero-filled; pages are taken when first touched.
  /// Error(communication) or Error(memory) with the reason.
  SharedMemory(mpi::Comm node, std::uint64_t bytes, Alone alone = Alone::is_shared);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::byte* base() const noexcept { return base_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Makes a range read as zero. Large ranges give their pages back to the system.
  void clear(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  /// Gives the whole pages of a range back to the system (they read as zero then).
  void release_pages(std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  explicit SharedMemory(std::uint64_t bytes) noexcept : bytes_(bytes) {}
  /// False with the reason in errno.
  bool map(int kind, int file) noexcept;

  std::byte* base_ = nullptr;
  std::uint64_t bytes_;
  int file_ = -1;
};

}  // namespace lagoon::atoll::detail

// SharedFile: one file of all ranks of a group, of bytes at offsets (ChemIO's shared files, paper
// 004 section 4.4). Made and closed together, read and written by each rank on its own.
//
// What a rank has written and waited for, every rank reads that learns of it (by a barrier, a
// message). Requests under way at the same time that touch the same bytes, one of them a write, are
// the program's race, as with arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "atoll/file_request.hpp"
#include "atoll/group.hpp"
#include "atoll/private_file.hpp"

namespace lagoon::atoll {

struct SharedFileOptions {
  /// Bytes that the file never exceeds: a write beyond is an Error(file) with EFBIG. 0: no limit.
  std::int64_t hard_limit = 0;
  /// How large it will be, more or less: the space is taken now, so that a full disk is found at
  /// the start. 0: nobody knows.
  std::int64_t soft_limit = 0;
  /// Bytes of a typical request, for the two below. 0: nobody knows.
  std::int64_t request_size = 0;
  /// Reads go through the file more or less in order: what comes next is read early.
  bool read_ahead = false;
  /// Writes are brought to the device at once, not when the system needs the memory.
  bool write_behind = false;
  /// Whether the file stays when it is closed. Else it is scratch, and goes also after a crash
  /// (on several hosts only if the run ends in good order: they need its name). A file that may
  /// have been there before must be kept.
  bool keep = false;
  FileOpening opening = FileOpening::create;
};

class SharedFile {
 public:
  /// Collective. An empty path is a new name in the first folder of ATOLL_SCRATCH. A file on a file
  /// system that all ranks see; readable by its owner. The first rank makes it, the others open it
  /// and make sure that it is the same: Error(file) on all ranks if it is not, or if the system
  /// refuses.
  SharedFile(const Group& group, const std::string& path, const SharedFileOptions& options = {});
  SharedFile(SharedFile&&) noexcept;
  SharedFile& operator=(SharedFile&&) noexcept;
  /// Closes my part only: see `close`.
  ~SharedFile();

  /// Writes bytes at an offset. What nobody has written reads as zero.
  void write(std::int64_t offset, std::span<const std::byte> data);
  /// Reads bytes; Error(index) if they reach beyond the end, that of the farthest write so far.
  void read(std::int64_t offset, std::span<std::byte> data) const;
  FileRequest write_async(std::int64_t offset, std::span<const std::byte> data);
  FileRequest read_async(std::int64_t offset, std::span<std::byte> data) const;

  /// In bytes, of what all ranks have written.
  std::int64_t length() const;
  /// What I have written and waited for is on the device. Not collective.
  void sync();
  /// From now on this rank only reads. Not collective.
  void set_read_only() noexcept;
  /// Collective, when all requests of all ranks have been waited for: the file goes, or stays. Then
  /// Error(file) on all ranks if the file system has no room for what one has written (network file
  /// systems may tell only now). It is closed in any case.
  void close();

  const FileStatistics& statistics() const noexcept { return statistics_; }
  const std::string& path() const;

 private:
  struct State;
  State& state() const;
  std::unique_ptr<State> state_;
  mutable FileStatistics statistics_;
};

}  // namespace lagoon::atoll

// PrivateFile: a file of one process, of bytes at offsets (ChemIO's exclusive access files, paper
// 004 section 4.3): scratch space for what does not fit the memory. Nothing here is collective.
//
// Requests under way at the same time that touch the same bytes, one of them a write, may take
// effect in any order: wait for the one first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/file_request.hpp"

namespace lagoon::atoll {

namespace detail {
class StripedFile;
}

enum class FileOpening : std::uint8_t {
  create,          ///< it must not be there
  existing,        ///< it must be there
  read_only,       ///< it must be there, and is not changed
  open_or_create,  ///< it may be there
};

struct PrivateFileOptions {
  /// Where; several, on different disks say, share the file out. Empty: ATOLL_SCRATCH.
  std::vector<std::string> directories{};
  /// Bytes that lie in one directory before the next one's turn.
  std::int64_t stripe = std::int64_t{1} << 20;
  /// Empty: scratch that nobody else can open, gone with this object, at exit and after a crash.
  /// Else the name of a file in each directory, readable by its owner, that stays.
  std::string name{};
  FileOpening opening = FileOpening::open_or_create;  ///< of a file with a name
};

struct FileStatistics {
  std::int64_t reads = 0, writes = 0;  ///< requests
  std::int64_t bytes_read = 0, bytes_written = 0;
  double seconds_waited = 0;  ///< inside read, write, and until requests were begun
};

class PrivateFile {
 public:
  /// Error(file) if the system refuses; links in place of a named file are not followed.
  explicit PrivateFile(const PrivateFileOptions& options = {});
  PrivateFile(PrivateFile&&) noexcept;
  PrivateFile& operator=(PrivateFile&&) noexcept;
  ~PrivateFile();

  /// Writes bytes at an offset, which may lie beyond the end: what is between reads as zero.
  /// Error(value) for a negative offset, Error(file) as FileRequest::wait.
  void write(std::int64_t offset, std::span<const std::byte> data);
  /// Reads; how many bytes: fewer than asked where the file ends, 0 beyond.
  std::int64_t read(std::int64_t offset, std::span<std::byte> data) const;
  FileRequest write_async(std::int64_t offset, std::span<const std::byte> data);
  FileRequest read_async(std::int64_t offset, std::span<std::byte> data) const;

  /// In bytes; writes that are under way count.
  std::int64_t length() const;
  /// Cuts it, or lengthens it by zeros. No request is under way.
  void resize(std::int64_t length);
  /// Bytes that were written and waited for are on the device.
  void sync();
  /// Requests are waited for by their owners. The file is gone, or kept if it has a name: then
  /// Error(file) if the file system has no room for what was written (network file systems may tell
  /// only now). It is closed in any case.
  void close();
  /// The same for a file with a name, which goes.
  void remove();

  const FileStatistics& statistics() const noexcept { return statistics_; }
  /// How it is called in messages.
  std::string describe() const;

 private:
  detail::StripedFile& file() const;
  std::unique_ptr<detail::StripedFile> file_;
  mutable FileStatistics statistics_;
};

}  // namespace lagoon::atoll

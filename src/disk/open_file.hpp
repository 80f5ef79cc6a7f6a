// OpenFile: a regular file that is open, by its descriptor. Every call completes short transfers
// and those that a signal interrupted; what the system refuses is an Error(file) with the errno,
// the file, the offset and the length.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "disk/at_once.hpp"

namespace lagoon::atoll::detail {

/// What open(2) is asked for.
struct OpenMode {
  bool writes = true;
  bool creates = false;     ///< a file that is not there is made
  bool exclusive = false;   ///< with `creates`: it is an error if it is there
  bool for_others = false;  ///< a new one is whose the umask says, else its owner's only
};

/// The file's own number on its device: to tell whether two ranks opened the same one.
struct FileIdentity {
  std::uint64_t device, number;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

class OpenFile {
 public:
  /// Opens a file by name. Links are not followed (another user may have planted one in a shared
  /// directory), and what is no regular file is refused.
  OpenFile(const std::string& path, const OpenMode& mode);
  /// The same of a name in a folder that is open; `path`: all of it, for errors.
  OpenFile(int folder, const std::string& name, const std::string& path, const OpenMode& mode);
  /// A new file in `directory` without a name: it is gone when nobody has it open any more, also
  /// after a crash.
  static std::shared_ptr<OpenFile> scratch(const std::string& directory);

  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  int descriptor() const noexcept { return descriptor_; }
  /// For what needs no place in the page cache; the plain descriptor where the file system has no
  /// direct transfers.
  int direct_descriptor();
  /// Empty for scratch.
  const std::string& path() const noexcept { return path_; }
  /// "'/data/a'", or "a scratch file in '/tmp'".
  const std::string& label() const noexcept { return label_; }

  /// Several hosts use it at the same time. Where each of them caches a file without asking the
  /// others (NFS, FUSE), reads and writes go past the cache from now on, byte for byte, and lengths
  /// are asked for each time.
  void use_beside_other_hosts();

  std::int64_t length() const;
  FileIdentity identity() const;
  /// The same to compare among hosts: on file systems that they share the number alone, for each
  /// host counts its devices itself; else not equal to that of any other host.
  FileIdentity identity_among_hosts() const;
  /// Whether it lies in memory, where there is nothing to go past.
  bool in_memory() const noexcept;
  void resize(std::int64_t length);
  /// Takes the exclusive lock, which is this object's and goes with it. False if somebody else has
  /// it: another program, on this host or on one that shares the file system, or another object
  /// here. Where the file system has no locks nobody can tell: true. REQUIRES: open for writing.
  bool lock();
  /// Whether somebody else has it.
  bool is_locked_elsewhere() const noexcept;
  /// Takes the space for [begin, end) now, so that writing there cannot find the disk full. The
  /// length stays. Nothing where the file system cannot. More than is free is refused (ENOSPC, with
  /// both numbers) before any is taken.
  void reserve(std::int64_t begin, std::int64_t end);
  /// Hints: these bytes will be read soon; these need not stay in memory only.
  void expect_read(std::int64_t offset, std::int64_t bytes) noexcept;
  void begin_sync(std::int64_t offset, std::int64_t bytes) noexcept;
  /// As much as `close` does, which the end of this object cannot tell of: network file systems
  /// hand over only now what was written, and may find no room for it.
  void flush() const;
  /// Data, and what is needed to find them, are on the device.
  void sync();
  /// The names in a folder are on its device.
  static void sync_folder(const std::string& path);

  /// Bytes read: fewer than asked only where the file ends.
  std::size_t read(std::int64_t offset, std::byte* memory, std::size_t bytes) const;
  void write(std::int64_t offset, const std::byte* memory, std::size_t bytes);
  /// The same of bytes in pieces, one after the other in the file.
  std::size_t read(std::int64_t offset, std::vector<iovec> pieces) const;
  void write(std::int64_t offset, std::vector<iovec> pieces);

  /// Some of a small transfer, by one call that does not wait for a device, as far as one can know:
  /// bytes moved, or minus an errno; EAGAIN where somebody who may wait is to do it.
  ssize_t read_at_once(std::int64_t offset, std::byte* memory, std::size_t bytes) {
    return at_once_.read(descriptor_, offset, memory, bytes);
  }
  ssize_t write_at_once(std::int64_t offset, const std::byte* memory, std::size_t bytes) {
    return at_once_.write(descriptor_, offset, memory, bytes);
  }

  /// Runs work that moves a little of the file by plain calls, unless that is to be left to
  /// others, as above.
  template <class Work>
  bool run_at_once(Work&& work) {
    return at_once_.run(descriptor_, work);
  }

  /// "read 4096 bytes at 8192 of '/scratch/a'"
  std::string describe(const char* what, std::int64_t offset, std::size_t bytes) const;

 private:
  OpenFile(int descriptor, std::string path, std::string label)
      : descriptor_(descriptor), path_(std::move(path)), label_(std::move(label)) {}

  int descriptor_ = -1;
  bool locked_ = false;
  bool uncached_ = false;
  std::atomic<int> direct_{-1};  // -1: not asked for yet
  AtOnce at_once_;
  std::string path_, label_;
};

/// ".atoll-" and 24 digits that nobody can guess.
std::string random_file_name();
/// Removes a name; one that is not there is no error.
void remove_file(const std::string& path);

}  // namespace lagoon::atoll::detail

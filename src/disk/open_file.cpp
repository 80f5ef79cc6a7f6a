// Files by the calls of POSIX and Linux.
#include "disk/open_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>
#include <span>

#include "atoll/error.hpp"
#include "disk/file_fault.hpp"
#include "disk/file_system_kind.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr mode_t owner_only = S_IRUSR | S_IWUSR;
constexpr mode_t as_umask_says = owner_only | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves less than 2^31 at a time

/// Repeats a call that a signal interrupts; -1 with errno otherwise. `call` gets the bytes that it
/// may move.
template <class Call>
ssize_t attempt(FileCall kind, std::int64_t offset, std::size_t bytes, Call&& call) {
  for (;;) {
    const FileFault fault = fault_of(kind, offset, bytes);
    errno = fault.error;
    const ssize_t result =
        fault.error != 0 ? -1 : call(std::min({bytes, fault.most_bytes, most_at_once}));
    if (result >= 0 || errno != EINTR) return result;
  }
}

template <class Call>
int attempt(FileCall kind, Call&& call) {
  return static_cast<int>(attempt(kind, 0, 0, [&](std::size_t) { return ssize_t{call()}; }));
}

/// Of this host since it was started.
std::uint64_t host_number() {
  static const std::uint64_t number = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string text;
    std::getline(file, text);
    std::uint64_t hash = text.size();
    for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
    return hash;
  }();
  return number;
}

/// Bytes that the file system of an open file has left for users; all there are where it does not
/// tell (a tmpfs without a limit).
std::int64_t bytes_free_for(int descriptor) {
  constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  struct statfs status{};
  if (fstatfs(descriptor, &status) != 0 || status.f_blocks == 0) return no_limit;
  const std::int64_t block = status.f_frsize > 0 ? status.f_frsize : status.f_bsize;
  const auto blocks = static_cast<std::int64_t>(status.f_bavail);
  return blocks > no_limit / block ? no_limit : blocks * block;
}

/// Bytes of the device that a file has already.
std::int64_t bytes_taken_by(int descriptor) {
  constexpr std::int64_t block = 512;  // whatever the file system's own
  struct stat status{};
  return fstat(descriptor, &status) == 0 ? block * status.st_blocks : 0;
}

/// Of the whole file; 0, or -1 with errno.
int set_lock(int descriptor, int command, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, command, &lock);
}

}  // namespace

std::string random_file_name() {
  std::array<unsigned char, 12> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error::of_file(errno, "ask the system for random numbers");
  std::string name = ".atoll-";
  for (const unsigned char byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

OpenFile::OpenFile(const std::string& path, const OpenMode& mode)
    : OpenFile(AT_FDCWD, path, path, mode) {}

OpenFile::OpenFile(int folder, const std::string& name, const std::string& path,
                   const OpenMode& mode)
    : path_(path), label_("'" + path + "'") {
  int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;  // a pipe does not make us wait
  flags |= mode.writes ? O_RDWR : O_RDONLY;
  if (mode.creates) flags |= O_CREAT;
  if (mode.exclusive) flags |= O_EXCL;
  descriptor_ = attempt(FileCall::open, [&] {
    return ::openat(folder, name.c_str(), flags, mode.for_others ? as_umask_says : owner_only);
  });
  if (descriptor_ < 0)
    throw Error::of_file(
        errno, errno == ELOOP ? "open " + label_ + ", a symbolic link" : "open " + label_);
  struct stat status{};
  if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    // io_uring would not wait for the device either.
    fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
    return;
  }
  ::close(descriptor_);
  throw Error::of_file(EINVAL, "open " + label_ + ", which is no regular file");
}

std::shared_ptr<OpenFile> OpenFile::scratch(const std::string& directory) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_EXCL;
  const std::string name = "a scratch file in '" + directory + "'";
  const auto opened = [&](int descriptor) {
    return std::shared_ptr<OpenFile>(new OpenFile(descriptor, {}, name));
  };
  const int unnamed = attempt(
      FileCall::open, [&] { return ::open(directory.c_str(), flags | O_TMPFILE, owner_only); });
  if (unnamed >= 0) return opened(unnamed);
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    throw Error::of_file(errno, "create " + name);
  // A file system without unnamed files: the name lives for an instant.
  const std::string path = directory + "/" + random_file_name();
  const int named = attempt(FileCall::open, [&] {
    return ::open(path.c_str(), flags | O_CREAT | O_NOFOLLOW, owner_only);
  });
  if (named < 0) throw Error::of_file(errno, "create " + name);
  std::shared_ptr<OpenFile> file = opened(named);
  remove_file(path);
  return file;
}

OpenFile::~OpenFile() {
  const int direct = direct_.load();
  if (direct >= 0 && direct != descriptor_) ::close(direct);
  // A child process has the descriptor, too, and with it the lock.
  if (locked_) (void)set_lock(descriptor_, F_OFD_SETLK, F_UNLCK);
  ::close(descriptor_);
}

int OpenFile::direct_descriptor() {
  if (const int known = direct_.load(std::memory_order_acquire); known >= 0) return known;
  // By way of /proc, for files without a name.
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
  const int access = fcntl(descriptor_, F_GETFL) & O_ACCMODE;
  const int opened = ::open(self.c_str(), access | O_CLOEXEC | O_DIRECT);
  int expected = -1;
  const int mine = opened < 0 ? descriptor_ : opened;
  if (!direct_.compare_exchange_strong(expected, mine, std::memory_order_acq_rel)) {
    if (opened >= 0) ::close(opened);
    return expected;
  }
  return mine;
}

std::string OpenFile::describe(const char* what, std::int64_t offset, std::size_t bytes) const {
  return std::string(what) + " " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
         " of " + label_;
}

void OpenFile::use_beside_other_hosts() {
  if (!kind_of_file(descriptor_).cached_apart) return;
  const int flags = fcntl(descriptor_, F_GETFL);
  if (flags < 0 || fcntl(descriptor_, F_SETFL, flags | O_DIRECT) != 0)
    throw Error::of_file(errno, "use " + label_ + " past the cache of this host");
  uncached_ = true;
}

std::int64_t OpenFile::length() const {
  if (uncached_) {
    struct statx now{};
    if (::statx(descriptor_, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &now) == 0)
      return static_cast<std::int64_t>(now.stx_size);
  }
  struct stat status{};
  if (fstat(descriptor_, &status) != 0)
    throw Error::of_file(errno, "ask for the length of " + label_);
  return status.st_size;
}

FileIdentity OpenFile::identity() const {
  struct stat status{};
  if (fstat(descriptor_, &status) != 0)
    throw Error::of_file(errno, "ask for the status of " + label_);
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

FileIdentity OpenFile::identity_among_hosts() const {
  const FileIdentity found = identity();
  const FileSystemKind kind = kind_of_file(descriptor_);
  if (!kind.of_this_host) return {0, found.number};
  return {mix(host_number(), found.device), found.number};
}

bool OpenFile::in_memory() const noexcept { return kind_of_file(descriptor_).in_memory; }

bool OpenFile::lock() {
  // Of the open file description: other locks of fcntl are the process's, and go with any
  // descriptor of the file that it closes.
  if (set_lock(descriptor_, F_OFD_SETLK, F_WRLCK) == 0) return locked_ = true;
  if (errno == EAGAIN || errno == EACCES) return false;
  if (set_lock(descriptor_, F_SETLK, F_WRLCK) == 0) return true;
  return errno != EAGAIN && errno != EACCES;
}

bool OpenFile::is_locked_elsewhere() const noexcept {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void OpenFile::resize(std::int64_t length) {
  if (attempt(FileCall::resize, [&] { return ::ftruncate(descriptor_, length); }) != 0)
    throw Error::of_file(errno, "make " + label_ + " " + std::to_string(length) + " bytes long");
}

void OpenFile::reserve(std::int64_t begin, std::int64_t end) {
  if (end <= begin) return;
  const auto take = [&](std::int64_t bytes) {
    return attempt(FileCall::reserve,
                   [&] { return ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, begin, bytes); });
  };
  const std::string wanted = "reserve " + std::to_string(end - begin) + " bytes for " + label_;
  // The system would take all there is, from everybody, before it says that it is too little.
  const std::int64_t room = bytes_free_for(descriptor_);
  const bool too_large = end - begin - bytes_taken_by(descriptor_) > room;
  const int status = take(too_large ? 1 : end - begin);  // whether it can at all
  if (status == 0 && too_large)
    throw Error::of_file(ENOSPC, wanted + ", where " + std::to_string(room) + " are free");
  if (status != 0 && errno != EOPNOTSUPP) throw Error::of_file(errno, wanted);
}

void OpenFile::expect_read(std::int64_t offset, std::int64_t bytes) noexcept {
  (void)::posix_fadvise(descriptor_, offset, bytes, POSIX_FADV_WILLNEED);
}

void OpenFile::begin_sync(std::int64_t offset, std::int64_t bytes) noexcept {
  (void)::sync_file_range(descriptor_, offset, bytes, SYNC_FILE_RANGE_WRITE);
}

void OpenFile::flush() const {
  // Every descriptor that is closed asks the file system.
  const int another = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (another < 0 || ::close(another) != 0)
    throw Error::of_file(errno, "hand over what was written to " + label_);
}

void OpenFile::sync() {
  if (attempt(FileCall::sync, [&] { return ::fdatasync(descriptor_); }) != 0)
    throw Error::of_file(errno, "bring " + label_ + " to its device");
  tell(FileCall::sync, path_);
}

void OpenFile::sync_folder(const std::string& path) {
  const int folder = attempt(
      FileCall::open, [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (folder < 0) throw Error::of_file(errno, "open '" + path + "'");
  const int status = attempt(FileCall::sync, [&] { return ::fsync(folder); });
  const int error = errno;
  ::close(folder);
  if (status != 0) throw Error::of_file(error, "bring '" + path + "' to its device");
  tell(FileCall::sync, path);
}

std::size_t OpenFile::read(std::int64_t offset, std::byte* memory, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const std::int64_t at = offset + static_cast<std::int64_t>(done);
    const ssize_t moved = attempt(FileCall::read, at, bytes - done, [&](std::size_t most) {
      return ::pread(descriptor_, memory + done, most, at);
    });
    if (moved < 0) throw Error::of_file(errno, describe("read", offset, bytes));
    if (moved == 0) break;
    done += static_cast<std::size_t>(moved);
  }
  return done;
}

void OpenFile::write(std::int64_t offset, const std::byte* memory, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const std::int64_t at = offset + static_cast<std::int64_t>(done);
    const ssize_t moved = attempt(FileCall::write, at, bytes - done, [&](std::size_t most) {
      return ::pwrite(descriptor_, memory + done, most, at);
    });
    if (moved <= 0) throw Error::of_file(moved < 0 ? errno : EIO, describe("write", offset, bytes));
    tell(FileCall::write, path_, at, {memory + done, static_cast<std::size_t>(moved)});
    done += static_cast<std::size_t>(moved);
  }
}

namespace {

/// Moves pieces until all are done, or `call` moves nothing more; how many bytes. `moved_piece` is
/// told of each part that was moved: where it is in the file, its bytes.
template <class One, class Many, class Moved>
std::size_t move_pieces(FileCall kind, std::int64_t offset, std::vector<iovec>& pieces, One&& one,
                        Many&& many, Moved&& moved_piece) {
  constexpr std::size_t most_pieces = 1024;  // Linux's limit
  std::size_t done = 0;
  for (std::size_t first = 0; first < pieces.size();) {
    const std::size_t count = std::min(pieces.size() - first, most_pieces);
    std::size_t bytes = 0;
    for (std::size_t i = first; i < first + count; ++i) bytes += pieces[i].iov_len;
    const std::int64_t at = offset + static_cast<std::int64_t>(done);
    const ssize_t moved = attempt(kind, at, bytes, [&](std::size_t most) {
      return most < bytes ? one(pieces[first].iov_base, std::min(most, pieces[first].iov_len), at)
                          : many(&pieces[first], static_cast<int>(count), at);
    });
    if (moved < 0) return SIZE_MAX;
    if (moved == 0) break;
    auto left = static_cast<std::size_t>(moved);
    while (first < pieces.size() && left > 0) {
      iovec& piece = pieces[first];
      const std::size_t part = std::min(left, piece.iov_len);
      moved_piece(offset + static_cast<std::int64_t>(done),
                  std::span(static_cast<const std::byte*>(piece.iov_base), part));
      done += part;
      left -= part;
      piece.iov_base = static_cast<std::byte*>(piece.iov_base) + part;
      piece.iov_len -= part;
      if (piece.iov_len == 0) ++first;
    }
    while (first < pieces.size() && pieces[first].iov_len == 0) ++first;
  }
  return done;
}

std::size_t bytes_of(const std::vector<iovec>& pieces) {
  std::size_t bytes = 0;
  for (const iovec& piece : pieces) bytes += piece.iov_len;
  return bytes;
}

}  // namespace

std::size_t OpenFile::read(std::int64_t offset, std::vector<iovec> pieces) const {
  const std::size_t bytes = bytes_of(pieces);
  const std::size_t done = move_pieces(
      FileCall::read, offset, pieces,
      [&](void* memory, std::size_t most, std::int64_t at) {
        return ::pread(descriptor_, memory, most, at);
      },
      [&](const iovec* first, int count, std::int64_t at) {
        return ::preadv(descriptor_, first, count, at);
      },
      [](std::int64_t, std::span<const std::byte>) {});
  if (done == SIZE_MAX) throw Error::of_file(errno, describe("read", offset, bytes));
  return done;
}

void OpenFile::write(std::int64_t offset, std::vector<iovec> pieces) {
  const std::size_t bytes = bytes_of(pieces);
  const std::size_t done = move_pieces(
      FileCall::write, offset, pieces,
      [&](void* memory, std::size_t most, std::int64_t at) {
        return ::pwrite(descriptor_, memory, most, at);
      },
      [&](const iovec* first, int count, std::int64_t at) {
        return ::pwritev(descriptor_, first, count, at);
      },
      [&](std::int64_t at, std::span<const std::byte> bytes_there) {
        tell(FileCall::write, path_, at, bytes_there);
      });
  if (done == SIZE_MAX) throw Error::of_file(errno, describe("write", offset, bytes));
  if (done < bytes) throw Error::of_file(EIO, describe("write", offset, bytes));
}

void remove_file(const std::string& path) {
  if (attempt(FileCall::remove, [&] { return ::unlink(path.c_str()); }) != 0 && errno != ENOENT)
    throw Error::of_file(errno, "remove '" + path + "'");
}

}  // namespace lagoon::atoll::detail

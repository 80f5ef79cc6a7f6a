// SharedMemory: creating, finding and mapping the node's region.
#include "world/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/collective.hpp"
#include "world/page.hpp"

namespace lagoon::atoll::detail {

namespace {

// Below this, writing zeros is faster than dropping pages and faulting them in again.
constexpr std::uint64_t smallest_release = std::uint64_t{32} << 20;

/// What the leader tells its node: where its memfd is, and how to be sure it is the right one.
struct Whereabouts {
  std::int64_t process, file, device, inode, error;
};

[[noreturn]] void fail(const char* action, int error) {
  throw Error(error == ENOMEM ? ErrorKind::memory : ErrorKind::communication,
              std::string("shared memory of the node: ") + action + ": " + std::strerror(error));
}

int create(std::uint64_t bytes, Whereabouts& where) {
  const int file = memfd_create("atoll", MFD_CLOEXEC);
  struct stat status{};
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0 || fstat(file, &status) != 0) {
    where.error = errno;
    return file;
  }
  where = {getpid(), file, static_cast<std::int64_t>(status.st_dev),
           static_cast<std::int64_t>(status.st_ino), 0};
  return file;
}

int open_leaders(const Whereabouts& where) {
  const std::string path =
      "/proc/" + std::to_string(where.process) + "/fd/" + std::to_string(where.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return -errno;
  struct stat status{};
  if (fstat(file, &status) != 0) {
    const int error = errno;
    close(file);
    return -error;
  }
  // Another process namespace could show a stranger under the leader's number.
  if (static_cast<std::int64_t>(status.st_dev) != where.device ||
      static_cast<std::int64_t>(status.st_ino) != where.inode) {
    close(file);
    return -ENXIO;
  }
  return file;
}

const char* why_not_opened(int error) noexcept {
  switch (error) {
    case ENOENT:
      return "opening the leader's memory through /proc, which does not show its process (ranks of "
             "a node must share one process namespace and user; a /proc mounted with hidepid, or "
             "none, hides it)";
    case EACCES:
    case EPERM:
      return "opening the leader's memory through /proc (ranks of a node must run as one user, of "
             "one user namespace, and may be traced by each other: see hidepid, ptrace_scope, "
             "PR_SET_DUMPABLE)";
    default:
      return "opening the leader's memory through /proc (ranks of a node must share one process "
             "namespace and user)";
  }
}

}  // namespace

// The destructor takes back what there is already when something fails.
SharedMemory::SharedMemory(mpi::Comm node, std::uint64_t bytes, Alone alone) : SharedMemory(bytes) {
  int rank = 0, ranks = 0;
  mpi::comm_rank(node, &rank);
  mpi::comm_size(node, &ranks);
  // Limits may forbid so much private memory: then it is shared all the same.
  if (alone == Alone::is_private && ranks == 1 && map(MAP_PRIVATE | MAP_ANONYMOUS, -1)) return;
  Whereabouts where{};
  if (rank == 0) file_ = create(bytes, where);
  check_mpi(mpi::bcast(&where, sizeof where, mpi::type_byte, 0, node), "MPI_Bcast");
  int error = static_cast<int>(where.error);
  const char* action = "memfd_create by the leader";
  if (error == 0 && rank != 0) {
    file_ = open_leaders(where);
    if (file_ < 0) error = -file_;
    action = why_not_opened(error);
  }
  if (error == 0 && !map(MAP_SHARED, file_)) {
    action = "mmap";
    error = errno;
  }
  // Everybody or nobody: a rank that goes on alone would hang in the next collective call. Also the
  // leader must not close its file before all have opened it.
  int worst = error;
  check_mpi(mpi::allreduce(&error, &worst, 1, mpi::type_int, mpi::op_max, node), "MPI_Allreduce");
  if (worst != 0) fail(error != 0 ? action : "another rank of the node failed", worst);
}

bool SharedMemory::map(int kind, int file) noexcept {
  void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, file, 0);
  if (mapped == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(mapped);
  madvise(mapped, bytes_, MADV_HUGEPAGE);  // helps where the system allows it
  madvise(mapped, bytes_, MADV_DONTDUMP);
  return true;
}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
  if (file_ >= 0) close(file_);
}

void SharedMemory::clear(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  if (bytes < smallest_release) {
    std::memset(base_ + offset, 0, bytes);
    return;
  }
  const std::uint64_t first = (offset + page - 1) / page * page;
  const std::uint64_t last = (offset + bytes) / page * page;
  std::memset(base_ + offset, 0, first - offset);
  std::memset(base_ + last, 0, offset + bytes - last);
  release_pages(first, last - first);
}

void SharedMemory::release_pages(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  const std::uint64_t first = (offset + page - 1) / page * page;
  const std::uint64_t last = (offset + bytes) / page * page;
  if (last <= first) return;
  if (file_ < 0) {
    if (madvise(base_ + first, last - first, MADV_DONTNEED) != 0)
      std::memset(base_ + first, 0, last - first);
    return;
  }
  if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                static_cast<off_t>(last - first)) != 0)
    std::memset(base_ + first, 0, last - first);
}

}  // namespace lagoon::atoll::detail

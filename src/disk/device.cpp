// Transfers chunk by chunk.
#include "disk/device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "atoll/error.hpp"
#include "disk/file_fault.hpp"
#include "world/waiting.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// Several are under way at once; a device wants a few MiB a request.
constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
// Below this the page cache serves better: what is written is often read again soon.
constexpr std::size_t least_direct = std::size_t{16} << 20;

bool is_aligned(const FilePiece& piece) noexcept {
  return (static_cast<std::uint64_t>(piece.offset) | piece.bytes |
          reinterpret_cast<std::uintptr_t>(piece.memory)) %
             direct_alignment ==
         0;
}

bool goes_direct(const FilePiece& piece, Caching caching) noexcept {
  if (caching == Caching::cached || !is_aligned(piece)) return false;
  return caching == Caching::direct || piece.bytes >= least_direct;
}

}  // namespace

std::size_t Chunk::next_bytes() const noexcept { return std::min(left, most); }

int Chunk::descriptor() const { return direct ? file->direct_descriptor() : file->descriptor(); }

Transfer::Transfer(Direction direction, std::vector<FilePiece> pieces, BeyondEnd beyond_end)
    : direction_(direction), beyond_end_(beyond_end), pieces_(std::move(pieces)) {}

std::vector<Chunk> Transfer::make_chunks(const std::shared_ptr<Transfer>& self, Caching caching) {
  std::vector<Chunk> chunks;
  for (const FilePiece& piece : pieces_) {
    const bool direct = goes_direct(piece, caching);
    for (std::size_t at = 0; at < piece.bytes; at += chunk_bytes)
      chunks.push_back({self, piece.file.get(), direction_ == Direction::write, direct,
                        piece.offset + static_cast<std::int64_t>(at), piece.memory + at,
                        std::min(chunk_bytes, piece.bytes - at)});
  }
  return chunks;
}

void Transfer::fail(const OpenFile& file, std::int64_t offset, std::size_t bytes,
                    int error_number) {
  const std::scoped_lock lock(mutex_);
  if (error_number_ != 0) return;
  error_number_ = error_number;
  failure_ = file.describe(direction_ == Direction::write ? "write" : "read", offset, bytes);
}

void Transfer::chunk_done() noexcept {
  if (chunks_left_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  // Who has waited may close its files, and with them give back their space.
  pieces_.clear();
  done_.ring(1);
}

void Transfer::wait() {
  WorldState* const world = WorldState::running;
  if (world != nullptr && (world->progress != nullptr || !world->chores.empty()))
    world->wait_until([&] { return done(); });
  wait_while(waiting::device, done_, 0);
  check();
}

void Transfer::check() {
  const std::scoped_lock lock(mutex_);
  if (error_number_ != 0) throw Error::of_file(error_number_, failure_);
}

Device::Device(DeviceKind kind)
    : threads_(
          make_thread_backend([this](Chunk& chunk, ssize_t result) { finished(chunk, result); })) {
  std::string why_not = "as asked for";
  if (kind != DeviceKind::threads)
    uring_ = make_uring_backend([this](Chunk& chunk, ssize_t result) { finished(chunk, result); },
                                why_not);
  if (uring_ != nullptr) {
    description_ = "io_uring";
    return;
  }
  if (kind == DeviceKind::uring)
    throw Error(ErrorKind::unsupported, "ATOLL_DISK=uring, but there is no io_uring: " + why_not);
  description_ = "threads (" + why_not + ")";
}

Device& Device::get() {
  // Never destroyed: a world that is ended by the end of the program may still have to save.
  static Device& device =
      *new Device(WorldState::running != nullptr ? WorldState::running->config.disk
                                                 : Config::from_environment().disk);
  return device;
}

std::shared_ptr<Transfer> Device::begin(Direction direction, std::vector<FilePiece> pieces,
                                        BeyondEnd beyond_end, Caching caching) {
  auto transfer = std::make_shared<Transfer>(direction, std::move(pieces), beyond_end);
  transfer->chunks_ = transfer->make_chunks(transfer, caching);
  if (transfer->chunks_.empty()) {
    transfer->done_.ring(1);
    return transfer;
  }
  transfer->chunks_left_.store(transfer->chunks_.size(), std::memory_order_release);
  for (Chunk& chunk : transfer->chunks_) start(chunk);
  return transfer;
}

namespace {

/// Moves as much of a small piece as the system moves without waiting for a device, and takes it
/// off the piece. An errno, or 0.
int move_at_once(Direction direction, FilePiece& piece, BeyondEnd beyond_end) {
  const bool writes = direction == Direction::write;
  while (piece.bytes > 0) {
    const FileFault fault =
        fault_of(writes ? FileCall::write : FileCall::read, piece.offset, piece.bytes);
    const std::size_t most = std::min(piece.bytes, fault.most_bytes);
    const ssize_t moved = fault.error != 0 ? -fault.error
                          : writes ? piece.file->write_at_once(piece.offset, piece.memory, most)
                                   : piece.file->read_at_once(piece.offset, piece.memory, most);
    if (moved == -EINTR) continue;
    if (moved == -EAGAIN) return 0;
    if (moved < 0) return static_cast<int>(-moved);
    if (moved == 0) {
      if (writes || beyond_end == BeyondEnd::error) return EIO;
      std::memset(piece.memory, 0, piece.bytes);
      piece.bytes = 0;
      return 0;
    }
    const auto bytes = static_cast<std::size_t>(moved);
    if (writes) tell(FileCall::write, piece.file->path(), piece.offset, {piece.memory, bytes});
    piece.offset += moved;
    piece.memory += bytes;
    piece.bytes -= bytes;
  }
  return 0;
}

/// What is over at once leaves no wait in which other ranks are served.
void serve_now_and_then() {
  constexpr unsigned transfers_between = 64;
  thread_local unsigned transfers = 0;
  WorldState* const world = WorldState::running;
  if (++transfers % transfers_between == 0 && world != nullptr) (void)world->serve();
}

}  // namespace

std::shared_ptr<Transfer> Device::begin_piece(Direction direction, FilePiece piece,
                                              BeyondEnd beyond_end) {
  if (piece.bytes <= most_at_once) {
    const int error = move_at_once(direction, piece, beyond_end);
    if (error != 0) {
      auto failed = std::make_shared<Transfer>(direction, std::vector<FilePiece>{}, beyond_end);
      failed->fail(*piece.file, piece.offset, piece.bytes, error);
      failed->done_.ring(1);
      return failed;
    }
    if (piece.bytes == 0) {
      serve_now_and_then();
      return nullptr;
    }
  }
  std::vector<FilePiece> pieces;
  pieces.push_back(std::move(piece));
  return begin(direction, std::move(pieces), beyond_end);
}

void Device::start(Chunk& chunk) {
  const FileFault fault =
      fault_of(chunk.writes ? FileCall::write : FileCall::read, chunk.offset, chunk.left);
  if (fault.error != 0) {
    finished(chunk, -fault.error);
    return;
  }
  chunk.most = fault.most_bytes;
  if (chunk.most < chunk.left) chunk.direct = false;  // what a test cuts off is not aligned
  (chunk.by_threads || uring_ == nullptr ? *threads_ : *uring_).start(chunk);
}

void Device::finished(Chunk& chunk, ssize_t result) {
  const bool refused = result == -EINTR || result == -EAGAIN || result == -ECANCELED;
  if (refused && uring_ != nullptr && !chunk.by_threads) {
    // The kernel is short of memory, the ring is gone, or so is the thread that has begun it: the
    // plain calls need none of these.
    chunk.by_threads = true;
    return start(chunk);
  }
  if (result == -EINTR) return start(chunk);
  if (result == -EINVAL && chunk.direct) {
    // A file system, or a device of larger blocks, that does not take it this way.
    chunk.direct = false;
    return start(chunk);
  }
  if (result > 0) {
    if (chunk.writes)
      tell(FileCall::write, chunk.file->path(), chunk.offset,
           {chunk.memory, static_cast<std::size_t>(result)});
    chunk.offset += result;
    chunk.memory += result;
    chunk.left -= static_cast<std::size_t>(result);
    if (chunk.left > 0) {
      // What is left of a short direct transfer is no longer aligned.
      chunk.direct = false;
      return start(chunk);
    }
  } else if (result == 0 && !chunk.writes && chunk.transfer->beyond_end_ == BeyondEnd::zeros) {
    std::memset(chunk.memory, 0, chunk.left);
  } else {
    chunk.transfer->fail(*chunk.file, chunk.offset, chunk.left,
                         result == 0 ? EIO : static_cast<int>(-result));
  }
  // The transfer may go with its last chunk.
  const std::shared_ptr<Transfer> transfer = std::move(chunk.transfer);
  transfer->chunk_done();
}

}  // namespace lagoon::atoll::detail

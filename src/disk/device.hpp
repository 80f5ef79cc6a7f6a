// Device: what all of the disk layer goes through to move bytes to and from files without waiting
// (ChemIO's ELIO, paper 004 section 4.1). Transfers may finish in any order; those that touch the
// same bytes are the caller's to order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "disk/backend.hpp"
#include "disk/transfer.hpp"
#include "world/config.hpp"

namespace lagoon::atoll::detail {

class Device {
 public:
  /// Error(unsupported) if there is no io_uring and nothing else will do.
  explicit Device(DeviceKind kind);
  /// The process's own, by ATOLL_DISK; made at the first call.
  static Device& get();

  std::shared_ptr<Transfer> begin(Direction direction, std::vector<FilePiece> pieces,
                                  BeyondEnd beyond_end = BeyondEnd::zeros,
                                  Caching caching = Caching::automatic);
  /// The same of one piece. Null if that is done: small ones are moved at once where the system
  /// need not wait for a device (a hand-over costs more than the copy).
  std::shared_ptr<Transfer> begin_piece(Direction direction, FilePiece piece,
                                        BeyondEnd beyond_end = BeyondEnd::zeros);
  /// "io_uring", or "threads", and why.
  const std::string& describe() const noexcept { return description_; }

 private:
  void start(Chunk& chunk);
  void finished(Chunk& chunk, ssize_t result);

  std::string description_;
  const std::unique_ptr<Backend> threads_;  // for all, or for what io_uring does not take
  std::unique_ptr<Backend> uring_;          // null where there is none
};

}  // namespace lagoon::atoll::detail

// Transfer: bytes on their way between memory and one or several files, in chunks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "disk/backend.hpp"
#include "disk/open_file.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

enum class Direction : bool { read, write };

/// What a read finds beyond the end of a file.
enum class BeyondEnd : bool {
  zeros,  ///< somebody made the whole longer elsewhere: nothing was written here yet
  error,
};

/// Past the page cache or not. `automatic`: past it if the piece is large and aligned.
enum class Caching : std::uint8_t { automatic, cached, direct };

/// What direct transfers ask of offset, length and memory; every block device's blocks divide it.
inline constexpr std::size_t direct_alignment = 4096;

/// To copy this to or from the page cache takes no longer than to hand it to another thread and to
/// be woken.
inline constexpr std::size_t most_at_once = std::size_t{64} << 10;

/// A run of bytes of one file.
struct FilePiece {
  std::shared_ptr<OpenFile> file;
  std::int64_t offset;
  std::byte* memory;
  std::size_t bytes;
};

class Transfer {
 public:
  Transfer(Direction direction, std::vector<FilePiece> pieces, BeyondEnd beyond_end);

  /// Whether all is done; never waits.
  bool done() const noexcept { return done_.value() != 0; }
  /// Waits; a running world serves requests meanwhile. Error(file) of the first chunk that failed;
  /// the others were moved, or failed too.
  void wait();
  /// The same of one that is done.
  void check();

 private:
  friend class Device;
  std::vector<Chunk> make_chunks(const std::shared_ptr<Transfer>& self, Caching caching);
  /// The system refused these bytes.
  void fail(const OpenFile& file, std::int64_t offset, std::size_t bytes, int error_number);
  void chunk_done() noexcept;

  const Direction direction_;
  const BeyondEnd beyond_end_;
  std::vector<FilePiece> pieces_;  // until done
  std::vector<Chunk> chunks_;
  std::atomic<std::size_t> chunks_left_{0};
  Bell done_;
  std::mutex mutex_;
  int error_number_ = 0;
  std::string failure_;
};

}  // namespace lagoon::atoll::detail

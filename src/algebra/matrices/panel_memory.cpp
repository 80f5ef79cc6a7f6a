// What is spare of the memory of panels, in this process.
#include "algebra/matrices/panel_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

namespace lagoon::atoll::detail {

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

/// In large pages, where the system has them: the memory is touched once or twice a product.
std::size_t alignment_of(std::size_t bytes) noexcept {
  return bytes < large_page ? 64 : large_page;
}

class SpareMemory {
 public:
  ~SpareMemory() {
    for (const Piece& piece : pieces_) std::free(piece.memory);
  }

  /// Memory of so many bytes, a multiple of their alignment.
  std::byte* take(std::size_t bytes) {
    if (std::byte* const spare = find(bytes)) return spare;
    const std::size_t alignment = alignment_of(bytes);
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment, bytes));
    if (memory == nullptr) throw std::bad_alloc();
    if (alignment == large_page) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
  }

  void give(std::byte* memory, std::size_t bytes) noexcept {
    const std::scoped_lock lock(mutex_);
    if (total_ + bytes > most_spare_panel_memory || pieces_.size() == pieces_.capacity()) {
      std::free(memory);
      return;
    }
    pieces_.push_back({memory, bytes});
    total_ += bytes;
  }

 private:
  struct Piece {
    std::byte* memory;
    std::size_t bytes;
  };

  std::byte* find(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    pieces_.reserve(64);  // so that giving back needs no memory
    const auto found = std::find_if(pieces_.begin(), pieces_.end(),
                                    [&](const Piece& piece) { return piece.bytes == bytes; });
    if (found == pieces_.end()) {
      make_room(bytes);
      return nullptr;
    }
    std::byte* const memory = found->memory;
    total_ -= bytes;
    pieces_.erase(found);
    return memory;
  }
  /// For what is not kept yet: nobody may ask any more for the sizes that are.
  void make_room(std::size_t bytes) noexcept {
    if (bytes > most_spare_panel_memory) return;
    if (total_ + bytes <= most_spare_panel_memory && pieces_.size() < pieces_.capacity()) return;
    for (const Piece& piece : pieces_) std::free(piece.memory);
    pieces_.clear();
    total_ = 0;
  }

  std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::size_t total_ = 0;
};

SpareMemory& spare() {
  static SpareMemory memory;
  return memory;
}

}  // namespace

std::byte* Room::get(std::int64_t bytes) {
  const auto wanted = static_cast<std::size_t>(bytes);
  if (wanted > bytes_) {
    give_back();
    const std::size_t alignment = alignment_of(wanted);
    const std::size_t rounded = (wanted + alignment - 1) / alignment * alignment;
    memory_ = spare().take(rounded);
    bytes_ = rounded;
  }
  return memory_;
}

void Room::give_back() noexcept {
  if (memory_ != nullptr) spare().give(memory_, bytes_);
  memory_ = nullptr;
  bytes_ = 0;
}

}  // namespace lagoon::atoll::detail

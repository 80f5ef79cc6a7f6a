#include "compat/ma/segment.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

namespace lagoon::atoll::ma {

Segment::Segment(std::size_t heap_bytes, std::size_t stack_bytes)
    : bytes_(heap_bytes + stack_bytes),
      partition_(heap_bytes),
      memory_(nullptr),
      stack_low_(bytes_) {
  if (bytes_ < heap_bytes || bytes_ > std::numeric_limits<std::ptrdiff_t>::max())
    throw std::system_error(ENOMEM, std::generic_category());
  if (bytes_ == 0) return;
  // Programs ask for what their largest input would need: only what is used is to cost memory.
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category());
  memory_ = static_cast<std::byte*>(memory);
}

Segment::~Segment() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

std::optional<std::size_t> Segment::take_heap(std::size_t bytes) {
  if (const auto offset = fragments_.take(static_cast<std::int64_t>(bytes)))
    return static_cast<std::size_t>(*offset);
  if (gap() < bytes) return std::nullopt;
  return std::exchange(heap_high_, heap_high_ + bytes);
}

void Segment::give_heap(std::size_t offset, std::size_t bytes) {
  fragments_.give(static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes));
  heap_high_ = static_cast<std::size_t>(fragments_.trim(static_cast<std::int64_t>(heap_high_)));
}

std::optional<std::size_t> Segment::take_stack(std::size_t bytes) {
  if (gap() < bytes) return std::nullopt;
  stack_low_ -= bytes;
  return stack_low_;
}

std::size_t Segment::heap_side() const noexcept {
  return partition_ > heap_high_ ? partition_ - heap_high_ : 0;
}

std::size_t Segment::stack_side() const noexcept {
  return stack_low_ > partition_ ? stack_low_ - partition_ : 0;
}

}  // namespace lagoon::atoll::ma

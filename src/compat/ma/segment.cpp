// First fit, neighbours joined.
#include "compat/ma/segment.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>
#include <system_error>

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
  for (auto fragment = fragments_.begin(); fragment != fragments_.end(); ++fragment) {
    const auto [offset, size] = *fragment;
    if (size < bytes) continue;
    fragments_.erase(fragment);
    if (size > bytes) fragments_.emplace(offset + bytes, size - bytes);
    return offset;
  }
  if (gap() < bytes) return std::nullopt;
  const std::size_t offset = heap_high_;
  heap_high_ += bytes;
  return offset;
}

void Segment::give_heap(std::size_t offset, std::size_t bytes) {
  auto next = fragments_.lower_bound(offset);
  if (next != fragments_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      next = fragments_.erase(before);
    }
  }
  if (next != fragments_.end() && offset + bytes == next->first) {
    bytes += next->second;
    fragments_.erase(next);
  }
  if (offset + bytes == heap_high_)
    heap_high_ = offset;
  else
    fragments_.emplace(offset, bytes);
}

std::optional<std::size_t> Segment::take_stack(std::size_t bytes) {
  if (gap() < bytes) return std::nullopt;
  stack_low_ -= bytes;
  return stack_low_;
}

std::size_t Segment::largest_fragment() const noexcept {
  std::size_t largest = 0;
  for (const auto& fragment : fragments_) largest = std::max(largest, fragment.second);
  return largest;
}

std::size_t Segment::heap_side() const noexcept {
  return partition_ > heap_high_ ? partition_ - heap_high_ : 0;
}

std::size_t Segment::stack_side() const noexcept {
  return stack_low_ > partition_ ? stack_low_ - partition_ : 0;
}

}  // namespace lagoon::atoll::ma

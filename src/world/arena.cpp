// Arena: boundary-tag allocation in shared memory. All links are offsets, since ranks map the
// region at different addresses.
#include "world/arena.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t header = Arena::alignment;
constexpr std::uint64_t smallest_block = 2 * header;
constexpr std::uint64_t page_release = std::uint64_t{32} << 20;
// Freed memory that is kept for the next array rather than given back, in all.
constexpr std::uint64_t most_kept = std::uint64_t{1} << 30;
constexpr int bins = 64;

int bin_of(std::uint64_t bytes) noexcept { return static_cast<int>(std::bit_width(bytes)) - 1; }

}  // namespace

void SharedLock::wait() noexcept {
  // The holder may have lost its core, so after a moment give it ours.
  for (unsigned tries = 0; word_.exchange(1, std::memory_order_acquire) != 0;)
    while (word_.load(std::memory_order_relaxed) != 0)
      if (++tries > 64) sched_yield();
}

/// In front of every block, in use or free. `before` is the size of the block in front of it.
struct Arena::Block {
  std::uint64_t bytes;           // header included
  std::uint64_t before;          // 0: first block
  std::uint64_t next, previous;  // free list
  std::uint32_t in_use;
  std::uint32_t fresh;  // allocated from memory never used before
};

struct alignas(64) Arena::State {
  SharedLock lock;
  std::uint64_t first, end;
  std::uint64_t untouched;  // everything from here on was never handed out
  std::uint64_t free_bytes;
  std::uint64_t kept;  // freed bytes whose pages were not given back
  std::uint64_t lists[bins];
};

Arena::Arena(const SharedMemory& memory, std::uint64_t reserved)
    : memory_(memory), state_(*reinterpret_cast<State*>(memory.base() + reserved)) {}

Arena::Block& Arena::block(std::uint64_t offset) const noexcept {
  return *reinterpret_cast<Block*>(memory_.base() + offset);
}

void Arena::format() noexcept {
  const auto start =
      static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&state_) - memory_.base());
  new (&state_) State{};
  state_.first = (start + sizeof(State) + 4095) / 4096 * 4096;
  state_.end = memory_.bytes() / header * header;
  state_.untouched = state_.first + header;
  state_.free_bytes = state_.end - state_.first;
  block(state_.first) = Block{state_.free_bytes, 0, 0, 0, 0, 0};
  link(state_.first);
}

void Arena::link(std::uint64_t offset) noexcept {
  Block& b = block(offset);
  std::uint64_t& head = state_.lists[bin_of(b.bytes)];
  b.previous = 0;
  b.next = head;
  if (head != 0) block(head).previous = offset;
  head = offset;
}

void Arena::unlink(std::uint64_t offset) noexcept {
  const Block& b = block(offset);
  if (b.previous != 0)
    block(b.previous).next = b.next;
  else
    state_.lists[bin_of(b.bytes)] = b.next;
  if (b.next != 0) block(b.next).previous = b.previous;
}

std::uint64_t Arena::allocate(std::uint64_t bytes) noexcept {
  if (bytes > state_.end) return none;
  const std::uint64_t need = (bytes + header + alignment - 1) / alignment * alignment;
  const std::lock_guard guard(state_.lock);
  for (int bin = bin_of(need); bin < bins; ++bin) {
    std::uint64_t offset = state_.lists[bin];
    while (offset != 0 && block(offset).bytes < need) offset = block(offset).next;
    if (offset == 0) continue;
    unlink(offset);
    Block& b = block(offset);
    if (b.bytes - need >= smallest_block) {
      const std::uint64_t rest = offset + need;
      block(rest) = Block{b.bytes - need, need, 0, 0, 0, 0};
      if (rest + block(rest).bytes < state_.end)
        block(rest + block(rest).bytes).before = block(rest).bytes;
      b.bytes = need;
      link(rest);
    }
    b.in_use = 1;
    b.fresh = offset + header >= state_.untouched ? 1 : 0;
    // The header of the rest behind was written, so it counts as touched.
    state_.untouched = std::max(state_.untouched, offset + b.bytes + header);
    state_.free_bytes -= b.bytes;
    state_.kept -= std::min(state_.kept, b.bytes);
    return offset + header;
  }
  return none;
}

void Arena::free(std::uint64_t offset) noexcept {
  const std::lock_guard guard(state_.lock);
  offset -= header;
  Block* b = &block(offset);
  b->in_use = 0;
  state_.free_bytes += b->bytes;
  if (b->bytes >= page_release)
    memory_.release_pages(offset + sizeof(Block), b->bytes - sizeof(Block));
  else
    state_.kept += b->bytes;
  if (const std::uint64_t after = offset + b->bytes;
      after < state_.end && block(after).in_use == 0) {
    unlink(after);
    b->bytes += block(after).bytes;
  }
  if (b->before != 0 && block(offset - b->before).in_use == 0) {
    const std::uint64_t ahead = offset - b->before;
    unlink(ahead);
    block(ahead).bytes += b->bytes;
    offset = ahead;
    b = &block(offset);
  }
  if (offset + b->bytes < state_.end) block(offset + b->bytes).before = b->bytes;
  link(offset);
  if (state_.kept > most_kept) trim();
}

void Arena::trim() noexcept {
  for (const std::uint64_t head : state_.lists)
    for (std::uint64_t offset = head; offset != 0; offset = block(offset).next)
      memory_.release_pages(offset + sizeof(Block), block(offset).bytes - sizeof(Block));
  state_.kept = 0;
}

std::uint64_t Arena::free_bytes() const noexcept { return state_.free_bytes; }
std::uint64_t Arena::capacity() const noexcept { return state_.end - state_.first; }
bool Arena::last_was_fresh(std::uint64_t offset) const noexcept {
  return block(offset - header).fresh != 0;
}

}  // namespace lagoon::atoll::detail

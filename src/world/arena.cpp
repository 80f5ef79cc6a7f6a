// Arena: boundary-tag allocation in shared memory. All links are offsets, since ranks map the
// region at different addresses.
#include "world/arena.hpp"

#include <algorithm>
#include <compare>
#include <mutex>
#include <new>
#include <utility>

#include "world/page.hpp"
#include "world/waiting.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr std::uint64_t header = Arena::alignment;
constexpr std::uint64_t smallest_block = 2 * header;
constexpr std::uint64_t page_release = std::uint64_t{32} << 20;
// Smaller free blocks hold no whole page, or not much more.
constexpr std::uint64_t smallest_release = 16384;
// Freed memory that is kept for the next array rather than given back, in all.
constexpr std::uint64_t most_kept = std::uint64_t{1} << 30;

/// As good as random, and the same on all ranks.
std::uint64_t priority(std::uint64_t offset) noexcept {
  std::uint64_t z = offset * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 32)) * 0xbf58476d1ce4e5b9ULL;
  return z ^ (z >> 29);
}

}  // namespace

// The holder may have lost its core: then the waiters give it theirs, and sleep at last.
void SharedLock::wait() noexcept {
  wait_until(waiting::in_call, [&] {
    return word_.load(std::memory_order_relaxed) == 0 &&
           word_.exchange(1, std::memory_order_acquire) == 0;
  });
}

/// In front of every block, in use or free. `before` is the size of the block in front of it.
struct Arena::Block {
  std::uint64_t bytes;        // header included
  std::uint64_t before;       // 0: first block
  std::uint64_t left, right;  // of a free one: smaller and larger ones
  std::uint32_t in_use;
  std::uint32_t fresh;  // allocated from memory never used before
};

/// The order of free blocks.
struct Arena::Key {
  std::uint64_t bytes, offset;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct alignas(64) Arena::State {
  SharedLock lock;
  std::uint64_t first, end;
  std::uint64_t untouched;  // everything from here on was never handed out
  std::uint64_t free_bytes;
  std::uint64_t kept;  // freed bytes whose pages were not given back
  std::uint64_t away;  // blocks that will be free when their pages have been given back
  std::uint64_t root;
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
  state_.first = (start + sizeof(State) + page - 1) / page * page;
  state_.end = memory_.bytes() / header * header;
  state_.untouched = state_.first + header;
  block(state_.first) = Block{state_.end - state_.first, 0, 0, 0, 0, 0};
  link(state_.first);
}

Arena::Key Arena::key(std::uint64_t offset) const noexcept { return {block(offset).bytes, offset}; }

// The tree is a treap (Seidel and Aragon 1996): by key from left to right, by priority from top to
// bottom. So its depth is logarithmic whatever comes and goes, and no path back is needed.
void Arena::link(std::uint64_t offset) noexcept {
  Block& added = block(offset);
  const Key own = key(offset);
  std::uint64_t* place = &state_.root;
  while (*place != 0 && priority(*place) > priority(offset))
    place = key(*place) < own ? &block(*place).right : &block(*place).left;
  std::uint64_t below = std::exchange(*place, offset);
  // What was there is parted in two.
  std::uint64_t *smaller = &added.left, *larger = &added.right;
  while (below != 0) {
    std::uint64_t*& side = key(below) < own ? smaller : larger;
    *side = below;
    side = key(below) < own ? &block(below).right : &block(below).left;
    below = *side;
  }
  *smaller = *larger = 0;
  state_.free_bytes += added.bytes;
}

void Arena::unlink(std::uint64_t offset) noexcept {
  const Key own = key(offset);
  std::uint64_t* place = &state_.root;
  while (*place != offset) place = key(*place) < own ? &block(*place).right : &block(*place).left;
  std::uint64_t left = block(offset).left, right = block(offset).right;
  while (left != 0 && right != 0) {
    const bool up = priority(left) > priority(right);
    std::uint64_t& higher = up ? left : right;
    *place = higher;
    place = up ? &block(higher).right : &block(higher).left;
    higher = *place;
  }
  *place = left != 0 ? left : right;
  state_.free_bytes -= own.bytes;
}

std::uint64_t Arena::smallest_of(std::uint64_t bytes) const noexcept {
  std::uint64_t found = none;
  for (std::uint64_t next = state_.root; next != 0;) {
    const bool fits = block(next).bytes >= bytes;
    if (fits) found = next;
    next = fits ? block(next).left : block(next).right;
  }
  return found;
}

std::uint64_t Arena::largest_below(const Key& limit) const noexcept {
  std::uint64_t found = none;
  for (std::uint64_t next = state_.root; next != 0;) {
    const bool below = key(next) < limit;
    if (below) found = next;
    next = below ? block(next).right : block(next).left;
  }
  return found;
}

std::uint64_t Arena::allocate(std::uint64_t bytes) noexcept {
  if (bytes > state_.end) return none;
  const std::uint64_t need = (bytes + header + alignment - 1) / alignment * alignment;
  std::uint64_t offset = none;
  wait_until(waiting::in_call, [&] {
    const std::lock_guard guard(state_.lock);
    offset = take(need);
    return offset != none || state_.away == 0;
  });
  return offset;
}

std::uint64_t Arena::take(std::uint64_t need) noexcept {
  const std::uint64_t offset = smallest_of(need);
  if (offset == none) return none;
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
  state_.kept -= std::min(state_.kept, b.bytes);
  return offset + header;
}

void Arena::free(std::uint64_t offset) noexcept {
  offset -= header;
  const std::uint64_t bytes = block(offset).bytes;
  const bool large = bytes >= page_release;
  if (large) {
    {
      const std::lock_guard guard(state_.lock);
      ++state_.away;
    }
    release_pages(offset);
  }
  {
    const std::lock_guard guard(state_.lock);
    put_back(offset);
    if (large)
      --state_.away;
    else
      state_.kept += bytes;
    if (state_.kept <= most_kept) return;
    state_.kept = 0;
  }
  trim();
}

/// Becomes one with its free neighbours.
void Arena::put_back(std::uint64_t offset) noexcept {
  Block* b = &block(offset);
  b->in_use = 0;
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
}

/// Gives the pages of all free blocks back, from the largest on. Each is in use meanwhile.
void Arena::trim() noexcept {
  for (Key last{UINT64_MAX, 0};;) {
    {
      const std::lock_guard guard(state_.lock);
      const std::uint64_t next = largest_below(last);
      if (next == none || key(next).bytes < smallest_release) return;
      last = key(next);
      unlink(next);
      block(next).in_use = 1;
      ++state_.away;
    }
    release_pages(last.offset);
    const std::lock_guard guard(state_.lock);
    put_back(last.offset);
    --state_.away;
  }
}

void Arena::release_pages(std::uint64_t offset) const noexcept {
  memory_.release_pages(offset + sizeof(Block), block(offset).bytes - sizeof(Block));
}

std::uint64_t Arena::free_bytes() const noexcept { return state_.free_bytes; }
std::uint64_t Arena::capacity() const noexcept { return state_.end - state_.first; }
bool Arena::last_was_fresh(std::uint64_t offset) const noexcept {
  return block(offset - header).fresh != 0;
}

}  // namespace lagoon::atoll::detail

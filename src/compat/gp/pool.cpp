#include "compat/gp/pool.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "atoll/error.hpp"

namespace lagoon::atoll::gp {

namespace {

constexpr std::int64_t alignment = alignof(std::max_align_t);
constexpr std::int64_t most = std::int64_t{256} << 20;
constexpr std::int64_t least = std::int64_t{1} << 20;

/// What a node may hold in all may be less than its processes would like to set aside.
Memory set_aside(const Group& world) {
  for (std::int64_t bytes = most;; bytes /= 2) {
    try {
      return Memory(world, bytes, "GP_Malloc");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::memory || bytes == least) throw;
    }
  }
}

}  // namespace

// Nothing lies at offset 0: that stands for no object.
Pool::Pool(const Group& world)
    : memory_(set_aside(world)),
      base_(memory_.address(world.rank())),
      free_{{alignment, memory_.bytes(world.rank()) - alignment}} {}

std::int64_t Pool::distance(const void* address) const noexcept {
  // Of integers: the address may be of anything.
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) -
                                   reinterpret_cast<std::uintptr_t>(base_));
}

void* Pool::take(std::size_t size) {
  // What is too much anyway is not rounded up: that may overflow.
  const auto wanted =
      static_cast<std::int64_t>(std::clamp(size, std::size_t{1}, std::size_t{most}));
  const std::int64_t bytes = (wanted + alignment - 1) / alignment * alignment;
  const auto gap = std::ranges::find_if(free_, [=](const auto& g) { return g.second >= bytes; });
  if (gap == free_.end())
    throw Error(ErrorKind::memory, std::to_string(size) +
                                       " bytes are not left in one piece of the " +
                                       std::to_string(memory_.bytes(memory_.group().rank())) +
                                       " that each process has for objects");
  const auto [offset, length] = *gap;
  free_.erase(gap);
  if (length > bytes) free_[offset + bytes] = length - bytes;
  used_[offset] = bytes;
  return base_ + offset;
}

void Pool::give_back(void* address) {
  const auto part = used_.find(distance(address));
  if (part == used_.end())
    throw Error(ErrorKind::value, "ptr comes from no GP_Malloc, or was freed before");
  const auto [offset, bytes] = *part;
  used_.erase(part);
  join(offset, bytes);
}

/// A gap becomes one with those next to it.
void Pool::join(std::int64_t offset, std::int64_t bytes) {
  const auto behind = free_.find(offset + bytes);
  if (behind != free_.end()) {
    bytes += behind->second;
    free_.erase(behind);
  }
  const auto next = free_.lower_bound(offset);
  const auto before = next == free_.begin() ? free_.end() : std::prev(next);
  if (before != free_.end() && before->first + before->second == offset)
    before->second += bytes;
  else
    free_[offset] = bytes;
}

std::int64_t Pool::offset_of(const void* address, std::int64_t size) const {
  const std::int64_t offset = distance(address);
  const auto next = used_.upper_bound(offset);
  const auto part = next == used_.begin() ? used_.end() : std::prev(next);
  if (part == used_.end() || size > part->first + part->second - offset)
    throw Error(ErrorKind::value, "ptr and the " + std::to_string(size) +
                                      " bytes behind it do not lie in memory of GP_Malloc");
  return offset;
}

}  // namespace lagoon::atoll::gp

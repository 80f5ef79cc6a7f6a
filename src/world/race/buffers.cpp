#include "world/race/buffers.hpp"

#include <algorithm>
#include <cstring>

#include "world/collective.hpp"

namespace lagoon::atoll::detail::race {

bool Buffer::packed() const noexcept {
  auto run = static_cast<std::int64_t>(element_bytes);
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] != 1 && strides[d] != run) return false;
    run *= shape[d];
  }
  return true;
}

std::size_t Buffer::bytes() const noexcept {
  std::size_t bytes = element_bytes;
  for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

std::uint64_t Buffer::hash() const noexcept {
  std::uint64_t hash = 1;
  const auto add = [&](const std::byte* memory, std::size_t bytes) {
    for (; bytes >= 8; bytes -= 8, memory += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, memory, 8);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, memory, bytes);
    hash = mix(hash, word);
  };
  if (packed()) {
    add(data, bytes());
    return hash;
  }
  Index at = Index::filled(shape.size(), 0);
  do {
    const std::byte* memory = data;
    for (int d = 0; d < shape.size(); ++d) memory += at[d] * strides[d];
    add(memory, element_bytes);
  } while (next_position(at, shape));
  return hash;
}

std::optional<BufferUse> Buffers::against(const Buffer& buffer, Kind kind) const noexcept {
  if (pending_.empty() || buffer.data == nullptr || !buffer.packed()) return {};
  const std::size_t bytes = buffer.bytes();
  for (const Pending& other : pending_) {
    if (other.use.kind != Kind::get && kind != Kind::get) continue;  // both only read it
    if (other.buffer.data == nullptr || !other.buffer.packed()) continue;
    if (buffer.data < other.buffer.data + other.buffer.bytes() &&
        other.buffer.data < buffer.data + bytes)
      return other.use;
  }
  return {};
}

std::optional<Buffers::Pending> Buffers::take(const void* operation) {
  const auto found = std::ranges::find(pending_, operation, &Pending::operation);
  if (found == pending_.end()) return {};
  Pending pending = *found;
  pending_.erase(found);
  return pending;
}

}  // namespace lagoon::atoll::detail::race

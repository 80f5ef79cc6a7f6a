#include "world/node_board.hpp"

#include <algorithm>

#include "world/copy_bytes.hpp"
#include "world/fold.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// Longer data go through memory of the node.
constexpr std::size_t most_by_pages = 4 * NodeBoard::page_bytes;
// Of a member: its part, the sum's and those that it reads stay in the second cache.
constexpr std::size_t part_bytes = std::size_t{64} << 10;

}  // namespace

/// Memory of the node for one call, the same on all members; null on all where there is none.
class NodeBoard::Room {
 public:
  Room(NodeBoard& board, std::size_t parts) : board_(board) {
    Arena& arena = board.world_->arena();
    if (board.me_ == 0) offset_ = arena.allocate(parts * part_bytes);
    board.world_->observe_agent();  // it may have served what was here before
    board.broadcast_page(std::as_writable_bytes(std::span(&offset_, 1)), 0);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() {
    if (offset_ == Arena::none || board_.me_ != 0) return;
    board_.world_->observe_agent();  // it may serve what comes here next
    board_.world_->arena().free(offset_);
  }
  explicit operator bool() const noexcept { return offset_ != Arena::none; }
  std::byte* part(std::size_t i) const noexcept {
    return board_.world_->arena().at(offset_) + i * part_bytes;
  }

 private:
  NodeBoard& board_;
  std::uint64_t offset_ = Arena::none;
};

void NodeBoard::wait_for(int member, std::uint32_t turn) {
  Bell& turns = places_[member].turns;
  for (;;) {  // turns may wrap around
    const std::uint32_t seen = turns.value();
    if (static_cast<std::int32_t>(seen - turn) >= 0) return;
    turns.wait_while(*world_, seen);
  }
}

void NodeBoard::wait_for_all(std::uint32_t turn) {
  for (int member = 0; member < members_; ++member)
    if (member != me_) wait_for(member, turn);
}

// Whoever has begun the turn before has read what was there in the one before that.
void NodeBoard::write(std::byte* there, std::span<const std::byte> data) {
  wait_for_all(turn_ - 1);
  copy_bytes(there, data);
}

void NodeBoard::meet() {
  ++turn_;
  tell();
  wait_for_all(turn_);
}

void NodeBoard::reduce_page(std::span<std::byte> data, ElementType type, Reduction op) {
  ++turn_;
  write(page(me_), data);
  tell();
  const auto elements = static_cast<std::int64_t>(data.size() / size_of(type));
  for (int member = 0; member < members_; ++member) {
    if (member != me_) wait_for(member, turn_);
    if (member == 0)
      copy_bytes(data.data(), {page(0), data.size()});
    else
      fold(type, op, data.data(), page(member), elements);
  }
}

void NodeBoard::broadcast_part(std::byte* there, std::span<std::byte> data, int root) {
  if (me_ == root) {
    write(there, data);
    tell();
  } else {
    tell();
    wait_for(root, turn_);
    copy_bytes(data.data(), {there, data.size()});
  }
}

void NodeBoard::broadcast_page(std::span<std::byte> data, int root) {
  ++turn_;
  broadcast_part(page(root), data, root);
}

bool NodeBoard::reduce(std::span<std::byte> data, ElementType type, Reduction op) {
  const std::size_t element = size_of(type);
  if (data.size() <= most_by_pages) {
    for (; !data.empty(); data = data.subspan(std::min(data.size(), page_bytes)))
      reduce_page(data.first(std::min(data.size(), page_bytes)), type, op);
    return true;
  }
  const auto members = static_cast<std::size_t>(members_), me = static_cast<std::size_t>(me_);
  const Room room(*this, members + 1);
  if (!room) return false;
  std::byte* const sum = room.part(members);
  while (!data.empty()) {
    const std::span<std::byte> part = data.first(std::min(data.size(), part_bytes));
    copy_bytes(room.part(me), part);
    meet();
    // Everybody adds up a share, in whole cache lines.
    const std::size_t share = (part.size() / members + 63) / 64 * 64;
    const std::size_t begin = std::min(me * share, part.size());
    const std::size_t length = std::min(share, part.size() - begin);
    copy_bytes(sum + begin, {room.part(0) + begin, length});
    for (std::size_t member = 1; member < members; ++member)
      fold(type, op, sum + begin, room.part(member) + begin,
           static_cast<std::int64_t>(length / element));
    meet();
    copy_bytes(part.data(), {sum, part.size()});
    data = data.subspan(part.size());
  }
  meet();  // all have read
  return true;
}

bool NodeBoard::broadcast(std::span<std::byte> data, int root) {
  if (data.size() <= most_by_pages) {
    for (; !data.empty(); data = data.subspan(std::min(data.size(), page_bytes)))
      broadcast_page(data.first(std::min(data.size(), page_bytes)), root);
    return true;
  }
  const Room room(*this, 2);
  if (!room) return false;
  for (std::size_t i = 0; !data.empty(); ++i) {
    const std::span<std::byte> part = data.first(std::min(data.size(), part_bytes));
    ++turn_;
    broadcast_part(room.part(i % 2), part, root);
    data = data.subspan(part.size());
  }
  meet();
  return true;
}

}  // namespace lagoon::atoll::detail

#include "world/node_board.hpp"

#include <algorithm>

#include "world/copy_bytes.hpp"
#include "world/fold.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

namespace {

// Longer data go through memory of the node.
constexpr std::size_t most_by_pages = 4 * NodeBoard::page_bytes;
// What a member reads and writes of some parts stays in the second cache.
constexpr std::size_t largest_part = std::size_t{128} << 10;
constexpr std::size_t parts_ahead = 4;  // of a broadcast, at most
// Memory of the node for one call: the more members, the smaller the parts.
constexpr std::size_t most_room = std::size_t{16} << 20;

/// The bytes of a part, of which so many are in use at a time: in whole pages, no larger than the
/// data.
std::size_t part_of(std::size_t bytes, std::size_t parts) {
  constexpr std::size_t page = 4096;
  const std::size_t fits = std::max(page, most_room / parts / page * page);
  return std::min({largest_part, fits, (bytes + page - 1) / page * page});
}

}  // namespace

/// Memory of the node for one call, the same on all members; null on all where there is none.
class NodeBoard::Room {
 public:
  Room(NodeBoard& board, std::size_t parts, std::size_t part_bytes)
      : board_(board), part_bytes_(part_bytes) {
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
    return board_.world_->arena().at(offset_) + i * part_bytes_;
  }

 private:
  NodeBoard& board_;
  std::size_t part_bytes_;
  std::uint64_t offset_ = Arena::none;
};

void NodeBoard::wait_for(int member, std::uint32_t turn) {
  Bell& turns = places_[member].turns;
  for (;;) {  // turns may wrap around
    const std::uint32_t seen = turns.value();
    if (static_cast<std::int32_t>(seen - turn) >= 0) return;
    world_->wait_while(turns, seen);
  }
}

void NodeBoard::wait_for_all(std::uint32_t turn) {
  for (int member = 0; member < members_; ++member)
    if (member != me_) wait_for(member, turn);
}

// Whoever has begun a turn has read what was there in the one before.
void NodeBoard::write(std::byte* there, std::span<const std::byte> data, std::uint32_t places) {
  wait_for_all(turn_ + 1 - places);
  copy_bytes(there, data);
}

void NodeBoard::meet() {
  ++turn_;
  tell();
  wait_for_all(turn_);
}

void NodeBoard::reduce_page(std::span<std::byte> data, ElementType type, Reduction op) {
  ++turn_;
  write(page(me_), data, 2);
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

void NodeBoard::broadcast_part(std::byte* there, std::span<std::byte> data, int root,
                               std::uint32_t places) {
  if (me_ == root) {
    write(there, data, places);
    tell();
  } else {
    tell();
    wait_for(root, turn_);
    copy_bytes(data.data(), {there, data.size()});
  }
}

void NodeBoard::broadcast_page(std::span<std::byte> data, int root) {
  ++turn_;
  broadcast_part(page(root), data, root, 2);
}

bool NodeBoard::reduce(std::span<std::byte> data, ElementType type, Reduction op) {
  const std::size_t element = size_of(type);
  if (data.size() <= most_by_pages) {
    for (; !data.empty(); data = data.subspan(std::min(data.size(), page_bytes)))
      reduce_page(data.first(std::min(data.size(), page_bytes)), type, op);
    return true;
  }
  // A part is given while the one before is added up, so two of each member's and of the sum's.
  const auto members = static_cast<std::size_t>(members_), me = static_cast<std::size_t>(me_);
  const std::size_t part_bytes = part_of(data.size(), 2 * (members + 1));
  const Room room(*this, (data.size() > part_bytes ? 2 : 1) * (members + 1), part_bytes);
  if (!room) return false;
  const std::size_t parts = (data.size() + part_bytes - 1) / part_bytes;
  const auto mine = [&](std::size_t i) {
    return data.subspan(i * part_bytes, std::min(part_bytes, data.size() - i * part_bytes));
  };
  const auto given = [&](std::size_t i, std::size_t member) {
    return room.part(i % 2 * (members + 1) + member);
  };
  copy_bytes(given(0, me), mine(0));
  meet();
  for (std::size_t i = 0; i < parts; ++i) {
    // Everybody adds up a share, in whole cache lines.
    const std::size_t share = (mine(i).size() / members + 63) / 64 * 64;
    const std::size_t begin = std::min(me * share, mine(i).size());
    const std::size_t length = std::min(share, mine(i).size() - begin);
    std::byte* const sum = given(i, members);
    copy_bytes(sum + begin, {given(i, 0) + begin, length});
    for (std::size_t member = 1; member < members; ++member)
      fold(type, op, sum + begin, given(i, member) + begin,
           static_cast<std::int64_t>(length / element));
    if (i + 1 < parts) copy_bytes(given(i + 1, me), mine(i + 1));
    meet();
    copy_bytes(mine(i).data(), {sum, mine(i).size()});
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
  const std::size_t part_bytes = part_of(data.size(), parts_ahead);
  const Room room(*this, std::min(parts_ahead, (data.size() - 1) / part_bytes + 1), part_bytes);
  if (!room) return false;
  for (std::size_t i = 0; !data.empty(); ++i) {
    const std::span<std::byte> part = data.first(std::min(data.size(), part_bytes));
    ++turn_;
    broadcast_part(room.part(i % parts_ahead), part, root, parts_ahead);
    data = data.subspan(part.size());
  }
  meet();
  return true;
}

}  // namespace lagoon::atoll::detail

// NodeGroup: making it, and the exchange between the first members of the nodes.
#include "world/node_group.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "mpi/face.hpp"
#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int exchange_tag = 0;  // and as many above it as an exchange has rounds
constexpr int first_receipt_tag = 32;
constexpr int first_job_tag = 64;
constexpr std::size_t buffers_kept = 8;  // few: every rank of a node has its own
using Length = std::uint64_t;

/// In an exchange everybody passes on what it has to so many less one in a round: up to eight nodes
/// tell each other at once.
constexpr int radix = 8;

/// Bytes of a piece of an exchange.
constexpr std::size_t room_for(std::size_t length) noexcept {
  return sizeof(Length) + (length + sizeof(Length) - 1) / sizeof(Length) * sizeof(Length);
}
/// What the pieces that arrive begin apart at least: whole pages, see `FreeBuffer`.
constexpr std::size_t pages_for(std::size_t most) noexcept {
  return (room_for(most) / page + 1) * page;
}

/// As MPI counts them; Error(value) when those are too many.
int words_in(std::size_t bytes) {
  const std::size_t words = bytes / sizeof(Length);
  if (words > std::numeric_limits<int>::max())
    throw Error(ErrorKind::value,
                "nodes have " + std::to_string(bytes) +
                    " bytes to tell each other at once; MPI counts to 2^31 words");
  return static_cast<int>(words);
}

std::vector<std::vector<int>> members_of(const Group& whole) {
  std::vector<std::vector<int>> members(static_cast<std::size_t>(whole.nodes()));
  for (int rank = 0; rank < whole.size(); ++rank)
    members[static_cast<std::size_t>(whole.node_of(rank))].push_back(rank);
  return members;
}

}  // namespace

const std::shared_ptr<NodeGroup>& NodeGroup::of(const Group& whole) {
  GroupState& state = *whole.state();
  if (state.node_group == nullptr) state.node_group = std::make_shared<NodeGroup>(whole);
  return state.node_group;
}

NodeGroup::NodeGroup(const Group& whole) : NodeMembers(members_of(whole), whole.node()) {
  std::iota(next_with_tags_.begin(), next_with_tags_.end(), std::uint64_t{0});
  node_ = whole.split(my_node(), whole.rank());
  if (nodes() == 1) return;
  leave_collective(whole);
  check_mpi(mpi::comm_dup(whole.mpi_communicator(), &peers_), "MPI_Comm_dup");
  whole.state()->adopt(peers_);
  int largest = 0;
  mpi::comm_largest_tag(peers_, &largest);
  const int most_tags = std::min(largest, 1 << 24) - first_job_tag;
  window_ = static_cast<std::uint64_t>(most_tags) / (2 * jobs_at_once);
}

int NodeGroup::tag(std::uint64_t job, std::uint64_t number, int phase) const noexcept {
  const std::uint64_t place = (job % jobs_at_once * window_ + number % window_) * 2;
  return first_job_tag + static_cast<int>(place) + phase;
}

int NodeGroup::tag_of_receipt(std::uint64_t job) const noexcept {
  return first_receipt_tag + static_cast<int>(job % jobs_at_once);
}

// A piece on its way: its length, what its node says, and what is missing to the next multiple of
// the length's size.
std::byte* NodeGroup::room_for_pieces(std::size_t most) {
  const std::size_t bytes = pages_for(most) * static_cast<std::size_t>(nodes());
  if (pieces_bytes_ < bytes) {
    pieces_ = new_buffer(bytes);
    pieces_bytes_ = bytes;
  }
  return pieces_.get() + sizeof(Length);
}

NodeGroup::Buffer NodeGroup::new_buffer(std::size_t bytes) {
  return Buffer(new (std::align_val_t{page}) std::byte[bytes]);
}

NodeGroup::Buffer NodeGroup::take_buffer(std::size_t bytes) {
  if (buffers_.empty()) return new_buffer(bytes);
  Buffer buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void NodeGroup::give_back(Buffer&& buffer) {
  if (buffer != nullptr && buffers_.size() < buffers_kept) buffers_.push_back(std::move(buffer));
  buffer.reset();
}

// When nothing else of mine is under way, a message is out when its send is complete, whatever this
// rank does then. Else only a synchronous one is.
decltype(&mpi::isend) NodeGroup::start_of_send() const {
  return node_.state()->world().chores.empty() ? mpi::isend : mpi::issend;
}

// Bruck's algorithm, with a radix: everybody has its own piece first, and then the next nodes'.
std::vector<std::span<std::byte>> NodeGroup::exchange_pieces(std::size_t most, std::size_t mine) {
  const int n = nodes();
  std::byte* const all = pieces_.get();
  std::memcpy(all, &mine, sizeof mine);
  std::vector<std::byte*> begins = {all};
  std::byte* end = all + room_for(mine);
  for (int have = 1, round = 0; have < n; have *= radix, ++round) {
    const auto for_each_step = [&](auto&& f) {
      for (int step = have; step < std::min(n, radix * have); step += have)
        f(step, static_cast<std::size_t>(std::min(have, n - step)),
          all + static_cast<std::size_t>(step) * pages_for(most));
    };
    std::vector<mpi::Request> requests;
    for_each_step([&](int step, std::size_t count, std::byte* arrives) {
      check_mpi(mpi::irecv(arrives, words_in(room_for(most) * count), mpi::type_uint64,
                           members((my_node() + step) % n).front(), exchange_tag + round, peers_,
                           &requests.emplace_back(mpi::request_null)),
                "MPI_Irecv");
      const std::byte* const last = count < begins.size() ? begins[count] : end;
      check_mpi(
          start_of_send()(all, words_in(static_cast<std::size_t>(last - all)), mpi::type_uint64,
                          members((my_node() + n - step) % n).front(), exchange_tag + round, peers_,
                          &requests.emplace_back(mpi::request_null)),
          "MPI_Isend");
    });
    for (mpi::Request& request : requests) node_.state()->world().wait(request);
    for_each_step([&](int, std::size_t count, std::byte* piece) {
      for (std::size_t i = 0; i < count; ++i) {
        Length length = 0;
        std::memcpy(&length, piece, sizeof length);
        const bool goes_on = radix * have < n;
        begins.push_back(goes_on ? end : piece);
        if (goes_on)
          std::memmove(std::exchange(end, end + room_for(length)), piece, room_for(length));
        piece += room_for(length);
      }
    });
  }
  std::vector<std::span<std::byte>> pieces(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    std::byte* const begin = begins[static_cast<std::size_t>(i)];
    Length length = 0;
    std::memcpy(&length, begin, sizeof length);
    pieces[static_cast<std::size_t>((my_node() + i) % n)] = {begin + sizeof length, length};
  }
  return pieces;
}

}  // namespace lagoon::atoll::detail

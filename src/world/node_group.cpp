// NodeGroup: making it, and the exchange between the first members of the nodes.
#include "world/node_group.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "world/collective.hpp"
#include "world/group_state.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int exchange_tag = 0;  // and as many above it as an exchange has rounds, 32 at most
constexpr int first_receipt_tag = 32;
constexpr int first_job_tag = 64;
// One message of an exchange; longer ones go in parts.
constexpr std::size_t largest_part = std::size_t{1} << 26;

}  // namespace

const std::shared_ptr<NodeGroup>& NodeGroup::of(const Group& whole) {
  GroupState& state = *whole.state();
  if (state.node_group == nullptr) state.node_group = std::make_shared<NodeGroup>(whole);
  return state.node_group;
}

NodeGroup::NodeGroup(const Group& whole) : my_node_(whole.node()) {
  std::iota(next_with_tags_.begin(), next_with_tags_.end(), std::uint64_t{0});
  members_.resize(static_cast<std::size_t>(whole.nodes()));
  for (int rank = 0; rank < whole.size(); ++rank)
    members_[static_cast<std::size_t>(whole.node_of(rank))].push_back(rank);
  std::size_t most = 1;
  for (const auto& members : members_) most = std::max(most, members.size());
  lanes_ = static_cast<int>(most);
  node_ = whole.split(my_node_, whole.rank());
  if (nodes() == 1) return;
  leave_collective(whole);
  check_mpi(MPI_Comm_dup(whole.communicator(), &peers_), "MPI_Comm_dup");
  const int* largest = nullptr;
  int found = 0;
  MPI_Comm_get_attr(peers_, MPI_TAG_UB, static_cast<void*>(&largest), &found);
  constexpr int promised = 32767;  // by the MPI standard
  const int most_tags = (found != 0 ? std::min(*largest, 1 << 24) : promised) - first_job_tag;
  window_ = static_cast<std::uint64_t>(most_tags) / (2 * jobs_at_once);
}

NodeGroup::~NodeGroup() {
  if (peers_ != MPI_COMM_NULL && node_.state()->started_in() != nullptr) MPI_Comm_free(&peers_);
}

int NodeGroup::tag(std::uint64_t job, std::uint64_t number, int phase) const noexcept {
  const std::uint64_t place = (job % jobs_at_once * window_ + number % window_) * 2;
  return first_job_tag + static_cast<int>(place) + phase;
}

int NodeGroup::tag_of_receipt(std::uint64_t job) const noexcept {
  return first_receipt_tag + static_cast<int>(job % jobs_at_once);
}

// Bruck's algorithm: in round k everybody passes on what it has of 2^k nodes, its own first.
// Synchronous sends, since a first member may compute or sleep afterwards without calling MPI, and
// some MPIs push out a message that they accepted only when called again.
void NodeGroup::exchange(std::span<const std::byte> mine, std::byte* all) const {
  WorldState& world = node_.state()->world();
  const std::size_t length = mine.size();
  const int n = nodes();
  std::vector<std::byte> gathered(length * static_cast<std::size_t>(n));
  std::copy(mine.begin(), mine.end(), gathered.begin());
  int round = 0;
  for (int have = 1; have < n; have *= 2, ++round) {
    const int count = std::min(have, n - have);
    const int to = members((my_node_ - have % n + n) % n).front();
    const int from = members((my_node_ + have) % n).front();
    const std::size_t bytes = length * static_cast<std::size_t>(count);
    std::byte* into = gathered.data() + length * static_cast<std::size_t>(have);
    for (std::size_t done = 0; done < bytes; done += largest_part) {
      const int part = static_cast<int>(std::min(largest_part, bytes - done));
      MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
      check_mpi(
          MPI_Irecv(into + done, part, MPI_BYTE, from, exchange_tag + round, peers_, &receive),
          "MPI_Irecv");
      check_mpi(MPI_Issend(gathered.data() + done, part, MPI_BYTE, to, exchange_tag + round, peers_,
                           &send),
                "MPI_Issend");
      world.wait(receive);
      world.wait(send);
    }
  }
  for (int k = 0; k < n; ++k) {
    const auto from = static_cast<std::size_t>((k - my_node_ + n) % n);
    std::memcpy(all + static_cast<std::size_t>(k) * length, gathered.data() + from * length,
                length);
  }
}

}  // namespace lagoon::atoll::detail

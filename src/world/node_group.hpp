// NodeGroup: a group seen as nodes. What mirrored arrays need of it: the members on my node as a
// group of their own, the members of every node, and a communicator for messages between peers.
//
// A lane is one member of every node, the i-th or, where a node has fewer, i modulo their number:
// the ranks of a lane exchange with each other, so that all lanes work side by side.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoll/group.hpp"

namespace lagoon::atoll::detail {

class NodeGroup {
 public:
  /// Collective over `whole` at the first call, which makes it; kept with the group.
  static const std::shared_ptr<NodeGroup>& of(const Group& whole);

  explicit NodeGroup(const Group& whole);
  NodeGroup(const NodeGroup&) = delete;
  NodeGroup& operator=(const NodeGroup&) = delete;

  /// The members on my node.
  const Group& node() const noexcept { return node_; }
  int nodes() const noexcept { return static_cast<int>(members_.size()); }
  int my_node() const noexcept { return my_node_; }
  /// Whole-group ranks on a node, ascending.
  const std::vector<int>& members(int node) const noexcept {
    return members_[static_cast<std::size_t>(node)];
  }
  /// As many as the largest node has members.
  int lanes() const noexcept { return lanes_; }
  int rank_in_lane(int node, int lane) const noexcept {
    const std::vector<int>& all = members(node);
    return all[static_cast<std::size_t>(lane) % all.size()];
  }
  /// Of the whole group's ranks, for messages between peers only.
  MPI_Comm peers() const noexcept { return peers_; }

  /// Called by the first member of every node alike, with the same `most`: what each node says, in
  /// node order, no more than `most` bytes. Logarithmic in the nodes. The words are aligned like
  /// integers of 64 bits, and stay until the next exchange. `write(to)` says mine, and gives its
  /// length.
  template <class Write>
  std::vector<std::span<std::byte>> exchange(std::size_t most, Write&& write) {
    return exchange_pieces(most, write(room_for_pieces(most)));
  }

  /// Memory for as many bytes, until the next exchange.
  std::byte* memory(std::size_t bytes);
  /// Messages of an exchange between the first members of two nodes, `round` counted from 0: those
  /// of a round arrive in the order in which they are sent.
  void post_receive(int node, int round, std::span<std::byte> room);
  void post_send(int node, int round, std::span<const std::byte> data);
  void wait_received();
  void wait_sent();

  /// Numbers for jobs between peers, which all ranks take in one order: see `tag`.
  std::uint64_t take_job() noexcept { return next_job_++; }
  /// Whether this rank's earlier job with the same tags is over. It must be before a job sends or
  /// receives anything.
  bool may_begin(std::uint64_t job) const noexcept {
    return next_with_tags_[job % jobs_at_once] == job;
  }
  /// All that this rank has sent for the job has arrived, and all that it expects.
  void finish(std::uint64_t job) noexcept {
    next_with_tags_[job % jobs_at_once] = job + jobs_at_once;
  }
  /// The tag of message `number` of a job; `phase` is 0 or 1. Different for all messages between
  /// two ranks that are under way at once: jobs_at_once jobs, each with numbers less than `window`
  /// apart.
  int tag(std::uint64_t job, std::uint64_t number, int phase) const noexcept;
  /// The tag of the messages that say that all of a job has arrived, one between two ranks.
  int tag_of_receipt(std::uint64_t job) const noexcept;
  std::uint64_t window() const noexcept { return window_; }
  static constexpr std::uint64_t jobs_at_once = 8;

 private:
  std::byte* room_for_pieces(std::size_t most);
  std::vector<std::span<std::byte>> exchange_pieces(std::size_t most, std::size_t mine);
  decltype(&MPI_Isend) start_of_send() const;
  void wait_all(std::vector<MPI_Request>& requests);

  Group node_;
  std::vector<std::vector<int>> members_;
  int my_node_ = 0;
  int lanes_ = 1;
  MPI_Comm peers_ = MPI_COMM_NULL;
  std::uint64_t window_ = 0;
  std::unique_ptr<std::byte[]> pieces_;
  std::size_t pieces_bytes_ = 0;
  std::vector<MPI_Request> receives_, sends_;
  std::uint64_t next_job_ = 0;
  std::array<std::uint64_t, jobs_at_once> next_with_tags_{};
};

}  // namespace lagoon::atoll::detail

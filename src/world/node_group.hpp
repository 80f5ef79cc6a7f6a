// NodeGroup: a group seen as nodes. What mirrored arrays need of it: the members on my node as a
// group of their own, the members of every node, and a communicator for messages between peers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "atoll/group.hpp"
#include "mpi/face.hpp"
#include "world/node_members.hpp"
#include "world/page.hpp"

namespace lagoon::atoll::detail {

class NodeGroup : public NodeMembers {
 public:
  /// Collective over `whole` at the first call, which makes it; kept with the group.
  static const std::shared_ptr<NodeGroup>& of(const Group& whole);

  explicit NodeGroup(const Group& whole);
  NodeGroup(const NodeGroup&) = delete;
  NodeGroup& operator=(const NodeGroup&) = delete;

  /// The members on my node.
  const Group& node() const noexcept { return node_; }
  /// Of the whole group's ranks, for messages between peers only.
  mpi::Comm peers() const noexcept { return peers_; }

  /// Called by the first member of every node alike, with the same `most`: what each node says, in
  /// node order, no more than `most` bytes. Logarithmic in the nodes. The words are aligned like
  /// integers of 64 bits, and stay until the next exchange. `write(to)` says mine, and gives its
  /// length.
  template <class Write>
  std::vector<std::span<std::byte>> exchange(std::size_t most, Write&& write) {
    return exchange_pieces(most, write(room_for_pieces(most)));
  }

  /// Memory for parts of jobs, kept from one to the next: as many bytes, always the same. It begins
  /// on a page, as blocks of arrays do: what is copied between them is copied fast
  /// (copy_bytes.hpp), by the kernel as well.
  struct FreeBuffer {
    void operator()(std::byte* memory) const noexcept {
      ::operator delete[](memory, std::align_val_t{page});
    }
  };
  using Buffer = std::unique_ptr<std::byte[], FreeBuffer>;
  Buffer take_buffer(std::size_t bytes);
  void give_back(Buffer&& buffer);

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
  static Buffer new_buffer(std::size_t bytes);
  std::byte* room_for_pieces(std::size_t most);
  std::vector<std::span<std::byte>> exchange_pieces(std::size_t most, std::size_t mine);
  decltype(&mpi::isend) start_of_send() const;

  Group node_;
  mpi::Comm peers_ = mpi::comm_null;
  std::uint64_t window_ = 0;
  Buffer pieces_;
  std::size_t pieces_bytes_ = 0;
  std::vector<Buffer> buffers_;
  std::uint64_t next_job_ = 0;
  std::array<std::uint64_t, jobs_at_once> next_with_tags_{};
};

}  // namespace lagoon::atoll::detail

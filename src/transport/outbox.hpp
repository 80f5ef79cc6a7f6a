// Outbox: small messages on their way, each in a buffer of its own until MPI has sent it. One that
// stays, because its receiver computes, holds up no other. A few buffers are there from the start:
// where there is no memory for more, messages wait until one of these is free.
//
// What a call looks at does not grow with the messages under way: it asks after a few of them in
// turn, and those that are sent are free for the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "mpi/face.hpp"
#include "transport/allowance.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

class Outbox {
 public:
  /// Buffers of `bytes`, as many at once as `most` allows.
  Outbox(mpi::Comm communicator, std::size_t bytes, Allowance most)
      : communicator_(communicator), bytes_(bytes), most_(most) {
    make_place(4 * kept);
    for (std::size_t n = 0; n < kept; ++n) free_.push_back(new_buffer());
  }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Whether there is a free buffer.
  bool room() {
    if (next_ != nullptr) return true;
    look(free_.empty() ? 32 : 2);
    // Those that are sent soon come again before there are more: a few stay in the cache.
    if (!most_.allows() || (free_.empty() && !add())) return false;
    next_ = std::move(free_.back());
    free_.pop_back();
    return true;
  }
  /// The buffer that the last `room` found.
  std::byte* data() noexcept { return next_.get(); }
  /// Sends what is in it.
  void send(std::size_t bytes, int rank, int tag) {
    sent_.push_back({mpi::request_null, std::move(next_)});  // there is place
    Message& message = sent_.back();
    most_.take();
    check_mpi(mpi::isend(message.bytes.get(), static_cast<int>(bytes), mpi::type_byte, rank, tag,
                         communicator_, &message.request),
              "MPI_Isend");
  }
  /// Whether all have been sent.
  bool empty() {
    while (!sent_.empty() && look(1)) {
    }
    return sent_.empty();
  }
  /// There are, in use or not.
  std::size_t buffers() const noexcept {
    return sent_.size() + free_.size() + (next_ != nullptr ? 1 : 0);
  }

 private:
  struct Message {
    mpi::Request request;
    std::unique_ptr<std::byte[]> bytes;
  };
  static constexpr std::size_t kept = 4;

  std::unique_ptr<std::byte[]> new_buffer() const {
    return std::make_unique_for_overwrite<std::byte[]>(bytes_);
  }
  bool add() noexcept {
    try {
      if (buffers() >= free_.capacity()) make_place(2 * buffers());
      free_.push_back(new_buffer());
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  /// In both lists, so that a buffer can go from one to the other.
  void make_place(std::size_t count) {
    sent_.reserve(count);
    free_.reserve(count);
  }
  /// Asks MPI after so many messages. True when the last of them has been sent.
  bool look(std::size_t count) {
    bool sent = false;
    for (count = std::min(count, sent_.size()); count > 0; --count) {
      if (looked_ >= sent_.size()) looked_ = 0;
      Message& message = sent_[looked_];
      int done = 0;
      check_mpi(mpi::test(&message.request, &done, mpi::status_ignore), "MPI_Test");
      sent = done != 0;
      if (!sent) {
        ++looked_;
        continue;
      }
      free_.push_back(std::move(message.bytes));
      if (&message != &sent_.back()) message = std::move(sent_.back());
      sent_.pop_back();
      most_.give_back();
    }
    // What a crowd took goes when it has gone.
    if (sent_.empty() && free_.size() > 4 * kept) free_.resize(kept);
    return sent;
  }

  mpi::Comm communicator_;
  std::size_t bytes_;
  Allowance most_;
  std::vector<Message> sent_;  // that MPI may not have sent
  std::vector<std::unique_ptr<std::byte[]>> free_;
  std::unique_ptr<std::byte[]> next_;
  std::size_t looked_ = 0;  // where in `sent_`
};

}  // namespace lagoon::atoll::detail

// Outbox: small messages on their way, each in a buffer of its own until MPI has sent it. One that
// stays, because its receiver computes, holds up no other. A few buffers are there from the start:
// where there is no memory for more, messages wait until one of these is free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "mpi/face.hpp"
#include "world/spare.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::detail {

class Outbox {
 public:
  /// Buffers of `bytes`, `most` at once.
  Outbox(mpi::Comm communicator, std::size_t bytes, std::size_t most)
      : communicator_(communicator), bytes_(bytes), most_(most) {
    constexpr std::size_t first = 4;
    messages_.reserve(4 * first);
    for (std::size_t n = 0; n < first; ++n) add(new std::byte[bytes]);
  }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Whether there is a free buffer.
  bool room() {
    for (std::size_t n = 0; n < messages_.size(); ++n, next_ = (next_ + 1) % messages_.size())
      if (sent(messages_[next_])) return true;
    if (messages_.size() >= most_ || !has_place_for_one(messages_)) return false;
    auto* const buffer = new (std::nothrow) std::byte[bytes_];
    if (buffer == nullptr) return false;
    // Those that are sent soon come again before there are more: a few stay in the cache.
    next_ = messages_.size();
    add(buffer);
    return true;
  }
  /// The buffer that the last `room` found.
  std::byte* data() noexcept { return messages_[next_].bytes.get(); }
  /// Sends what is in it.
  void send(std::size_t bytes, int rank, int tag) {
    Message& message = messages_[next_];
    check_mpi(mpi::isend(message.bytes.get(), static_cast<int>(bytes), mpi::type_byte, rank, tag,
                         communicator_, &message.request),
              "MPI_Isend");
    next_ = (next_ + 1) % messages_.size();
  }
  /// Whether all have been sent.
  bool empty() {
    return std::all_of(messages_.begin(), messages_.end(), [](Message& m) { return sent(m); });
  }

 private:
  struct Message {
    mpi::Request request;
    std::unique_ptr<std::byte[]> bytes;
  };
  /// REQUIRES: place for it.
  void add(std::byte* buffer) {
    messages_.push_back({mpi::request_null, std::unique_ptr<std::byte[]>(buffer)});
  }
  static bool sent(Message& message) {
    if (message.request == mpi::request_null) return true;
    int done = 0;
    check_mpi(mpi::test(&message.request, &done, mpi::status_ignore), "MPI_Test");
    return done != 0;
  }

  mpi::Comm communicator_;
  std::size_t bytes_, most_;
  std::vector<Message> messages_;
  std::size_t next_ = 0;
};

}  // namespace lagoon::atoll::detail

// Messages between two ranks, on a communicator of TCGMSG's own, where a message's type is its tag.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "atoll/world.hpp"
#include "mpi/handles.hpp"

namespace lagoon::atoll::tcgmsg {

/// A node where any will do.
inline constexpr long any_node = -1;

/// Of the transfers that are complete.
struct Traffic {
  long sent = 0, bytes_sent = 0, received = 0, bytes_received = 0;
};

/// What came; of a transfer that goes on, what is known.
struct Arrival {
  long bytes = -1, node = any_node;
};

/// Bad arguments throw Error(value); a message longer than the buffer Error(communication).
class Messages {
 public:
  /// Collective over `world`.
  explicit Messages(const World& world);
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  /// Gives up what was never completed.
  ~Messages();

  /// One to myself is copied, so that also a blocking one needs no receive beforehand.
  void send(long type, const void* data, long bytes, long node, bool blocking);
  Arrival receive(long type, void* data, long room, long node, bool blocking);
  /// Whether such a message has come that nobody receives yet.
  bool probe(long type, long node) const;
  /// Completes transfers to and from `node`; `any_node`: all.
  void wait(long node);

  const Traffic& traffic() const noexcept { return traffic_; }
  /// Whether each transfer is printed.
  bool prints = false;

 private:
  struct Transfer {
    mpi::Request request;
    bool receives;
    long type, bytes, node;
  };
  struct Copy {
    mpi::Request request;
    std::unique_ptr<std::byte[]> bytes;
  };
  int tag(long type) const;
  int place(const char* argument, long node, bool may_be_any) const;
  void send_to_myself(int tag, const void* data, long bytes);
  Arrival receive_now(int tag, void* data, long room, int source);
  void complete(Transfer& transfer);
  void count(const Transfer& transfer);

  const World& world_;
  mpi::Comm communicator_ = mpi::comm_null;
  long largest_type_ = 32767;  // which every MPI has
  std::vector<Transfer> transfers_;
  std::vector<Copy> copies_;
  Traffic traffic_;
};

}  // namespace lagoon::atoll::tcgmsg

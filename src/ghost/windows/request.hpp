// Request: what the program waits for by MPI's requests (MPI_Rget and its kin): a generalized
// request, complete when all parts of its operation are over. Whoever moves the last one on
// completes it: a thread of the program in a call of ours, or the mover (transport/helper.hpp)
// while the program computes or waits inside MPI.
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace lagoon::atoll::ghost {

class Request : public atoll::detail::Watcher, public std::enable_shared_from_this<Request> {
 public:
  /// MPI's handle goes to `handle`. The request is not over before `all_begun`.
  static std::shared_ptr<Request> start(MPI_Request* handle);
  /// All parts of the operation have begun.
  void all_begun() noexcept { end_part(false); }
  /// What `finish` reads, and what comes when all parts are over, before the program hears of it.
  void at_end(std::unique_ptr<std::byte[]> packed, std::function<void()> finish);
  /// Whether it is over; any thread may ask.
  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  /// What MPI_Wait is to return.
  int code() const noexcept { return failed_ ? MPI_ERR_OTHER : MPI_SUCCESS; }

  void begin_part() noexcept override { parts_.fetch_add(1, std::memory_order_relaxed); }
  void end_part(bool failed) noexcept override;

 private:
  std::atomic<int> parts_{1};  // one of them: that not all have begun
  std::atomic<bool> failed_{false}, over_{false};
  MPI_Request handle_ = MPI_REQUEST_NULL;
  std::unique_ptr<std::byte[]> packed_;
  std::function<void()> finish_;
};

/// Before the program waits for all of these inside MPI, where only the mover would move on those
/// of ours, and sleep between looks: waits for ours.
void complete_own(std::span<const MPI_Request> requests) noexcept;

}  // namespace lagoon::atoll::ghost

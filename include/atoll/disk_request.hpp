// DiskRequest: a read or write of a disk array that is on its way.
#pragma once

#include <memory>
#include <span>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

namespace detail {
class DiskArrayState;
struct DiskTransfer;
}  // namespace detail

/// Returned by `DiskArray::write_async` and `read_async`. It goes on while the program computes, in
/// a thread of its own; what lies on other nodes is also moved on whenever the rank is inside
/// Atoll. Until `wait` has returned the section of the array must stay as it is (of a read: is not
/// to be looked at), and the array must not be destroyed. A write counts when it was waited for. A
/// request that is dropped is ended by the next one that touches the same tiles, or by `close`.
class DiskRequest {
 public:
  DiskRequest() noexcept;
  DiskRequest(std::shared_ptr<detail::DiskArrayState> disk,
              std::shared_ptr<detail::DiskTransfer> transfer) noexcept;
  DiskRequest(DiskRequest&&) noexcept;
  DiskRequest& operator=(DiskRequest&&) noexcept;
  DiskRequest(const DiskRequest&) = delete;
  DiskRequest& operator=(const DiskRequest&) = delete;
  ~DiskRequest();

  /// Collective: ends it on all ranks, requests in any order. Harmless when done. Error(file) on
  /// all if the system refused one.
  void wait();
  /// Whether this rank's part has been moved, or has failed (`wait` says how). Not collective;
  /// never waits.
  bool test();
  /// How much of this rank's part has been moved, 0 to 1.
  double fraction() const;

 private:
  std::shared_ptr<detail::DiskArrayState> disk_;
  std::shared_ptr<detail::DiskTransfer> transfer_;
};

/// Collective. Waits for all, also after an error; throws the first one.
void wait_all_disk(std::span<DiskRequest> requests);

}  // namespace lagoon::atoll

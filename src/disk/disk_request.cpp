// Waiting for transfers of disk arrays.
#include "atoll/disk_request.hpp"

#include <exception>
#include <utility>

#include "atoll/error.hpp"
#include "disk/disk_array_state.hpp"
#include "world/thread_rule.hpp"

namespace lagoon::atoll {

DiskRequest::DiskRequest() noexcept = default;
DiskRequest::DiskRequest(std::shared_ptr<detail::DiskArrayState> disk,
                         std::shared_ptr<detail::DiskTransfer> transfer) noexcept
    : disk_(std::move(disk)), transfer_(std::move(transfer)) {}
DiskRequest::DiskRequest(DiskRequest&&) noexcept = default;
DiskRequest& DiskRequest::operator=(DiskRequest&&) noexcept = default;
DiskRequest::~DiskRequest() = default;

void DiskRequest::wait() {
  if (transfer_ == nullptr) return;
  detail::ThreadRule::check();
  const auto disk = std::exchange(disk_, nullptr);
  const auto transfer = std::exchange(transfer_, nullptr);
  disk->wait(*transfer);
}

bool DiskRequest::test() {
  if (transfer_ == nullptr || transfer_->job == nullptr) return true;
  (void)detail::WorldState::get().serve();
  return transfer_->job->done();
}

double DiskRequest::fraction() const {
  return transfer_ == nullptr || transfer_->job == nullptr ? 1 : transfer_->job->fraction();
}

void wait_all_disk(std::span<DiskRequest> requests) {
  std::exception_ptr failure;
  for (DiskRequest& request : requests) {
    try {
      request.wait();
    } catch (const Error&) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace lagoon::atoll

// Waiting for requests.
#include "atoll/file_request.hpp"

#include <exception>
#include <utility>

#include "disk/transfer.hpp"

namespace lagoon::atoll {

FileRequest::FileRequest() noexcept = default;
FileRequest::FileRequest(std::shared_ptr<detail::Transfer> transfer, std::int64_t bytes) noexcept
    : transfer_(std::move(transfer)), bytes_(bytes) {}
FileRequest::FileRequest(FileRequest&&) noexcept = default;

FileRequest& FileRequest::operator=(FileRequest&& other) noexcept {
  if (this != &other) {
    FileRequest finished(std::move(*this));  // waits when it goes
    transfer_ = std::move(other.transfer_);
    bytes_ = other.bytes_;
  }
  return *this;
}

FileRequest::~FileRequest() {
  try {
    wait();
  } catch (const std::exception&) {
    // The caller gave up the result.
  }
}

std::int64_t FileRequest::wait() {
  if (const auto transfer = std::exchange(transfer_, nullptr)) {
    const std::int64_t bytes = std::exchange(bytes_, 0);
    transfer->wait();
    bytes_ = bytes;
  }
  return bytes_;
}

bool FileRequest::test() const noexcept { return transfer_ == nullptr || transfer_->done(); }

void wait_all_files(std::span<FileRequest> requests) {
  std::exception_ptr failure;
  for (FileRequest& request : requests) {
    try {
      request.wait();
    } catch (const std::exception&) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace lagoon::atoll

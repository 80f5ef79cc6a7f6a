// FileRequest: a read or write of a file that is on its way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

namespace detail {
class Transfer;
}

/// Returned by the *_async functions of files. The memory belongs to the request until `wait`
/// returns or `test` says true. A request that is destroyed early waits.
class FileRequest {
 public:
  FileRequest() noexcept;
  FileRequest(std::shared_ptr<detail::Transfer> transfer, std::int64_t bytes) noexcept;
  FileRequest(FileRequest&&) noexcept;
  FileRequest& operator=(FileRequest&&) noexcept;
  FileRequest(const FileRequest&) = delete;
  FileRequest& operator=(const FileRequest&) = delete;
  ~FileRequest();

  /// Waits; how many bytes were moved. Harmless when already done. Error(file) if the system
  /// refused a part: what the other parts hold then is undefined.
  std::int64_t wait();
  /// Whether it is done, or has failed (`wait` says how). Never waits.
  bool test() const noexcept;

 private:
  std::shared_ptr<detail::Transfer> transfer_;
  std::int64_t bytes_ = 0;
};

void wait_all_files(std::span<FileRequest> requests);

}  // namespace lagoon::atoll

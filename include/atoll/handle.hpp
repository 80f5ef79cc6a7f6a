// Handle: a nonblocking operation on its way.
#pragma once

#include <memory>
#include <span>

#include "atoll/namespace.hpp"

namespace lagoon::atoll {

namespace detail {
struct Operation;
}

/// Returned by the *_async functions. The buffer belongs to the operation until `wait` returns or
/// `test` says true. A handle destroyed early waits. Waiting completes the operation locally: data
/// of a get have arrived, the buffer of a put or accumulate may be used again; completion at the
/// target is by fence or sync.
class Handle {
 public:
  Handle() noexcept;
  explicit Handle(std::shared_ptr<detail::Operation> operation) noexcept;
  Handle(Handle&&) noexcept;
  Handle& operator=(Handle&&) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();

  /// Waits. Harmless when already done.
  void wait();
  /// Whether it is done; makes progress. Never waits.
  bool test();
  /// Whether it is done; moves nothing on. Any thread may ask.
  bool done() const noexcept;

 private:
  std::shared_ptr<detail::Operation> operation_;
};

void wait_all(std::span<Handle> handles);

}  // namespace lagoon::atoll

// Handle: the public face of an Operation that may still have parts under way.
#include "atoll/handle.hpp"

#include <exception>
#include <utility>

#include "transport/transport.hpp"
#include "world/profile.hpp"
#include "world/race/detector.hpp"

namespace lagoon::atoll {

Handle::Handle() noexcept = default;
Handle::Handle(std::shared_ptr<detail::Operation> operation) noexcept
    : operation_(std::move(operation)) {}
Handle::Handle(Handle&&) noexcept = default;

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    Handle finished(std::move(*this));  // waits when it goes
    operation_ = std::move(other.operation_);
  }
  return *this;
}

Handle::~Handle() {
  try {
    wait();
  } catch (const std::exception&) {
    // The caller gave up the result; a destroyed array shows at the next fence or operation.
  }
}

// The operation stays with the handle: another thread may be asking whether it is done.
void Handle::wait() {
  if (operation_ != nullptr && detail::race::Detector::running != nullptr)
    detail::race::Detector::running->waited(operation_.get());
  if (operation_ == nullptr || operation_->waited) return;
  const detail::ProfiledCall call(detail::world_profile(), "wait");
  operation_->wait();
}

bool Handle::test() {
  if (!done()) (void)detail::WorldState::get().serve();  // it can only be between nodes
  if (!done()) return false;
  wait();
  return true;
}

bool Handle::done() const noexcept { return operation_ == nullptr || operation_->pending == 0; }

void wait_all(std::span<Handle> handles) {
  for (Handle& handle : handles) handle.wait();
}

}  // namespace lagoon::atoll

#include "ghost/windows/request.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "ghost/ghost.hpp"
#include "ghost/windows/calls.hpp"
#include "ghost/windows/moving.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::ghost {

namespace {

// Those that are not over, by handle. Never destroyed: exit() may come in any call.
struct Open {
  std::mutex lock;
  std::unordered_map<MPI_Request, std::shared_ptr<Request>> requests;
  std::atomic<int> count{0};
};
Open& open_requests() {
  static Open& all = *new Open;
  return all;
}

using Held = std::shared_ptr<Request>;

extern "C" int query_request(void* state, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return (*static_cast<Held*>(state))->code();
}
extern "C" int free_request(void* state) {
  delete static_cast<Held*>(state);
  return MPI_SUCCESS;
}
extern "C" int cancel_request(void* /*state*/, int /*complete*/) { return MPI_SUCCESS; }

Held find_open(MPI_Request handle) {
  Open& open = open_requests();
  const std::lock_guard guard(open.lock);
  const auto found = open.requests.find(handle);
  return found == open.requests.end() ? nullptr : found->second;
}

}  // namespace

std::shared_ptr<Request> Request::start(MPI_Request* handle) {
  auto made = std::make_shared<Request>();
  atoll::detail::check_mpi(PMPI_Grequest_start(query_request, free_request, cancel_request,
                                               new Held(made), &made->handle_),
                           "MPI_Grequest_start");
  *handle = made->handle_;
  Open& open = open_requests();
  const std::lock_guard guard(open.lock);
  open.requests[made->handle_] = made;
  ++open.count;
  return made;
}

void Request::at_end(std::unique_ptr<std::byte[]> packed, std::function<void()> finish) {
  packed_ = std::move(packed);
  finish_ = std::move(finish);
}

void Request::end_part(bool failed) noexcept {
  if (failed) failed_ = true;
  if (parts_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const Held self = shared_from_this();  // the program may have let go of all else
  if (finish_) finish_();
  packed_.reset();
  {
    Open& open = open_requests();
    const std::lock_guard guard(open.lock);
    open.requests.erase(handle_);
    --open.count;
  }
  over_.store(true, std::memory_order_release);
  PMPI_Grequest_complete(handle_);
}

void complete_own(std::span<const MPI_Request> requests) noexcept {
  if (!active() || open_requests().count.load(std::memory_order_relaxed) == 0) return;
  for (const MPI_Request handle : requests) {
    if (open_requests().count.load(std::memory_order_relaxed) == 0) return;
    const Held request = handle == MPI_REQUEST_NULL ? nullptr : find_open(handle);
    if (request == nullptr || request->over()) continue;
    const auto lock = enter();
    try {
      wait_for([&] { return request->over(); });
    } catch (...) {
      (void)fault_of(std::current_exception());  // told; MPI goes on waiting
    }
  }
}

}  // namespace lagoon::atoll::ghost

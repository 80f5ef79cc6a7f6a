// Window: making, freeing, and what is under way.
#include "ghost/windows/window.hpp"

#include <algorithm>
#include <utility>

#include "atoll/error.hpp"
#include "ghost/ghost.hpp"
#include "mpi/face.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::ghost {

using atoll::detail::Action;
using atoll::detail::MemoryState;
using atoll::detail::Operation;
using atoll::detail::WorldState;

namespace {

std::int64_t control_bytes_of(int ranks) {
  return (static_cast<std::int64_t>(sizeof(Control)) + 4 * std::int64_t{ranks} + 63) / 64 * 64;
}

constexpr std::int64_t most_bytes = INT64_MAX / 2;  // far beyond any memory; sums do not overflow

/// What all ranks tell each other of a new window.
struct Part {
  std::int64_t bytes, unit;
};

/// Collective; nobody has left before all have come.
std::vector<Part> gather(const Group& group, const Part& mine) {
  std::vector<Part> all(static_cast<std::size_t>(group.size()));
  constexpr int words = sizeof(Part) / sizeof(std::int64_t);
  const atoll::detail::InCollectiveCall call = group.state()->in_call();
  mpi::Request request;
  atoll::detail::check_mpi(mpi::iallgather(&mine, words, mpi::type_int64, all.data(), words,
                                           mpi::type_int64, group.mpi_communicator(), &request),
                           "MPI_Iallgather");
  WorldState::get().wait(request);
  return all;
}

}  // namespace

Window::Window(MPI_Comm communicator, const Group& group, std::int64_t bytes, MPI_Aint unit,
               const MakeHandle& make_handle)
    : control_bytes_(control_bytes_of(group.size())),
      locks_(static_cast<std::size_t>(group.size()), Lock::none) {
  std::vector<std::int64_t> blocks;
  int wrong = MPI_SUCCESS;
  for (const Part& part : gather(group, {bytes, unit})) {
    if (part.bytes < 0 || part.bytes > most_bytes) wrong = MPI_ERR_SIZE;
    if (part.unit <= 0 || part.unit > INT32_MAX) wrong = MPI_ERR_DISP;
    if (wrong != MPI_SUCCESS) continue;
    blocks.push_back(part.bytes + control_bytes_);
    units_.push_back(static_cast<int>(part.unit));
  }
  if (wrong != MPI_SUCCESS) throw Refused(wrong);
  bool has_room = false;
  const auto prepare = [&](std::byte* block) {
    has_room = true;
    base_ = block + control_bytes_;
    handle_ = make_handle(base_);
  };
  try {
    memory_ = std::make_unique<MemoryState>(group, std::move(blocks), "window", prepare);
  } catch (const Error& error) {
    if (handle_ != MPI_WIN_NULL) PMPI_Win_free(&handle_);  // another rank has none
    if (!has_room && error.everywhere() && error.kind() == ErrorKind::memory) throw NoRoom();
    throw;
  }
  PMPI_Comm_group(communicator, &members_);
}

std::unique_ptr<Turn> Window::prepare_to_free() {
  if (in_access_ || in_exposure_ || all_locked_ || !locked_.empty())
    throw Refused(MPI_ERR_RMA_SYNC, "an epoch of the window is still open");
  finish(any_rank);
  group().fence();
  std::vector<int> members;
  for (int rank = 0; rank < size(); ++rank) members.push_back(group().world_rank(rank));
  return std::make_unique<Turn>(members, group().rank() == 0, [&] { meet(); });
}

void Window::free() {
  PMPI_Group_free(&members_);
  atoll::detail::enter_collective(group(), "free window", memory_->segment->number().sequence,
                                  nullptr);
  atoll::detail::Segment::leave(memory_->segment);
}

std::byte* Window::address(int rank) const {
  std::byte* const block = memory_->block(rank);
  return block == nullptr ? nullptr : block + control_bytes_;
}

void Window::Pending::complete() {
  if (request != nullptr && !request->over())
    WorldState::get().wait_until([&] { return request->over(); });
  handle.wait();
  if (finish) finish();
}

/// What has begun is over when it is finished; what is packed is kept till then.
void Window::remember(int rank, Handle handle, std::unique_ptr<std::byte[]> packed,
                      std::function<void()> finish) {
  if (request_ != nullptr) request_->at_end(std::move(packed), std::exchange(finish, nullptr));
  if (handle.done()) {
    handle.wait();
    if (finish) finish();
    return;
  }
  pending_.push_back({rank, std::move(handle), std::move(packed), std::move(finish), request_});
  constexpr std::size_t many = 1024;
  if (pending_.size() < many) return;
  // The older half is over as a rule.
  for (std::size_t i = 0; i < many / 2; ++i) pending_[i].complete();
  pending_.erase(pending_.begin(), pending_.begin() + many / 2);
}

void Window::finish(int rank) {
  std::vector<Pending> left;
  for (Pending& each : std::exchange(pending_, {})) {
    if (rank != any_rank && each.rank != rank)
      left.push_back(std::move(each));
    else
      each.complete();
  }
  pending_ = std::move(left);
}

void Window::end_request() {
  if (const auto ended = std::exchange(request_, nullptr)) ended->all_begun();
}

/// `background`: somebody is to move it on while the program computes.
std::shared_ptr<Operation> Window::new_operation(bool background) const {
  auto made = std::make_shared<Operation>();
  made->nonblocking = background || request_ != nullptr;
  made->watcher = request_.get();
  return made;
}

Handle Window::update(int rank, const atoll::detail::UpdateKind& kind,
                      std::span<const atoll::detail::UpdateRun> runs, const std::byte* operands,
                      std::byte* old) {
  if (memory_->block(rank) != nullptr) {
    Operation none;
    memory_->update(rank, kind, runs, operands, old, none);
    return {};
  }
  // One that is sent at once: nobody need move it on while the program computes.
  const auto operation = new_operation(false);
  Handle handle(operation);  // waits, should the rest not begin
  memory_->update(rank, kind, runs, operands, old, *operation);
  return handle;
}

/// Whether it goes at once, and needs nobody who looks: a small one by itself. Those that follow
/// may share messages.
bool Window::goes_alone(Action action, std::int64_t bytes) {
  constexpr std::int64_t one_message = 8192;
  const bool alone = pending_.empty() && !writes_under_way_;
  if (action != Action::get) writes_under_way_ = true;
  return alone && bytes <= one_message;
}

Handle Window::transfer(Action action, const MemorySection& section, std::byte* data,
                        const Index& strides) {
  const std::int64_t bytes =
      section.shape[0] * section.shape[1] * static_cast<std::int64_t>(size_of(section.type));
  const auto operation = new_operation(!goes_alone(action, bytes));
  Handle handle(operation);
  memory_->transfer(action, section, data, strides, nullptr, *operation);
  return handle;
}

}  // namespace lagoon::atoll::ghost

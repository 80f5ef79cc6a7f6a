// Window: making, freeing, and what is under way.
#include "ghost/windows/window.hpp"

#include <algorithm>
#include <utility>

#include "array/memory_state.hpp"
#include "ghost/ghost.hpp"

namespace lagoon::atoll::ghost {

namespace {

std::int64_t control_bytes_of(int ranks) {
  return (static_cast<std::int64_t>(sizeof(Control)) + 4 * std::int64_t{ranks} + 63) / 64 * 64;
}

}  // namespace

Window::Window(const Group& group, std::int64_t bytes, MPI_Aint unit)
    : control_bytes_(control_bytes_of(group.size())),
      // Memory refuses a negative number.
      memory_(group, bytes < 0 ? bytes : bytes + control_bytes_, "window"),
      base_(memory_.address(group.rank()) + control_bytes_),
      units_(static_cast<std::size_t>(group.size()), 0),
      locks_(units_.size(), Lock::none) {
  const bool right = unit > 0 && unit <= INT32_MAX;
  units_[static_cast<std::size_t>(group.rank())] = right ? static_cast<int>(unit) : 0;
  group.reduce(std::span<std::int32_t>(units_));
  if (std::ranges::find(units_, 0) != units_.end()) throw Refused{MPI_ERR_DISP};
}

void Window::prepare_to_free() {
  if (in_access_ || in_exposure_ || all_locked_ || !locked_.empty())
    throw Refused{MPI_ERR_RMA_SYNC};
  finish(any_rank);
  memory_.group().fence();
}

void Window::free() { memory_.destroy(); }

std::byte* Window::address(int rank) const {
  std::byte* const block = memory_.address(rank);
  return block == nullptr ? nullptr : block + control_bytes_;
}

void Window::remember(int rank, Handle handle, std::unique_ptr<std::byte[]> packed,
                      std::function<void()> finish) {
  if (handle.done()) {
    handle.wait();
    if (finish) finish();
    return;
  }
  pending_.push_back({rank, std::move(handle), std::move(packed), std::move(finish)});
  constexpr std::size_t many = 1024;
  if (pending_.size() < many) return;
  // The older half is over as a rule.
  for (std::size_t i = 0; i < many / 2; ++i) {
    pending_[i].handle.wait();
    if (pending_[i].finish) pending_[i].finish();
  }
  pending_.erase(pending_.begin(), pending_.begin() + many / 2);
}

void Window::finish(int rank) {
  std::vector<Pending> left;
  for (Pending& each : std::exchange(pending_, {})) {
    if (rank != any_rank && each.rank != rank) {
      left.push_back(std::move(each));
      continue;
    }
    each.handle.wait();
    if (each.finish) each.finish();
  }
  pending_ = std::move(left);
}

Handle Window::update(int rank, const atoll::detail::UpdateKind& kind,
                      std::span<const atoll::detail::UpdateRun> runs, const std::byte* operands,
                      std::byte* old) {
  if (memory_.address(rank) != nullptr) {
    atoll::detail::Operation none;
    memory_.state()->update(rank, kind, runs, operands, old, none);
    return {};
  }
  // One that is sent at once: nobody need move it on while the program computes.
  auto operation = std::make_shared<atoll::detail::Operation>();
  Handle handle(operation);
  memory_.state()->update(rank, kind, runs, operands, old, *operation);
  return handle;
}

Handle Window::transfer(atoll::detail::Action action, const MemorySection& section, std::byte* data,
                        const Index& strides) {
  using atoll::detail::Action;
  constexpr std::int64_t one_message = 8192;
  const std::int64_t bytes =
      section.shape[0] * section.shape[1] * static_cast<std::int64_t>(size_of(section.type));
  // A small one by itself goes at once; those that follow may share messages.
  if (bytes <= one_message && pending_.empty()) {
    auto operation = std::make_shared<atoll::detail::Operation>();
    Handle handle(operation);
    memory_.state()->transfer(action, section, data, strides, nullptr, *operation);
    return handle;
  }
  if (action == Action::get) return memory_.get_async(section, data, strides);
  if (action == Action::put) return memory_.put_async(section, data, strides);
  return memory_.accumulate_async(section, data, nullptr, strides);
}

}  // namespace lagoon::atoll::ghost

// Engine: chores, and messages.
#include "world/engine.hpp"

#include <algorithm>
#include <utility>

#include "mpi/face.hpp"
#include "world/collective.hpp"
#include "world/function_turn.hpp"

namespace lagoon::atoll::detail {

void Chores::push_back(std::shared_ptr<Chore> chore) {
  const std::lock_guard lock(mutex_);
  all_.push_back(std::move(chore));
  count_.store(all_.size(), std::memory_order_release);
}

void Chores::erase(const Chore* chore) noexcept {
  std::shared_ptr<Chore> gone;  // not under the lock: what goes with it may come here again
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(all_, chore, &std::shared_ptr<Chore>::get);
  if (found == all_.end()) return;
  gone = std::move(*found);
  all_.erase(found);
  count_.store(all_.size(), std::memory_order_release);
}

void Chores::clear() noexcept {
  std::vector<std::shared_ptr<Chore>> gone;
  const std::lock_guard lock(mutex_);
  gone.swap(all_);
  count_.store(0, std::memory_order_release);
}

bool Chores::has_finished() noexcept {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(all_, [](const auto& chore) { return chore->done(); });
}

std::shared_ptr<Chore> Chores::take_finished(bool with_functions) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(all_, [with_functions](const auto& chore) {
    return chore->done() && (with_functions || !chore->has_function());
  });
  if (found == all_.end()) return nullptr;
  std::shared_ptr<Chore> finished = std::move(*found);
  all_.erase(found);
  count_.store(all_.size(), std::memory_order_release);
  return finished;
}

// A chore may wait inside its turn (a user's function may call Atoll), which comes here again.
bool Chores::poll() noexcept {
  bool moved = false;
  const auto at = [this](std::size_t i) -> std::shared_ptr<Chore> {
    const std::lock_guard lock(mutex_);
    return i < all_.size() ? all_[i] : nullptr;
  };
  std::size_t i = 0;
  while (const std::shared_ptr<Chore> chore = at(i++)) moved = chore->poll() || moved;
  // What goes with a chore may come here again: not while the list is being changed.
  while (const std::shared_ptr<Chore> finished = take_finished(false)) {
  }
  if (!has_finished()) return moved;
  if (const FunctionTurn turn; turn)
    while (const std::shared_ptr<Chore> finished = take_finished(true)) {
    }
  return moved;
}

void Engine::before_sleep(std::chrono::steady_clock::time_point since) noexcept {
  if (watchdog != nullptr) watchdog->asleep(since);
  const MpiTurn turn;
  if (!turn) return;
  unfailing("asking who is late", [this] {
    if (collective.mine() && inside != nullptr && !at_the_end) questions.ask(*inside);
    questions.read();
  });
}

void Engine::wait(mpi::Request& request) {
  int status = mpi::success;
  wait_for_message([&] {
    int done = 0;
    status = mpi::test(&request, &done, mpi::status_ignore);
    return status != mpi::success || done != 0;
  });
  check_mpi(status, "MPI_Test");
}

}  // namespace lagoon::atoll::detail

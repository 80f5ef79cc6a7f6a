// Engine: chores, and messages.
#include "world/engine.hpp"

#include <algorithm>
#include <utility>

#include "world/collective.hpp"

namespace lagoon::atoll::detail {

// A chore may wait inside its turn (a user's function may call Atoll), which comes here again.
bool Engine::do_chores() noexcept {
  bool moved = false;
  for (std::size_t i = 0; i < chores.size(); ++i) {
    const std::shared_ptr<Chore> chore = chores[i];
    moved = chore->poll() || moved;
  }
  // What goes with a chore may come here again: not while the list is being changed.
  for (;;) {
    const auto done = std::ranges::find_if(chores, [](const auto& chore) { return chore->done(); });
    if (done == chores.end()) return moved;
    const std::shared_ptr<Chore> finished = std::move(*done);
    chores.erase(done);
  }
}

void Engine::before_sleep(std::chrono::steady_clock::time_point since) noexcept {
  if (watchdog != nullptr) watchdog->asleep(since);
  unfailing("asking who is late", [this] {
    if (inside != nullptr && !at_the_end) questions.ask(*inside);
    questions.read();
  });
}

void Engine::wait(MPI_Request& request) noexcept {
  wait_for_message([&] {
    int done = 0;
    unfailing("a message",
              [&] { check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test"); });
    return done != 0;
  });
}

}  // namespace lagoon::atoll::detail

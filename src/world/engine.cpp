// Engine: chores, and messages.
#include "world/engine.hpp"

#include "world/collective.hpp"

namespace lagoon::atoll::detail {

// A chore may wait inside its turn (a user's function may call Atoll), which comes here again.
bool Engine::do_chores() {
  bool moved = false;
  for (std::size_t i = 0; i < chores.size(); ++i) {
    const std::shared_ptr<Chore> chore = chores[i];
    moved = chore->poll() || moved;
  }
  // What goes with a chore may come here again: not while the list is being changed.
  std::vector<std::shared_ptr<Chore>> finished;
  std::erase_if(chores, [&](const auto& chore) {
    if (!chore->done()) return false;
    finished.push_back(chore);
    return true;
  });
  return moved;
}

void Engine::before_sleep(std::chrono::steady_clock::time_point since) {
  if (watchdog != nullptr) watchdog->asleep(since);
  if (inside != nullptr && !at_the_end) questions.ask(*inside);
  questions.read();
}

void Engine::wait(MPI_Request& request) {
  wait_for_message([&] {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
}

}  // namespace lagoon::atoll::detail

// Moving: how the program's threads wait in calls of windows, and move Atoll's work on meanwhile.
#pragma once

#include <mpi.h>

#include <mutex>

#include "ghost/ghost.hpp"
#include "world/waiting.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::ghost {

/// What the rank moves on while it waits. Its other threads may come in while it sleeps: one of
/// them may have what this one waits for.
struct Moving {
  atoll::detail::WorldState& world;
  bool serve() const noexcept { return world.serve(); }
  void before_sleep(std::chrono::steady_clock::time_point since) const noexcept {
    world.before_sleep(since);
  }
};

/// REQUIRES: the library's lock, where the program has threads that may call at once.
template <class Ready>
void wait_for(Ready&& ready) {
  Moving work{atoll::detail::WorldState::get()};
  atoll::detail::wait_until(atoll::detail::waiting::in_call, ready, work,
                            [](atoll::detail::WaitTime nap, atoll::detail::WaitTime) {
                              const bool others = thread_level() == MPI_THREAD_MULTIPLE;
                              if (others) library_lock().unlock();
                              atoll::detail::take_nap(nap);
                              if (others) library_lock().lock();
                            });
}

}  // namespace lagoon::atoll::ghost

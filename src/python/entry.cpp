// The turn-taking of Python threads that call the library.
#include "entry.hpp"

#include <atomic>
#include <mutex>

namespace lagoon::atoll::python {

namespace {
std::mutex turn;                      // NOLINT: constant-initialised
std::atomic<std::uint64_t> moves{0};  // of threads into the library and out of it
// A function that the library calls back may call it again, or Python may drop arrays in it.
thread_local int entries = 0;
/// Under the lock: no other thread counts.
void step() noexcept {
  moves.store(moves.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

std::uint64_t Entry::count() noexcept { return moves.load(std::memory_order_relaxed); }

// Whoever waits for the turn holds no GIL, and whoever has the turn gets the GIL back in time,
// since a holder of the GIL either gets the turn at once or lets the GIL go: no deadlock.
Entry::Entry(Waits waits) {
  if (entries++ > 0) return;
  if (waits == Waits::yes) {
    released_ = PyEval_SaveThread();
    turn.lock();
  } else if (!turn.try_lock()) {
    PyThreadState* const state = PyEval_SaveThread();
    turn.lock();
    PyEval_RestoreThread(state);
  }
  step();
}

Entry::~Entry() {
  if (--entries > 0) return;
  step();
  turn.unlock();
  if (released_ != nullptr) PyEval_RestoreThread(released_);
}

}  // namespace lagoon::atoll::python

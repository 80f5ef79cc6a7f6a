// The turn-taking of Python threads that call the library.
#include "entry.hpp"

#include <mutex>

namespace lagoon::atoll::python {

namespace {
std::mutex turn;  // NOLINT: constant-initialised
}  // namespace

// Whoever waits for the turn holds no GIL, and whoever has the turn gets the GIL back in time,
// since a holder of the GIL either gets the turn at once or lets the GIL go: no deadlock.
Entry::Entry(Waits waits) {
  if (waits == Waits::yes) {
    released_ = PyEval_SaveThread();
    turn.lock();
  } else if (!turn.try_lock()) {
    PyThreadState* const state = PyEval_SaveThread();
    turn.lock();
    PyEval_RestoreThread(state);
  }
}

Entry::~Entry() {
  turn.unlock();
  if (released_ != nullptr) PyEval_RestoreThread(released_);
}

}  // namespace lagoon::atoll::python

// The turn-taking of Python threads that call the library.
#include "entry.hpp"

#include <mutex>

namespace lagoon::atoll::python {

namespace {
std::mutex turn;  // NOLINT: constant-initialised
// A function that the library calls back may call it again, or Python may drop arrays in it.
thread_local int entries = 0;
}  // namespace

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
}

Entry::~Entry() {
  if (--entries > 0) return;
  turn.unlock();
  if (released_ != nullptr) PyEval_RestoreThread(released_);
}

}  // namespace lagoon::atoll::python

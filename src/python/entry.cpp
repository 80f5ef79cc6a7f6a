// The turn-taking of Python threads that call the library.
#include "entry.hpp"

#include <atomic>
#include <mutex>

#include "program_line.hpp"

namespace lagoon::atoll::python {

namespace {
std::mutex turn;                                // NOLINT: constant-initialised
std::atomic<std::uint64_t> begun{0}, ended{0};  // calls
// A function that the library calls back may call it again, or Python may drop arrays in it.
thread_local int entries = 0;

}  // namespace

std::uint64_t Entry::count() noexcept {
  const std::uint64_t over = ended.load(std::memory_order_acquire);
  const std::uint64_t calls = begun.load(std::memory_order_relaxed);
  return 2 * calls + (calls == over ? 0 : 1);
}

// Whoever waits for the turn holds no GIL, and whoever has the turn gets the GIL back in time,
// since a holder of the GIL either gets the turn at once or lets the GIL go: no deadlock.
Entry::Entry(Waits waits) {
  if (entries++ > 0) return;
  ProgramLine::begin();
  if (waits == Waits::yes) {
    released_ = PyEval_SaveThread();
    turn.lock();
  } else if (!turn.try_lock()) {
    PyThreadState* const state = PyEval_SaveThread();
    turn.lock();
    PyEval_RestoreThread(state);
  }
  begun.fetch_add(1, std::memory_order_relaxed);
}

Entry::~Entry() {
  if (--entries > 0) return;
  ProgramLine::end();
  ended.fetch_add(1, std::memory_order_release);
  turn.unlock();
  if (released_ != nullptr) PyEval_RestoreThread(released_);
}

bool Entry::try_take_turn() noexcept {
  if (entries == 0 && !turn.try_lock()) return false;
  ++entries;
  return true;
}

void Entry::give_turn_back() noexcept {
  if (--entries == 0) turn.unlock();
}

OneSided::OneSided(Entry::Waits waits) {
  ProgramLine::begin();
  begun.fetch_add(1, std::memory_order_relaxed);
  if (waits == Entry::Waits::yes) released_ = PyEval_SaveThread();
}

OneSided::~OneSided() {
  ProgramLine::end();
  if (released_ != nullptr) PyEval_RestoreThread(released_);
  ended.fetch_add(1, std::memory_order_release);
}

}  // namespace lagoon::atoll::python

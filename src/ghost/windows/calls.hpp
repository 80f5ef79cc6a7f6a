// Calls: what all functions of windows that the program calls have in common.
#pragma once

#include <mpi.h>

#include <exception>
#include <mutex>
#include <string>

#include "ghost/ghost.hpp"
#include "ghost/windows/attendant.hpp"
#include "ghost/windows/registry.hpp"

namespace lagoon::atoll::ghost {

/// An error: MPI's code for it, and what it is about, as far as the code does not say it.
struct Fault {
  int code = MPI_SUCCESS;
  std::string words;
};
/// What was thrown; says what MPI has no words for.
Fault fault_of(const std::exception_ptr& thrown) noexcept;

/// Calls the window's error handler, which may end the program: then a line says in which
/// `function` of MPI.
void tell_error(MPI_Win handle, const char* function, const Fault& fault) noexcept;

/// Where the program has threads that may call at once, they come in one by one.
inline std::unique_lock<std::recursive_mutex> enter() {
  if (!active() || thread_level() != MPI_THREAD_MULTIPLE) return {};
  return std::unique_lock(library_lock());
}

/// Calls `f(window)` for a window on Atoll's memory, and `pass()` for one of MPI's own. Errors go
/// to the window's handler. `function`: who calls, by MPI's name.
template <class F, class Pass>
int call(MPI_Win handle, F&& f, Pass&& pass, const char* function = __builtin_FUNCTION()) {
  Fault fault;
  {
    std::unique_lock<std::recursive_mutex> lock = enter();
    Window* const window = active() ? find_window(handle) : nullptr;
    if (window == nullptr) {
      if (lock) lock.unlock();
      const InOwnCall own;
      return pass();
    }
    try {
      f(*window);
      return MPI_SUCCESS;
    } catch (...) {
      fault = fault_of(std::current_exception());
    }
  }
  tell_error(handle, function, fault);
  return fault.code;
}

/// Of the window's group; refused otherwise. MPI_PROC_NULL is none and allowed.
inline void check_rank(const Window& window, int rank) {
  if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window.size()))
    throw Refused(MPI_ERR_RANK, "rank " + std::to_string(rank) + " of a window of " +
                                    std::to_string(window.size()) + " ranks");
}

}  // namespace lagoon::atoll::ghost

// MPI's functions that synchronise windows.
#include <mpi.h>

#include <vector>

#include "ghost/windows/calls.hpp"

using namespace lagoon::atoll::ghost;

namespace {

/// The group's ranks in the window.
std::vector<int> ranks_of(MPI_Group group, const Window& window) {
  std::vector<int> there = ranks_in(window.members(), group);
  for (const int rank : there)
    if (rank == MPI_UNDEFINED)
      throw Refused(MPI_ERR_GROUP, "the group has ranks that the window has not");
  return there;
}

template <class F, class Pass>
int call_at(MPI_Win win, int rank, F&& f, Pass&& pass,
            const char* function = __builtin_FUNCTION()) {
  return call(
      win,
      [&](Window& window) {
        check_rank(window, rank);
        if (rank != MPI_PROC_NULL) f(window);
      },
      pass, function);
}

}  // namespace

extern "C" {

int MPI_Win_fence(int assert, MPI_Win win) {
  return call(
      win, [&](Window& window) { window.fence(assert); },
      [&] { return PMPI_Win_fence(assert, win); });
}

int MPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  return call(
      win, [&](Window& window) { window.start(ranks_of(group, window), assert); },
      [&] { return PMPI_Win_start(group, assert, win); });
}

int MPI_Win_complete(MPI_Win win) {
  return call(
      win, [](Window& window) { window.end_access(); }, [&] { return PMPI_Win_complete(win); });
}

int MPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
  return call(
      win, [&](Window& window) { window.post(ranks_of(group, window), assert); },
      [&] { return PMPI_Win_post(group, assert, win); });
}

int MPI_Win_wait(MPI_Win win) {
  return call(
      win, [](Window& window) { (void)window.end_exposure(true); },
      [&] { return PMPI_Win_wait(win); });
}

int MPI_Win_test(MPI_Win win, int* flag) {
  return call(
      win, [&](Window& window) { *flag = window.end_exposure(false) ? 1 : 0; },
      [&] { return PMPI_Win_test(win, flag); });
}

int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  return call_at(
      win, rank, [&](Window& window) { window.lock(lock_type, rank, assert); },
      [&] { return PMPI_Win_lock(lock_type, rank, assert, win); });
}

int MPI_Win_unlock(int rank, MPI_Win win) {
  return call_at(
      win, rank, [&](Window& window) { window.unlock(rank); },
      [&] { return PMPI_Win_unlock(rank, win); });
}

int MPI_Win_lock_all(int assert, MPI_Win win) {
  return call(
      win, [&](Window& window) { window.lock_all(assert); },
      [&] { return PMPI_Win_lock_all(assert, win); });
}

int MPI_Win_unlock_all(MPI_Win win) {
  return call(
      win, [](Window& window) { window.unlock_all(); }, [&] { return PMPI_Win_unlock_all(win); });
}

int MPI_Win_flush(int rank, MPI_Win win) {
  return call_at(
      win, rank, [&](Window& window) { window.flush(rank, false); },
      [&] { return PMPI_Win_flush(rank, win); });
}

int MPI_Win_flush_all(MPI_Win win) {
  return call(
      win, [](Window& window) { window.flush_all(false); },
      [&] { return PMPI_Win_flush_all(win); });
}

int MPI_Win_flush_local(int rank, MPI_Win win) {
  return call_at(
      win, rank, [&](Window& window) { window.flush(rank, true); },
      [&] { return PMPI_Win_flush_local(rank, win); });
}

int MPI_Win_flush_local_all(MPI_Win win) {
  return call(
      win, [](Window& window) { window.flush_all(true); },
      [&] { return PMPI_Win_flush_local_all(win); });
}

int MPI_Win_sync(MPI_Win win) {
  return call(win, [](Window& window) { window.sync(); }, [&] { return PMPI_Win_sync(win); });
}

}  // extern "C"

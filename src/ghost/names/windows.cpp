// MPI's functions that make windows, free them and tell about them.
#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "ghost/ghost.hpp"
#include "ghost/report.hpp"
#include "ghost/sessions.hpp"
#include "ghost/windows/alone.hpp"
#include "ghost/windows/attendant.hpp"
#include "ghost/windows/calls.hpp"

using namespace lagoon::atoll;
using namespace lagoon::atoll::ghost;

namespace {

void report(MPI_Comm communicator, WindowMaker maker, WindowFate fate) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  if (rank == 0) count_window(maker, fate);
}

int key_of_attended() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Win_create_keyval(
        MPI_WIN_NULL_COPY_FN,
        [](MPI_Win, int, void*, void*) -> int {
          leave_window();
          return MPI_SUCCESS;
        },
        &made, nullptr);
    return made;
  }();
  return key;
}

/// A window of MPI's own has been made.
int own_window(int status, const MPI_Win* window, MPI_Comm communicator, WindowMaker maker,
               const char* name) {
  if (status != MPI_SUCCESS) return status;
  begin_for_window(communicator);
  if (!active()) {
    report(communicator, maker, WindowFate::unchanged);
    return status;
  }
  const auto lock = enter();
  const bool attended = maker != WindowMaker::allocate_shared && attend_window();
  if (attended) PMPI_Win_set_attr(*window, key_of_attended(), nullptr);
  report(communicator, maker, attended ? WindowFate::attended : WindowFate::unchanged);
  static bool told = false;
  if (maker != WindowMaker::allocate_shared && !told) {
    told = true;
    say(std::string("windows of ") + name + " stay MPI's own" +
        (attended ? ": a thread on every rank makes their progress" : ", without progress"));
  }
  return status;
}

int raise(MPI_Comm communicator, const Fault& fault) {
  if (!fault.words.empty()) say("MPI_Win_allocate: " + fault.words);
  PMPI_Comm_call_errhandler(communicator, fault.code);
  return fault.code;
}

/// There are no windows of two groups; MPICH 5 does not look, and crashes.
bool joins_two_groups(MPI_Comm communicator) {
  int inter = 0;
  PMPI_Comm_test_inter(communicator, &inter);
  return inter != 0;
}

/// Whether MPI may make no window on given memory for one process alone: Open MPI 4.1 does not
/// where threads are allowed, and says so at length.
bool may_refuse_windows_alone() {
  static const bool may = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    PMPI_Get_library_version(text, &length);
    return std::string_view(text).starts_with("Open MPI v4.");
  }();
  return may;
}

/// Nobody else reaches a window of one process, so MPI's own is as good.
bool is_better_left(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  return size == 1 && may_refuse_windows_alone();
}

/// For the handles of windows of the program's communicator: this process alone where MPI can,
/// which needs nobody else.
MPI_Comm for_handles(MPI_Comm communicator) {
  return may_refuse_windows_alone() ? communicator : alone();
}

/// Whether MPI may make no window on given memory at all: Open MPI 4.1 does not between hosts where
/// threads are allowed and the network gives no access to memory.
bool may_refuse_given_memory() {
  static const bool may = [] {
    const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
    return may_refuse_windows_alone() && here != nullptr && all != nullptr &&
           std::string_view(here) != all;
  }();
  return may;
}

/// `make(base)` makes the program's handle; `pass(communicator)` MPI's own window.
template <class Make, class Pass>
int allocate(MPI_Aint size, MPI_Aint unit, MPI_Comm given, void* baseptr, MPI_Win* win, Make&& make,
             Pass&& pass) {
  const MPI_Comm communicator = visible(given);
  if (communicator == MPI_COMM_NULL) return pass(communicator);
  begin_for_window(communicator);
  if (!active()) {
    const int status = pass(communicator);
    if (status == MPI_SUCCESS) report(communicator, WindowMaker::allocate, WindowFate::unchanged);
    return status;
  }
  if (joins_two_groups(communicator))
    return raise(communicator, {MPI_ERR_COMM, "an intercommunicator: expected one of one group"});
  if (is_better_left(communicator)) {
    report(communicator, WindowMaker::allocate, WindowFate::unchanged);
    return pass(communicator);
  }
  Fault fault;
  const char* what = "MPI_Win_allocate on communicators beyond MPI_COMM_WORLD";
  {
    const auto lock = enter();
    try {
      if (const auto ranks = world_ranks(communicator)) {
        int rank = 0;
        PMPI_Comm_rank(communicator, &rank);
        const Turn turn(*ranks, rank == 0, [&] { meet_on(communicator); });
        auto window = std::make_unique<Window>(communicator, group_of(communicator, *ranks), size,
                                               unit, make);
        *static_cast<void**>(baseptr) = window->base();
        *win = window->handle();
        enter_window(*win, std::move(window));
        report(communicator, WindowMaker::allocate, WindowFate::redirected);
        return MPI_SUCCESS;
      }
    } catch (const NoRoom&) {  // on all ranks; MPI's take memory where they are touched
      what = "MPI_Win_allocate that a node has no room for";
    } catch (...) {
      fault = fault_of(std::current_exception());
    }
  }
  if (fault.code != MPI_SUCCESS) return raise(communicator, fault);
  return own_window(pass(communicator), win, communicator, WindowMaker::allocate, what);
}

/// Least rank for MPI_PROC_NULL: the first one on my node that has memory.
int shared_part(const Window& window, int rank, MPI_Aint& size, MPI_Aint& unit, void* baseptr) {
  check_rank(window, rank);
  for (int r = 0; rank == MPI_PROC_NULL && r < window.size(); ++r)
    if (window.address(r) != nullptr && window.bytes(r) > 0) rank = r;
  std::byte* const base = rank == MPI_PROC_NULL ? nullptr : window.address(rank);
  size = base == nullptr ? 0 : static_cast<MPI_Aint>(window.bytes(rank));
  unit = base == nullptr ? 1 : window.unit(rank);
  *static_cast<void**>(baseptr) = base;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                     MPI_Win* win) {
  return allocate(
      size, disp_unit, comm, baseptr, win,
      [&](void* base) {
        MPI_Win made = MPI_WIN_NULL;
        void* untouched = nullptr;  // so it takes no memory; MPI_Win_get_attr tells the base
        const int code =
            may_refuse_given_memory()
                ? PMPI_Win_allocate(size, disp_unit, info, alone(), &untouched, &made)
                : PMPI_Win_create(base, size, disp_unit, info, for_handles(visible(comm)), &made);
        return code == MPI_SUCCESS ? made : throw Refused(code);
      },
      [&](MPI_Comm communicator) {
        return PMPI_Win_allocate(size, disp_unit, info, communicator, baseptr, win);
      });
}

int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* win) {
  return own_window(PMPI_Win_create(base, size, disp_unit, info, visible(comm), win), win,
                    visible(comm), WindowMaker::create, "MPI_Win_create");
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return own_window(PMPI_Win_create_dynamic(info, visible(comm), win), win, visible(comm),
                    WindowMaker::create_dynamic, "MPI_Win_create_dynamic");
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                            void* baseptr, MPI_Win* win) {
  return own_window(PMPI_Win_allocate_shared(size, disp_unit, info, visible(comm), baseptr, win),
                    win, visible(comm), WindowMaker::allocate_shared, "MPI_Win_allocate_shared");
}

int MPI_Win_free(MPI_Win* win) {
  // What the program has attached to the handle may still ask the window.
  return call(
      *win,
      [&](Window& window) {
        const auto turn = window.prepare_to_free();
        const MPI_Win handle = *win;
        const int code = PMPI_Win_free(win);
        if (code != MPI_SUCCESS) throw Refused(code);
        const auto taken = take_window(handle);
        taken->free();
      },
      [&] { return PMPI_Win_free(win); });
}

int MPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  static int flavour = MPI_WIN_FLAVOR_ALLOCATE, model = MPI_WIN_UNIFIED;
  const auto pass = [&] { return PMPI_Win_get_attr(win, win_keyval, attribute_val, flag); };
  if (win_keyval != MPI_WIN_CREATE_FLAVOR && win_keyval != MPI_WIN_MODEL &&
      win_keyval != MPI_WIN_BASE)
    return pass();
  return call(
      win,
      [&](Window& window) {
        void*& value = *static_cast<void**>(attribute_val);
        value = &flavour;
        if (win_keyval == MPI_WIN_MODEL) value = &model;
        if (win_keyval == MPI_WIN_BASE) value = window.base();
        *flag = 1;
      },
      pass);
}

int MPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  return call(
      win,
      [&](Window& window) {
        const int code = PMPI_Group_excl(window.members(), 0, nullptr, group);  // one more of it
        if (code != MPI_SUCCESS) throw Refused(code);
      },
      [&] { return PMPI_Win_get_group(win, group); });
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) {
  return call(
      win,
      [&](Window& window) {
        MPI_Aint unit = 1;
        shared_part(window, rank, *size, unit, baseptr);
        *disp_unit = static_cast<int>(unit);
      },
      [&] { return PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr); });
}

#if MPI_VERSION >= 4
int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                       void* baseptr, MPI_Win* win) {
  return allocate(
      size, disp_unit, comm, baseptr, win,
      [&](void* base) {
        MPI_Win made = MPI_WIN_NULL;
        const int code =
            PMPI_Win_create_c(base, size, disp_unit, info, for_handles(visible(comm)), &made);
        return code == MPI_SUCCESS ? made : throw Refused(code);
      },
      [&](MPI_Comm communicator) {
        return PMPI_Win_allocate_c(size, disp_unit, info, communicator, baseptr, win);
      });
}

int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                     MPI_Win* win) {
  return own_window(PMPI_Win_create_c(base, size, disp_unit, info, visible(comm), win), win,
                    visible(comm), WindowMaker::create, "MPI_Win_create");
}

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                              void* baseptr, MPI_Win* win) {
  return own_window(PMPI_Win_allocate_shared_c(size, disp_unit, info, visible(comm), baseptr, win),
                    win, visible(comm), WindowMaker::allocate_shared, "MPI_Win_allocate_shared");
}

int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit,
                           void* baseptr) {
  return call(
      win, [&](Window& window) { shared_part(window, rank, *size, *disp_unit, baseptr); },
      [&] { return PMPI_Win_shared_query_c(win, rank, size, disp_unit, baseptr); });
}
#endif

}  // extern "C"

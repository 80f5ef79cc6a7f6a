// Starting, describing and ending the world for Python, and what happens when the process ends.
//
// A world that owns MPI is ended after Python's own end, in a handler of the C library that knows
// the exit status: a rank that leaves with a failure ends the whole run instead of leaving the
// others waiting. MPI started by somebody else ends earlier, and the world before it: mpi4py's by
// handlers that come before its own, others' inside MPI_Finalize, by the attribute of MPI_COMM_SELF
// that the standard provides for that.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "algebra/matrices/cores.hpp"
#include "array_object.hpp"
#include "atoll/error.hpp"
#include "atoll/file_system.hpp"
#include "atoll/solvers.hpp"
#include "atoll/stop.hpp"
#include "atoll/world.hpp"
#include "bindings.hpp"
#include "entry.hpp"
#include "mpi/face.hpp"
#include "mpi/library.hpp"
#include "mpi4py.hpp"
#include "world/doing.hpp"
#include "world/forked_child.hpp"
#include "world/memory_limit.hpp"
#include "world/mpi_library.hpp"
#include "world/stack_report.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::python {

namespace {

// Not a static object with a destructor: when the process ends is decided below.
World* world = nullptr;
bool ended = false;            // by finalize or by the end of MPI
bool python_ended = false;     // in order; false when C code calls exit, as MPI_Abort does
bool hooked = false;           // the handlers below are in place
bool mpi4py_ends_mpi = false;  // when Python has ended
std::string failure_of_start;  // what kept the last world from starting
bool start_failed_alone = false;
pid_t process = 0;  // forked children inherit the handlers but not MPI

void end_world() {
  World* const ending = world;
  world = nullptr;
  ended = true;
  delete ending;
}

bool mpi_runs() { return !detail::is_forked_child() && detail::mpi_is_active(); }

/// Ranks of this run; 1 when MPI does not run.
int ranks_of_run() {
  int size = 1;
  if (mpi_runs()) mpi::comm_size(mpi::comm_world, &size);
  return size;
}

/// Before MPI runs nobody has agreed on anything, and other ranks may start and wait for this one.
bool failed_alone(const Error& error) {
  return !error.everywhere() && (!detail::mpi_was_started() || ranks_of_run() > 1);
}

std::tuple<std::string, std::string, std::string> mpi_library() {
  const std::string name = detail::running_library();
  const bool is_open_mpi = detail::family_of(name) == MpiFamily::open_mpi;
  return {is_open_mpi ? "open mpi" : "mpich", name, mpi::library().file};
}

void on_mpi_finalize() {
  if (world != nullptr && getpid() == process) end_world();
}

void on_process_exit(int status) {
  if (!python_ended || getpid() != process || world == nullptr || !mpi_runs()) return;
  // Who stops when asked to does so with all others: the world ends in order.
  if (status != 0 && status != stopped_status && world->size() > 1) {
    World::abort("rank " + std::to_string(world->rank()) + " of " + std::to_string(world->size()) +
                     " ended with exit status " + std::to_string(status),
                 status);
  }
  try {
    end_world();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll: %s\n", error.what());
  }
}

/// Whether mpi4py has started MPI, and ends it by itself.
bool is_mpi4py_to_end_mpi() {
  const nb::dict modules = nb::module_::import_("sys").attr("modules");
  return mpi_runs() && modules.contains("mpi4py.MPI") &&
         !modules["mpi4py"].attr("rc").attr("finalize").is(nb::bool_(false));
}

/// mpi4py ends MPI after this. In MPI's end it would be too late: MPICH takes no locks there, and
/// the world has threads.
void on_python_exit() {
  python_ended = true;
  if (!mpi4py_ends_mpi || getpid() != process || world == nullptr || !mpi_runs()) return;
  try {
    end_world();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atoll: %s\n", error.what());
  }
}

void hook_exit() {
  mpi::call_before_finalize(&on_mpi_finalize);
  process = getpid();
  if (hooked) return;
  hooked = true;
  Py_AtExit(on_python_exit);
#ifdef __GLIBC__
  on_exit([](int status, void*) { on_process_exit(status); }, nullptr);
#else
  std::atexit([] { on_process_exit(0); });
#endif
}

void start(std::optional<int> communicator) {
  if (World::running()) throw Error(ErrorKind::state, "init: Atoll runs already");
  check_mpi4py();
  mpi4py_ends_mpi = is_mpi4py_to_end_mpi();
  // A progress rank does not come back, and leaves without Python's own end.
  for (const char* stream : {"stdout", "stderr"}) {
    const nb::object file = nb::module_::import_("sys").attr(stream);
    if (!file.is_none()) file.attr("flush")();
  }
  waiting([&] {
    if (communicator && !mpi_runs())
      throw Error(ErrorKind::state, "init: a communicator was given, but MPI does not run");
    try {
      world = communicator ? new World(mpi::comm_f2c(*communicator)) : new World();
      failure_of_start.clear();
    } catch (const Error& error) {
      failure_of_start = error.what();
      start_failed_alone = failed_alone(error);
      throw;
    }
  });
  ended = false;
  hook_exit();
  nb::module_::import_("atoll._exit").attr("end_before_mpi4py")();
  if (detail::Doing::followed) {
    const int number = detail::signal_of_language_stacks();
    const nb::object file = nb::module_::import_("atoll._stacks").attr("write_at")(number);
    detail::tell_language_stacks_by(number, nb::cast<int>(file));
  }
  if (detail::cores_are_shared())
    nb::module_::import_("atoll._threads").attr("limit")(detail::own_cores());
}

World& running_world() {
  if (!World::running()) {
    if (ended)
      throw Error(ErrorKind::state, "Atoll has been finalized; atoll.init starts it again");
    start(std::nullopt);
  }
  return World::current();
}

/// The memory goes with the world, so no view may be left; agreed on by all ranks.
void finalize() {
  if (world == nullptr) return;
  if (views_alive > 0) nb::module_::import_("gc").attr("collect")();
  const std::int32_t views = views_alive;
  const std::int32_t most = waiting([&] { return world->reduce(views, Reduction::maximum); });
  if (most > 0) {
    PyErr_SetString(PyExc_BufferError,
                    "finalize: NumPy views of local blocks are still in use; delete them first");
    nb::raise_python_error();
  }
  waiting([] { end_world(); });
}

}  // namespace

void check_mpi4py() {
  const nb::dict modules = nb::module_::import_("sys").attr("modules");
  if (!modules.contains("mpi4py.MPI")) return;
  const auto module = nb::cast<std::string>(modules["mpi4py.MPI"].attr("__file__"));
  const std::string theirs = mpi::library_of(module.c_str()), &ours = mpi::library().file;
  if (theirs.empty() || ours.empty() || theirs == ours) return;
  throw Error(ErrorKind::communication,
              "mpi4py uses another MPI library than Atoll: " + theirs + " and " + ours +
                  "; import mpi4py.MPI first, which Atoll follows, or let ATOLL_MPI and "
                  "MPI4PY_MPIABI name the same MPI (docs/install.md)");
}

void bind_world(nb::module_& m) {
  m.def("init", &start, nb::arg("communicator") = nb::none());
  m.def("finalize", &finalize);
  m.def("running", &World::running);
  m.def("is_forked_child", &detail::is_forked_child,
        "Whether this process was forked by one that runs Atoll or MPI.");
  m.def("call_count", &Entry::count,
        "Odd while a thread is inside the library; another number after each call has begun.");
  m.def("ranks_of_run", &ranks_of_run);
  m.def("rank_of_run", [] {
    int rank = 0;
    if (mpi_runs()) mpi::comm_rank(mpi::comm_world, &rank);
    return rank;
  });
  m.def(
      "failure_of_start", [] { return failure_of_start; },
      "What kept the last world from starting; nothing where none failed.");
  m.def(
      "start_failed_alone", [] { return start_failed_alone; },
      "Whether others of the run may not know of that, and wait for this process.");
  m.def("mpi_library", &mpi_library,
        "The MPI library's family (\"mpich\", \"open mpi\"), its name with the version, and the "
        "path of its file; MPI need not run.");
  m.def("world", [] { return Group(running_world()); });
  m.def("default_group", [] { return running_world().default_group(); });
  m.def(
      "set_default_group", [](const Group& group) { running_world().set_default_group(group); },
      nb::arg("group"));
  m.def("describe", [] {
    running_world();
    return describe_world() + "solvers: " + describe_solvers() + "\nfiles: " + describe_disk() +
           "\n";
  });
  m.def(
      "memory_limit",
      [] {
        const detail::MemoryLimit limit = detail::memory_limit();
        return std::pair(limit.bytes, limit.whose);
      },
      "Bytes that the machine and control groups leave to this process now, and whose limit it "
      "is.");
  m.def(
      "memory_of_node",
      [] {
        running_world();
        return detail::WorldState::get().node_memory().limit().bytes;
      },
      "Bytes that the arrays of this node may take in all.");
  m.def("heed_stop_signals", &heed_stop_signals);
  m.def("set_time_limit", &set_time_limit, nb::arg("seconds"));
  m.def("stop_due", [] { return std::string(name_of(stop_due())); });
  m.def(
      "stop_requested",
      [](const Group& group) {
        return std::string(name_of(waiting([&] { return stop_requested(group); })));
      },
      nb::arg("group"));
  m.attr("STOPPED_STATUS") = stopped_status;
  m.def(
      "abort", [](const std::string& message, int code) { World::abort(message, code); },
      nb::arg("message"), nb::arg("code"),
      nb::sig("def abort(message: str, code: int) -> typing.NoReturn"));
}

}  // namespace lagoon::atoll::python

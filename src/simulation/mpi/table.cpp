// The table of the face, filled with the simulated MPI; the run of a process, from its coming to
// its leaving.
#include "simulation/mpi/table.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "simulation/mpi/requests.hpp"
#include "simulation/trace.hpp"

namespace lagoon::atoll::simulation {

namespace {

constexpr const char* version = "Atoll's simulated MPI 1\n";

struct Run {
  pid_t process = 0;  // that has come
  bool initialised = false, finalised = false;
  pthread_t main{};
  std::vector<void (*)()> before_finalize;
};
Run& run() {
  static Run* const one = new Run;
  return *one;
}

/// ATOLL_SIMULATE=DESCRIPTOR:RANK, of a segment that this process has inherited.
void join() {
  int descriptor = -1, rank = -1;
  const char* const setting = std::getenv("ATOLL_SIMULATE");
  if (setting == nullptr || std::sscanf(setting, "%d:%d", &descriptor, &rank) != 2 ||
      !map_segment(descriptor)) {
    std::fprintf(stderr, "atoll: ATOLL_SIMULATE=%s: expected what `atoll simulate` sets (%s)\n",
                 setting == nullptr ? "" : setting, std::strerror(errno));
    std::exit(2);
  }
  come(rank);
}

int finalize() {
  for (auto function = run().before_finalize.rbegin(); function != run().before_finalize.rend();
       ++function)
    (*function)();
  if (!process().sends.empty())
    misuse("MPI_Finalize, and nobody has seen the end of a request that %s",
           in_words(*process().sends.front()).c_str());
  if (!process().posted.empty())
    misuse("MPI_Finalize with a receive that %s", in_words(*process().posted.front()).c_str());
  mpi::calls_of_simulation().barrier(mpi::comm_world);
  run().finalised = true;
  rank_leaves();
  return mpi::success;
}

void put(const char* text, char* into, int* length) {
  *length = static_cast<int>(std::strlen(text));
  std::memcpy(into, text, static_cast<std::size_t>(*length) + 1);
}

void fill_run(mpi::Calls& into) {
  into.init_thread = [](int*, char***, mpi::ThreadLevel, mpi::ThreadLevel* provided) {
    *provided = mpi::ThreadLevel::multiple;
    run().process = ::getpid();
    run().main = pthread_self();
    join();
    run().initialised = true;
    return mpi::success;
  };
  into.initialized = [](int* flag) {
    *flag = run().initialised ? 1 : 0;
    return mpi::success;
  };
  into.finalized = [](int* flag) {
    *flag = run().finalised ? 1 : 0;
    return mpi::success;
  };
  into.finalize = &finalize;
  into.query_thread = [](mpi::ThreadLevel* level) {
    *level = mpi::ThreadLevel::multiple;
    return mpi::success;
  };
  into.is_thread_main = [](int* flag) {
    *flag = pthread_equal(run().main, pthread_self());
    return mpi::success;
  };
  into.get_library_version = [](char* text, int* length) {
    put(version, text, length);
    return mpi::success;
  };
  into.get_processor_name = [](char* name, int* length) {
    put("simulated", name, length);
    return mpi::success;
  };
  into.abort = [](mpi::Comm, int code) {
    std::fflush(nullptr);
    if (me() == nullptr) std::_Exit(code);
    trace_line("MPI_Abort");
    end_run(End::aborted, code, "");
    return mpi::success;
  };
  into.wtime = [] { return static_cast<double>(now()) * 1e-9; };
  into.error_string = [](int code, char* text, int* length) {
    *length = std::snprintf(text, mpi::max_error_string, "error %d", code);
    return mpi::success;
  };
  into.call_before_finalize = [](void (*function)()) {
    run().before_finalize.push_back(function);
    return mpi::success;
  };
}

void fill_messages(mpi::Calls& into) {
  into.isend = &face::isend;
  into.issend = &face::issend;
  into.irecv = &face::irecv;
  into.recv = &face::recv;
  into.sendrecv = &face::sendrecv;
  into.iprobe = &face::iprobe;
  into.improbe = &face::improbe;
  into.imrecv = &face::imrecv;
  into.test = &face::test;
  into.testsome = &face::testsome;
  into.wait = &face::wait;
  into.cancel = &face::cancel;
  into.request_free = &face::request_free;
  into.source_of = &face::source_of;
  into.get_count = &face::get_count;
  into.get_elements_x = &face::get_elements_x;
}

/// A process that ends by itself before it has ended MPI ends the run, as launchers do.
[[gnu::destructor]] void leave_early() {
  if (!run().initialised || run().finalised || run().process != ::getpid() || me() == nullptr)
    return;
  std::fflush(nullptr);
  end_run(End::left, 0, "");
}

}  // namespace

}  // namespace lagoon::atoll::simulation

namespace lagoon::atoll::mpi {

const Calls& calls_of_simulation() {
  static Calls filled;
  static bool done = false;
  if (done) return filled;
  done = true;
  simulation::fill_run(filled);
  simulation::fill_communicators(filled);
  simulation::fill_messages(filled);
  simulation::fill_collectives(filled);
  simulation::fill_windows(filled);
  return filled;
}

}  // namespace lagoon::atoll::mpi

extern "C" [[gnu::visibility("default")]] bool atoll_simulation_fill(
    lagoon::atoll::mpi::Calls* into, std::size_t bytes) {
  if (bytes != sizeof *into) return false;
  *into = lagoon::atoll::mpi::calls_of_simulation();
  return true;
}

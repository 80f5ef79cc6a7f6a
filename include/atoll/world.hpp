// World: Atoll running on a set of processes. One World at a time; it is also the group of all.
//
// Start-up reads the ATOLL_* variables (docs/configuration.md) and finds the nodes. The destructor
// stops Atoll, and MPI too if Atoll started it. Leaving the World's scope by an exception ends the
// whole run: the other ranks could only wait for this one for ever.
#pragma once

#include <functional>
#include <string>

#include "atoll/group.hpp"
#include "atoll/mpi_header.hpp"

namespace lagoon::atoll {

class World : public Group {
 public:
  /// Collective. Starts MPI (thread multiple) unless it runs already, and uses MPI_COMM_WORLD.
  /// With ATOLL_PROGRESS=rank the last ranks of each node never return from here: they serve the
  /// node until the World ends, finalize MPI and leave the program with status 0.
  /// Error(communication) where the program was compiled for another MPI than it runs with, which
  /// the compiler tells by `compiled_for`, or is started by one, or where there is no MPI.
  explicit World(MpiHeader compiled_for = {});
  World(int& argc, char**& argv, MpiHeader compiled_for = {});
#ifdef MPI_VERSION
  /// Collective over `communicator`, which is duplicated; MPI must run and stays running. The
  /// program must have its MPI as a shared library: else Error(communication).
  explicit World(MPI_Comm communicator, MpiHeader compiled_for = {}) {
    // By address: its type depends on the MPI. And a function of the MPI whose handle it is.
    start_on(&communicator, compiled_for, reinterpret_cast<const void*>(&MPI_Get_library_version));
  }
#endif
  /// Internal: the same for a handle of the library's own.
  explicit World(mpi::Comm communicator);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  /// Collective: completes everything, releases all memory. What the destructor calls. Arrays
  /// still alive become unusable (Error(state)), never dangling.
  void finalize();

  /// MPI goes on when this World ends, also where the World has started it: somebody else ends it,
  /// by `end_mpi` or MPI_Finalize. Not collective, but for all ranks alike.
  void leave_mpi_running() noexcept;
  /// Ends MPI, if it runs, as a World that has started it does; no World may run. Collective over
  /// all processes.
  static void end_mpi() noexcept;

  /// Waits until `ready()`, such as for a message of the caller's own; serves the requests of other
  /// ranks meanwhile, and leaves the core to others. Not collective.
  void wait_until(const std::function<bool()>& ready) const;

  /// Ends the run on every rank at once with `message` on stderr. Does not return.
  [[noreturn]] static void abort(const std::string& message, int code = 1);

  /// The group that arrays are created on where none is named; the world unless set.
  Group default_group() const;
  void set_default_group(const Group& group);

  /// How often this process has met others, of any group, in a collective call so far: whoever
  /// wants to know whether one came between compares. Not collective.
  std::uint64_t meetings() const;

  /// Whether a World runs in this process, and which.
  static bool running() noexcept;
  static World& current();

 private:
  void start_on(const void* communicator, MpiHeader compiled_for, const void* mpi_function);
  void start_on(mpi::Comm communicator);
  void start(mpi::Comm communicator, bool started_mpi);
  bool started_ = false;
  int exceptions_at_start_ = 0;
};

/// What `atoll info` prints: versions, MPI, ranks, nodes, settings; one "name: value" a line.
std::string describe_world();

}  // namespace lagoon::atoll

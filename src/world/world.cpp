// World: starting and stopping Atoll, with or without an MPI that runs already.
#include "atoll/world.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "world/collective.hpp"
#include "world/config.hpp"
#include "world/ending.hpp"
#include "world/farewell.hpp"
#include "world/forked_child.hpp"
#include "world/group_state.hpp"
#include "world/last_reserve.hpp"
#include "world/launcher.hpp"
#include "world/memory_limit.hpp"
#include "world/mpi_files.hpp"
#include "world/mpi_library.hpp"
#include "world/race/detector.hpp"
#include "world/roles.hpp"
#include "world/room_for_mpi.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll {

namespace {

// Not an owner: when another rank aborts, MPI calls exit() from inside a call of ours, and static
// destructors must not call MPI again then. Only `finalize` deletes it.
detail::WorldState* world_state = nullptr;
World* current_world = nullptr;
bool owns_mpi = false;
bool progress_ranks_gone = false;  // with the World that they served

bool forked_child = false;  // of a process in which a World or MPI ran
bool mpi_ran_before_fork = false;

/// A child forgets the World: nothing that it lets go is given back, and each call finds none.
void forget_world_in_child() noexcept {
  forked_child = forked_child || world_state != nullptr || mpi_ran_before_fork;
  if (!forked_child) return;
  world_state = nullptr;
  current_world = nullptr;
  owns_mpi = false;
  detail::WorldState::running = nullptr;
}

[[gnu::constructor]] void watch_forks() {
  pthread_atfork([] { mpi_ran_before_fork = detail::mpi_is_active(); }, nullptr,
                 &forget_world_in_child);
}

/// libatoll_ghost.so, where it is loaded, leaves a program alone that runs Atoll itself.
[[gnu::constructor]] void send_ghost_aside() {
  using Function = void (*)(const void* of_libatoll);
  void* const function = dlsym(RTLD_DEFAULT, "atoll_ghost_step_aside");
  if (function != nullptr) reinterpret_cast<Function>(function)(&world_state);
}

bool mpi_running() {
  int initialized = 0, finalized = 0;
  mpi::initialized(&initialized);
  mpi::finalized(&finalized);
  if (finalized != 0)
    throw Error(ErrorKind::state, "MPI was finalized; it cannot be started twice in a process");
  return initialized != 0;
}

/// Whether what is being handled meets all ranks alike. Else the others are in the midst of their
/// start, and wait.
bool fails_everywhere(mpi::Comm communicator) noexcept {
  int size = 0;
  mpi::comm_size(communicator, &size);
  if (size == 1) return true;
  try {
    throw;
  } catch (const Error& error) {
    return error.everywhere();
  } catch (...) {
    return false;
  }
}

/// Error(value) on all ranks, with the values, where settings differ that must not.
detail::Config agreed_config(mpi::Comm communicator) {
  detail::Config config;
  detail::Failure failure = detail::attempt([&] { config = detail::Config::from_environment(); });
  std::string first;  // of rank 0, a line each; nothing where it has failed
  if (!failure)
    for (const std::string& setting : config.common()) first += setting + '\n';
  std::uint64_t length = first.size();
  detail::check_mpi(mpi::bcast(&length, 1, mpi::type_uint64, 0, communicator), "MPI_Bcast");
  first.resize(length);
  detail::check_mpi(
      mpi::bcast(first.data(), static_cast<int>(length), mpi::type_char, 0, communicator),
      "MPI_Bcast");
  int rank = 0;
  mpi::comm_rank(communicator, &rank);
  std::istringstream lines(first);
  std::string theirs, there, here;
  for (const std::string& mine : config.common())
    if (std::getline(lines, theirs) && theirs != mine) {
      there += (there.empty() ? "" : ", ") + theirs;
      here += (here.empty() ? "" : ", ") + mine;
    }
  if (!failure && !there.empty())
    failure =
        Error(ErrorKind::value, "environment variables must be the same on all ranks: rank 0 has " +
                                    there + "; rank " + std::to_string(rank) + " has " + here);
  detail::agree_to_start(communicator, failure);
  return config;
}

/// What a progress rank does in the place of a World: it serves its node until the world ends,
/// then leaves the program. So only compute ranks ever run the code behind the World's creation.
/// Throws, on all ranks, what keeps the world from starting.
[[noreturn]] void serve_and_exit(std::unique_ptr<const detail::Roles> roles,
                                 const detail::Config& config) {
  detail::serve_node(*roles, config);
  roles.reset();
  detail::finalize_mpi();
  std::exit(0);  // not _Exit: MPICH tells its launcher of an orderly end in a function of atexit
}

/// What it throws meets all ranks alike, but for a lack of memory.
void check_before_start(const MpiHeader& compiled_for) {
  detail::refuse_forked_child();
  detail::must_go_on("the start of Atoll", [&] {
    detail::require_our_mpi(compiled_for);
    detail::check_launcher();
  });
}

/// Returns whether this call started MPI.
bool start_mpi(int* argc, char*** argv, const MpiHeader& compiled_for) {
  check_before_start(compiled_for);
  if (mpi_running()) return false;
  detail::tell_lack_of_room_for_mpi();
  mpi::ThreadLevel provided{};
  detail::check_mpi(mpi::init_thread(argc, argv, mpi::ThreadLevel::multiple, &provided),
                    "MPI_Init_thread");
  return true;
}

}  // namespace

World::World(MpiHeader compiled_for) {
  start(mpi::comm_world, start_mpi(nullptr, nullptr, compiled_for));
}

World::World(int& argc, char**& argv, MpiHeader compiled_for) {
  start(mpi::comm_world, start_mpi(&argc, &argv, compiled_for));
}

World::World(mpi::Comm communicator) {
  check_before_start({});
  start_on(communicator);
}

void World::start_on(const void* communicator, MpiHeader compiled_for, const void* mpi_function) {
  check_before_start(compiled_for);
  detail::must_go_on("the start of Atoll", [&] { detail::require_one_mpi(mpi_function); });
  std::uintptr_t bits = 0;
  std::memcpy(&bits, communicator, compiled_for.handle_bytes);  // the lower bytes come first
  start_on(mpi::calls.comm_of_native(bits));
}

void World::start_on(mpi::Comm communicator) {
  if (!mpi_running()) throw Error(ErrorKind::state, "World(communicator): MPI is not running");
  if (communicator == mpi::comm_null)
    throw Error(ErrorKind::value, "World(communicator): the communicator is MPI_COMM_NULL");
  start(communicator, false);
}

void World::start(mpi::Comm communicator, bool started_mpi) {
  owns_mpi = owns_mpi || started_mpi;
  if (world_state != nullptr)
    throw Error(ErrorKind::state, "a World runs already in this process; there is one at a time");
  if (progress_ranks_gone)
    throw Error(ErrorKind::state,
                "with ATOLL_PROGRESS=rank a program has one World: its progress ranks have left");
  exceptions_at_start_ = std::uncaught_exceptions();
  detail::keep_last_reserve();
  detail::refuse_large_files_by_error();
  try {
    const detail::Config config = agreed_config(communicator);
    detail::check_processes_know_each_other();
    auto roles = std::make_unique<const detail::Roles>(communicator, config);
    if (roles->serves) serve_and_exit(std::move(roles), config);
    world_state = new detail::WorldState(std::move(roles), config);
  } catch (...) {
    if (!fails_everywhere(communicator)) detail::cannot_go_on("the start of Atoll");
    if (started_mpi) {
      detail::finalize_mpi();
      owns_mpi = false;
    }
    throw;
  }
  Group::operator=(world_state->all);
  current_world = this;
  started_ = true;
}

World::~World() {
  if (!started_ || forked_child) return;
  if (std::uncaught_exceptions() > exceptions_at_start_) {
    const std::string& last = detail::last_error();
    detail::end_run({"left the World by an exception, which ends the run",
                     last.empty() ? "" : " (last error: ", last, last.empty() ? "" : ")"},
                    1);
  }
  try {
    finalize();
  } catch (const Error& error) {
    detail::end_run({error.what()}, 1);
  } catch (...) {
    detail::cannot_go_on("the end of the World");
  }
}

void World::finalize() {
  if (!started_) return;
  detail::refuse_forked_child();
  for (const auto& finish : std::exchange(world_state->at_end, {})) finish();
  // A merge that nobody waited for: other nodes need this rank's part of it.
  world_state->wait_until([] { return world_state->chores.empty(); });
  // By a name of its own: a rank that waits for this one in another call is told, and ends.
  {
    detail::Farewell farewell(*world_state);
    detail::enter_collective(*this, "the end of the program", 1, nullptr);
    farewell.settle();
  }
  if (detail::race::Detector::running != nullptr) detail::race::Detector::running->tell_end();
  world_state->default_group = Group();
  world_state->all.state()->reclaim();
  if (!world_state->config.profile.empty()) world_state->profile->write(*world_state);
  started_ = false;
  current_world = nullptr;
  progress_ranks_gone = world_state->config.progress == detail::ProgressMode::rank;
  Group::operator=(Group());
  delete world_state;
  world_state = nullptr;
  if (owns_mpi) {
    owns_mpi = false;
    detail::finalize_mpi();
  }
}

void World::leave_mpi_running() noexcept { owns_mpi = false; }

void World::end_mpi() noexcept {
  if (!forked_child && detail::mpi_is_active()) detail::finalize_mpi();
}

void World::wait_until(const std::function<bool()>& ready) const {
  detail::WorldState::get().wait_for_message(ready);
}

void World::abort(const std::string& message, int code) { detail::end_run({message}, code); }

Group World::default_group() const { return detail::WorldState::get().default_group; }

void World::set_default_group(const Group& group) {
  if (!group) throw Error(ErrorKind::value, "set_default_group: this process is not a member");
  detail::WorldState::get().default_group = group;
}

std::uint64_t World::meetings() const {
  return detail::WorldState::get().meetings.load(std::memory_order_relaxed);
}

bool World::running() noexcept { return current_world != nullptr; }

World& World::current() {
  detail::refuse_forked_child();
  if (current_world == nullptr) throw Error(ErrorKind::state, "no World is running");
  return *current_world;
}

bool detail::is_forked_child() noexcept { return forked_child; }

void detail::refuse_forked_child() {
  if (forked_child)
    throw Error(ErrorKind::state,
                "this process was forked by one that runs Atoll or MPI, and has no part in its "
                "World; have Python's multiprocessing start its processes by \"spawn\"");
}

std::string describe_world() {
  detail::WorldState& world = detail::WorldState::get();
  char library[mpi::max_library_version_string];
  int length = 0;
  mpi::get_library_version(library, &length);
  const std::string mpi(library, static_cast<std::size_t>(length));
  const detail::Topology& t = world.topology;
  std::string text = "Atoll: " ATOLL_VERSION "\n";
  text += "MPI library: " + mpi.substr(0, mpi.find_first_of("\n,")) + "\n";
  text += "ranks: " + std::to_string(t.size) + "\n";
  text +=
      "nodes: " + std::to_string(t.nodes) +
      (world.config.nodes > 1 ? " (virtual, ATOLL_NODES=" + std::to_string(world.config.nodes) + ")"
                              : "") +
      "\n";
  text += "ranks on this host: " + std::to_string(t.host_ranks) + " on " +
          std::to_string(t.host_cores) + " cores" +
          (detail::oversubscribed() ? " (oversubscribed: waiting does not spin)" : "") + "\n";
  text +=
      "between nodes: " +
      std::string(world.progress != nullptr ? world.progress->describe() : "nothing: one node") +
      "\n";
  text += "memory a node: " + world.node_memory().describe() + "\n";
  for (const std::string& setting : world.config.describe()) text += "setting: " + setting + "\n";
  return text;
}

}  // namespace lagoon::atoll

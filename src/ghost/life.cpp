#include "ghost/life.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "atoll/error.hpp"
#include "atoll/world.hpp"
#include "ghost/ghost.hpp"
#include "ghost/real.hpp"
#include "ghost/report.hpp"
#include "ghost/windows/attendant.hpp"
#include "ghost/windows/turn.hpp"
#include "mpi/library.hpp"
#include "mpi/native.hpp"
#include "world/config.hpp"
#include "world/ending.hpp"
#include "world/world_state.hpp"

namespace lagoon::atoll::ghost {

namespace detail {
MPI_Comm world = MPI_COMM_WORLD;
bool running = false;
}  // namespace detail

namespace {

using atoll::detail::Config;
using atoll::detail::GhostMode;
using atoll::detail::ProgressMode;

bool is_started = false;
bool aside = false;  // the program runs Atoll itself
bool multiple = false;
bool several_threads = false;  // in the program, on some rank
bool checks = false;
int level_of_program = MPI_THREAD_SINGLE;
Mode chosen = Mode::off;
World* running_world = nullptr;

/// The settings, as far as they can be read: what is wrong with them is told by the World's start,
/// on all ranks.
Config settings() {
  try {
    return Config::from_environment();
  } catch (const Error&) {
    Config config;
    config.ghost = GhostMode::thread;
    return config;
  }
}

/// Whether the environment gives MPI_Init more than MPI_THREAD_SINGLE.
bool level_is_set() {
  return std::getenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL") != nullptr ||
         std::getenv("OMPI_MPI_THREAD_LEVEL") != nullptr;
}

Mode mode_of(GhostMode wanted) {
  if (wanted == GhostMode::off || wanted == GhostMode::ranks)
    return wanted == GhostMode::off ? Mode::off : Mode::ranks;
  if (multiple) return Mode::thread;
  say("this MPI does not give MPI_THREAD_MULTIPLE, so no thread can make progress: the program "
      "runs as without atoll (ATOLL_GHOST=ranks works)");
  return Mode::off;
}

/// What the program is to see in the place of MPI_COMM_WORLD where some of it are ghosts.
MPI_Comm make_user_world() {
  MPI_Comm made = MPI_COMM_NULL;
  atoll::detail::check_mpi(
      PMPI_Comm_dup(mpi::native<MPI_Comm>(atoll::detail::WorldState::get().roles->compute), &made),
      "MPI_Comm_dup");
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  PMPI_Comm_set_errhandler(made, handler);
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_set_name(made, "MPI_COMM_WORLD");
  return made;
}

/// A rank that waits in Atoll's memory calls no MPI, which need not send on its own what a call of
/// the program has begun, and another rank may wait for: so it looks into MPI, too.
class Push : public atoll::detail::Chore {
 public:
  bool done() const noexcept override { return !detail::running; }

 private:
  bool take_turn() override {
    constexpr int rare_tag = 32767;  // MPICH goes on only where it finds nothing
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, rare_tag, user_world(), &found, MPI_STATUS_IGNORE);
    return false;
  }
  std::string_view name() const noexcept override { return "a look into MPI"; }
};

/// Threads of the program that call at once: those of one rank are the business of all.
void prepare_for_threads() {
  const int mine = level_of_program == MPI_THREAD_MULTIPLE ? 1 : 0;
  int some = 0;
  atoll::detail::check_mpi(PMPI_Allreduce(&mine, &some, 1, MPI_INT, MPI_MAX, detail::world),
                           "MPI_Allreduce");
  several_threads = some != 0;
  open_queues();
}

/// What Atoll's calls lead to: functions by their PMPI_ names, and the objects of Open MPI, of
/// which a program may have the copies that all use.
void* of_real_mpi(const char* name) {
  const std::string real = name;
  return real.starts_with("MPI_") ? real_function(('P' + real).c_str()) : dlsym(RTLD_DEFAULT, name);
}

void start_world() {
  Config::adjust = [](Config& config) {
    config.progress = chosen == Mode::ranks ? ProgressMode::rank : ProgressMode::thread;
    config.progress_ranks = config.ghost_ranks;
  };
  try {
    mpi::use(atoll::detail::mpi_family, of_real_mpi);
    running_world = new World(MPI_COMM_WORLD);
    if (chosen == Mode::ranks) detail::world = make_user_world();
    prepare_for_threads();
    detail::running = true;
    atoll::detail::WorldState::get().chores.push_back(std::make_shared<Push>());
  } catch (const std::exception& error) {  // on all ranks
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) std::this_thread::sleep_for(std::chrono::seconds(5));  // one line is enough
    std::fprintf(stderr, "atoll ghost: %s\n", error.what());
    atoll::detail::let_output_be_read(STDERR_FILENO);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);  // MPICH 5 may come back before its launcher ends the process
  }
}

}  // namespace

int start(int* argc, char*** argv, int required, bool by_default, int& provided) {
  is_started = true;
  const Config config = settings();
  const bool wanted = !aside && config.ghost != GhostMode::off;
  const int asked = wanted ? int{MPI_THREAD_MULTIPLE} : required;
  int given = MPI_THREAD_SINGLE;
  const int status =
      wanted || !by_default ? PMPI_Init_thread(argc, argv, asked, &given) : PMPI_Init(argc, argv);
  if (status != MPI_SUCCESS) return status;
  PMPI_Query_thread(&given);
  multiple = given == MPI_THREAD_MULTIPLE;
  const bool theirs = !wanted || (by_default && level_is_set());
  provided = level_of_program = theirs ? given : std::min(given, required);
  checks = wanted && config.ghost_check;
  chosen = wanted ? mode_of(config.ghost) : Mode::off;
  if (chosen != Mode::off) start_world();
  return MPI_SUCCESS;
}

void end() noexcept {
  if (!detail::running) return;
  if (checks) print_report();
  end_attendant();
  detail::running = false;  // the user's world goes on: MPI_Finalize calls the program's functions
  try {
    close_queues();
    running_world->finalize();
    delete running_world;
    running_world = nullptr;
  } catch (const std::exception& error) {
    World::abort(std::string("ghost: ") + error.what());
  }
}

bool started() noexcept { return is_started; }
bool wants_world() { return !aside && settings().ghost != GhostMode::off; }
bool wants_report() { return wants_world() && settings().ghost_check; }
bool wants_ghosts() { return !aside && settings().ghost == GhostMode::ranks; }
Mode mode() noexcept { return chosen; }
int thread_level() noexcept { return level_of_program; }
bool threads_meet() noexcept { return several_threads; }
bool threads_allowed() noexcept { return multiple; }
bool checking() noexcept { return checks; }

std::recursive_mutex& library_lock() {
  static std::recursive_mutex& lock = *new std::recursive_mutex;  // exit() may come in any call
  return lock;
}

void say(const std::string& line) {
  int rank = 0;
  PMPI_Comm_rank(user_world(), &rank);
  if (rank == 0) std::fprintf(stderr, "atoll ghost: %s\n", line.c_str());
}

}  // namespace lagoon::atoll::ghost

/// Called by every libatoll when it is loaded, with an address in it: a program that runs Atoll
/// itself has agents of its own. The copy inside this library calls it, too.
extern "C" void atoll_ghost_step_aside(const void* of_libatoll) {
  using lagoon::atoll::ghost::is_started;
  Dl_info theirs{}, mine{};
  if (dladdr(of_libatoll, &theirs) == 0 || dladdr(&is_started, &mine) == 0) return;
  if (theirs.dli_fbase != mine.dli_fbase) lagoon::atoll::ghost::aside = true;
}

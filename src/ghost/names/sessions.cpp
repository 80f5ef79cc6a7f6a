// Sessions: process sets hold no ghosts; when a World begins and ends for them.
#include "ghost/sessions.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ghost/ghost.hpp"
#include "ghost/life.hpp"
#include "ghost/report.hpp"

namespace lagoon::atoll::ghost {

namespace {

bool started_by_session = false;  // and the program has not called MPI_Init since
int sessions = 0;
int processes = 0;   // of the program; 0: it has had no session
bool first = false;  // of these

void start_by_session() {
  int provided = 0;
  started_by_session = start(nullptr, nullptr, MPI_THREAD_MULTIPLE, false, provided) == MPI_SUCCESS;
}

/// At exit: sessions cannot begin again any more. Where some are open MPI is left as it is.
void end_with_program() {
  static bool ended = false;
  if (std::exchange(ended, true) || sessions > 0) return;
  if (started_by_session) {
    end();
    PMPI_Finalize();
  }
  if (!started() && wants_report()) print_report_of_process(first);
}

/// Which processes there are, as MPI has them.
void learn_processes(MPI_Session session) {
  MPI_Group all = MPI_GROUP_NULL;
  int rank = 0;
  if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &all) != MPI_SUCCESS) return;
  PMPI_Group_size(all, &processes);
  PMPI_Group_rank(all, &rank);
  PMPI_Group_free(&all);
  first = rank == 0;
}

/// The program's info, and a level that allows threads of our own: that of the first session is
/// MPI's for good.
MPI_Info with_threads(MPI_Info given) {
  MPI_Info made = MPI_INFO_NULL;
  if (given == MPI_INFO_NULL)
    PMPI_Info_create(&made);
  else
    PMPI_Info_dup(given, &made);
  PMPI_Info_set(made, "thread_level", "MPI_THREAD_MULTIPLE");
  return made;
}

/// With MPI_Finalize the ghosts have ended, without whom MPI cannot begin again.
int refuse_session(MPI_Errhandler handler) {
  std::fprintf(stderr,
               "atoll ghost: MPI_Session_init after MPI_Finalize is refused where ghost "
               "ranks ran; ATOLL_GHOST=thread allows it\n");
  if (handler == MPI_ERRORS_RETURN) return MPI_ERR_OTHER;
  std::_Exit(1);
}

}  // namespace

bool program_starts_world() noexcept {
  const bool before = started_by_session;
  started_by_session = false;
  return before;
}

bool only_sessions() noexcept { return started_by_session; }

void begin_for_window(MPI_Comm communicator) {
  if (processes == 0 || started() || !wants_world()) return;
  int inter = 0, size = 0, level = 0;
  PMPI_Comm_test_inter(communicator, &inter);
  PMPI_Comm_size(communicator, &size);
  PMPI_Query_thread(&level);
  if (inter == 0 && size == processes && level == MPI_THREAD_MULTIPLE) start_by_session();
}

}  // namespace lagoon::atoll::ghost

// The header that names the real functions has those of the mpi.h in use.
#ifdef PMPI_Session_init

using namespace lagoon::atoll::ghost;

namespace {

/// The ranks in `group` of the processes that are not in the program's world.
std::vector<int> ghosts_of(MPI_Group group) {
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(user_world(), &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), there(ranks.size()), ghosts;
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, there.data());
  PMPI_Group_free(&world);
  for (const int rank : ranks)
    if (there[static_cast<std::size_t>(rank)] == MPI_UNDEFINED) ghosts.push_back(rank);
  return ghosts;
}

}  // namespace

extern "C" {

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  if (!started() && wants_ghosts()) start_by_session();
  if (mode() == Mode::ranks && !active()) return refuse_session(errhandler);
  const bool threads = !started() && wants_world();
  MPI_Info asked = threads ? with_threads(info) : info;
  const int status = PMPI_Session_init(asked, errhandler, session);
  if (threads) PMPI_Info_free(&asked);
  if (status != MPI_SUCCESS) return status;
  ++sessions;
  if (processes == 0 && !started()) learn_processes(*session);
  return MPI_SUCCESS;
}

int MPI_Session_finalize(MPI_Session* session) {
  const int status = PMPI_Session_finalize(session);
  // Now rather than sooner, so that it comes before what else has been left for the end.
  if (status == MPI_SUCCESS && --sessions == 0) std::atexit(end_with_program);
  return status;
}

int MPI_Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  MPI_Group all = MPI_GROUP_NULL;
  const int status = PMPI_Group_from_session_pset(session, pset_name, &all);
  if (status != MPI_SUCCESS || mode() != Mode::ranks) {
    *newgroup = all;
    return status;
  }
  const std::vector<int> ghosts = ghosts_of(all);
  const int excluded =
      PMPI_Group_excl(all, static_cast<int>(ghosts.size()), ghosts.data(), newgroup);
  PMPI_Group_free(&all);
  return excluded;
}

int MPI_Session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info_used) {
  const int status = PMPI_Session_get_pset_info(session, pset_name, info_used);
  if (status != MPI_SUCCESS || mode() != Mode::ranks) return status;
  MPI_Group group = MPI_GROUP_NULL;
  if (MPI_Group_from_session_pset(session, pset_name, &group) != MPI_SUCCESS) return status;
  int size = 0;
  PMPI_Group_size(group, &size);
  PMPI_Group_free(&group);
  return PMPI_Info_set(*info_used, "mpi_size", std::to_string(size).c_str());
}

}  // extern "C"

#endif

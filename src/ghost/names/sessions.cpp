// Sessions: process sets hold no ghosts.
#include "ghost/sessions.hpp"

#include <mpi.h>

#include <numeric>
#include <string>
#include <vector>

#include "ghost/ghost.hpp"
#include "ghost/life.hpp"

namespace lagoon::atoll::ghost {

namespace {

bool started_by_session = false;  // and the program has not called MPI_Init since
int sessions = 0;

}  // namespace

bool program_starts_world() noexcept {
  const bool before = started_by_session;
  started_by_session = false;
  return before;
}

bool only_sessions() noexcept { return started_by_session; }

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
  // A session is one process's own affair; a World is everybody's, so only ghosts call for one.
  if (!started() && wants_ghosts()) {
    int provided = 0;
    const int status = start(nullptr, nullptr, MPI_THREAD_MULTIPLE, false, provided);
    if (status != MPI_SUCCESS) return status;
    started_by_session = true;
  }
  const int status = PMPI_Session_init(info, errhandler, session);
  if (status == MPI_SUCCESS) ++sessions;
  return status;
}

int MPI_Session_finalize(MPI_Session* session) {
  const int status = PMPI_Session_finalize(session);
  if (status != MPI_SUCCESS || --sessions > 0 || !started_by_session) return status;
  end();
  return PMPI_Finalize();
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

// What MPI keeps for MPI_COMM_WORLD alone, for a program that sees another communicator there.
#include <mpi.h>

#include <cstdio>

#include "ghost/ghost.hpp"

using namespace lagoon::atoll::ghost;

namespace {

bool hides_world(MPI_Comm communicator) {
  return mode() == Mode::ranks && visible(communicator) == user_world();
}

/// Open MPI attaches these to MPI_COMM_WORLD only.
bool is_predefined(int keyval) {
  for (const int predefined : {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE,
                               MPI_APPNUM, MPI_LASTUSEDCODE})
    if (keyval == predefined) return true;
  return false;
}

MPI_Comm with_attribute(MPI_Comm communicator, int keyval) {
  return hides_world(communicator) && is_predefined(keyval) ? MPI_COMM_WORLD
                                                            : visible(communicator);
}

/// Errors without a communicator go to MPI_COMM_WORLD's handler in MPI 3, so both get it.
int set_handler(MPI_Comm communicator, MPI_Errhandler handler) {
  if (hides_world(communicator)) PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  return PMPI_Comm_set_errhandler(visible(communicator), handler);
}

/// New processes would be told apart from ghosts by nobody.
int refuse_to_spawn(MPI_Comm communicator, MPI_Comm* intercommunicator) {
  say("MPI_Comm_spawn is refused where ghost ranks run; ATOLL_GHOST=thread allows it");
  *intercommunicator = MPI_COMM_NULL;
  PMPI_Comm_call_errhandler(visible(communicator), MPI_ERR_SPAWN);
  return MPI_ERR_SPAWN;
}

}  // namespace

extern "C" {

int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  return PMPI_Comm_get_attr(with_attribute(comm, comm_keyval), comm_keyval, attribute_val, flag);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return PMPI_Comm_get_attr(with_attribute(comm, keyval), keyval, attribute_val, flag);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return set_handler(comm, errhandler);
}

#ifdef PMPI_Errhandler_set
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return set_handler(comm, errhandler);
}
#endif

int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
                   MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
  if (mode() == Mode::ranks) return refuse_to_spawn(comm, intercomm);
  return PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
}

int MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[],
                            const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                            MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
  if (mode() == Mode::ranks) return refuse_to_spawn(comm, intercomm);
  return PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs,
                                  array_of_info, root, comm, intercomm, array_of_errcodes);
}

}  // extern "C"

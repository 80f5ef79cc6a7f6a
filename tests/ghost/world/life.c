/* A program that knows nothing of ghosts, and ends in the way that it is asked for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int class_of(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  return class;
}

/* What libatoll does when it is loaded: this program has it, too. */
static void send_library_aside(void) {
  void (*aside)(const void*);
  *(void**)&aside = dlsym(RTLD_DEFAULT, "atoll_ghost_step_aside");
  aside((const void*)&send_library_aside);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "aside") == 0) send_library_aside();
  int provided = 0, rank = 0, size = 0, sum = 0, length = 0;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d in %s, sum %d, level %d\n", rank, size, name, sum,
         provided - MPI_THREAD_FUNNELED);
  fflush(stdout);
  if (strcmp(how, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(how, "kill") == 0 && rank == 0) raise(SIGKILL);
  if (strcmp(how, "abort") == 0 || strcmp(how, "kill") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "idle") == 0) sleep(4);
  if (strcmp(how, "errors") == 0) {
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int spawned = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                       &children, MPI_ERRCODES_IGNORE);
    const int sent = MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    printf("spawn refused %d, no ghost to send to %d\n", class_of(spawned) == MPI_ERR_SPAWN,
           class_of(sent) == MPI_ERR_RANK);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Finalize();
  return 0;
}

/* Makes windows on its own memory where the system has no thread to give any more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int exhausted;

/* Called by all libraries in the place of the system's. */
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* with) {
  typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (exhausted) return EAGAIN;
  return ((Create*)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, run, with);
}

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  long memory = 0, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  exhausted = 1;
  for (int round = 0; round < 2; ++round) {
    MPI_Win window;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(&one, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  }
  printf("rank %d of %d: %ld\n", rank, size, memory);
  MPI_Finalize();
  return 0;
}

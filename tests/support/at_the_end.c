/* Between a program, or libatoll_ghost.so, and MPI: how many threads of C++ live where MPI's own
 * end begins. MPI, in C, starts its threads without libstdc++. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct start {
  void* (*function)(void*);
  void* argument;
};

static atomic_int started, alive;

static void* count(void* given) {
  const struct start start = *(struct start*)given;
  free(given);
  void* const result = start.function(start.argument);
  --alive;
  return result;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  *(void**)&create = dlsym(RTLD_NEXT, "pthread_create");
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) == 0 ||
      strstr(caller.dli_fname, "stdc++") == NULL)
    return create(thread, attributes, function, argument);
  struct start* const start = malloc(sizeof *start);
  *start = (struct start){function, argument};
  ++started;
  ++alive;
  return create(thread, attributes, count, start);
}

/* Python's MPI is its own, and not the next for all. */
static void* real(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  const char* const libraries[] = {"libmpi.so.12", "libmpi.so.40"};
  for (int i = 0; i < 2 && found == NULL; ++i) {
    void* const library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) found = dlsym(library, name);
  }
  return found;
}

static int end_by(const char* name) {
  int (*finalize)(void);
  *(void**)&finalize = real(name);
  const int left = alive;
  printf("threads started: %s, alive: %d\n", started > 0 ? "some" : "none", left);
  fflush(stdout);
  return finalize();
}

int MPI_Finalize(void) { return end_by("MPI_Finalize"); }
int PMPI_Finalize(void) { return end_by("PMPI_Finalize"); }

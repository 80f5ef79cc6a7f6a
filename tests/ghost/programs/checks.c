#include "checks.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int rank = 0;
int size = 1;
int strict = 0;

static int failures = 0;
static const char* running = "no test";

enum { printed_failures = 8, seconds_a_test = 240 };

void check(int good, const char* file, int line, const char* format, ...) {
  if (good) return;
  if (++failures > printed_failures) return;
  const char* name = strrchr(file, '/');
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "[rank %d] %s, %s:%d: ", rank, running, name != NULL ? name + 1 : file, line);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
}

void check_class(int code, int expected, const char* file, int line, const char* what) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  check(found == expected, file, line, "%s: error class %d, expected %d", what, found, expected);
}

void check_bytes(const void* found, const void* expected, size_t bytes, const char* format, ...) {
  if (memcmp(found, expected, bytes) == 0) return;
  const unsigned char *left = found, *right = expected;
  size_t at = 0;
  while (left[at] == right[at]) ++at;
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  check(0, __FILE__, __LINE__, "%s: byte %zu of %zu is %u, expected %u", text, at, bytes, left[at],
        right[at]);
}

// A rank that hangs says where and ends the run: mpiexec ends the others.
static void stuck(int number) {
  (void)number;
  char text[200];
  const int length = snprintf(text, sizeof text, "[rank %d] stuck in %s\n", rank, running);
  if (write(STDERR_FILENO, text, (size_t)length) != length) _exit(3);
  _exit(2);
}

static int chosen(const char* name, int argc, char** argv) {
  if (argc < 2) return 1;
  for (int i = 1; i < argc; ++i)
    if (strstr(name, argv[i]) != NULL) return 1;
  return 0;
}

int run_tests(const Test* tests, int argc, char** argv) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  strict = getenv("GHOST_TEST_STRICT") != NULL;
  signal(SIGALRM, stuck);
  int failed = 0, run = 0;
  for (const Test* test = tests; test->name != NULL; ++test) {
    if (!chosen(test->name, argc, argv)) continue;
    running = test->name;
    failures = 0;
    const double start = MPI_Wtime();
    alarm(seconds_a_test);
    test->run();
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    alarm(0);
    ++run;
    failed += all > 0;
    if (rank == 0)
      printf("%s %s (%.0f ms)\n", all > 0 ? "FAIL" : "ok", test->name, 1e3 * (MPI_Wtime() - start));
    fflush(stdout);
  }
  if (rank == 0) printf("%d tests on %d ranks, %d failed\n", run, size, failed);
  fflush(stdout);
  return failed > 0 || run == 0;
}

uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int below(uint64_t* state, int bound) { return (int)(next_random(state) % (uint64_t)bound); }

MPI_Win window_of(MPI_Aint bytes, int unit, void* base) {
  MPI_Win window = MPI_WIN_NULL;
  void* memory = NULL;
  MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (bytes > 0) memset(memory, 0, (size_t)bytes);
  *(void**)base = memory;
  MPI_Barrier(MPI_COMM_WORLD);
  return window;
}

// How much of one-sided operations computation hides, in plain MPI: the second of two ranks
// computes, and the first one's operations on its memory are to happen meanwhile.
//
//     overlap ROUNDS KIND:OPERATIONS:MULTIPLICATIONS ...
//
// KIND: put, get, accumulate, each of one block, or fetch (of one number). For each point a line
// "POINT COMPUTING OPERATING BOTH", medians in milliseconds until both ranks are done: products of
// blocks alone, operations with their flush alone (the target waits in MPI), and both at once.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

enum { most_rounds = 1000 };

static int rank, size;
static double a[block_size], b[block_size], c[block_size], own[block_size];
static MPI_Win window;

typedef struct {
  char kind;
  int operations;
  long multiplications;
} Point;

static void operate(char kind, int target) {
  long one = 1, old = 0;
  switch (kind) {
    case 'p':
      MPI_Put(own, block_size, MPI_DOUBLE, target, 0, block_size, MPI_DOUBLE, window);
      break;
    case 'g':
      MPI_Get(own, block_size, MPI_DOUBLE, target, 0, block_size, MPI_DOUBLE, window);
      break;
    case 'a':
      MPI_Accumulate(own, block_size, MPI_DOUBLE, target, 0, block_size, MPI_DOUBLE, MPI_SUM,
                     window);
      break;
    default:
      MPI_Fetch_and_op(&one, &old, MPI_LONG, target, block_size, MPI_SUM, window);
      MPI_Win_flush(target, window);  // what is fetched is wanted
  }
}

// Milliseconds until both ranks are done.
static double one_round(const Point* point, int operates, int computes) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (operates && rank == 0) {
    for (int i = 0; i < point->operations; ++i) operate(point->kind, size - 1);
    MPI_Win_flush(size - 1, window);
  }
  if (computes && rank == size - 1) multiply(a, b, c, point->multiplications);
  MPI_Barrier(MPI_COMM_WORLD);
  return 1e3 * (MPI_Wtime() - start);
}

static int by_size(const void* left, const void* right) {
  const double x = *(const double*)left, y = *(const double*)right;
  return (x > y) - (x < y);
}

static double median(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  return times[count / 2];
}

static void measure(const char* name, const Point* point, int rounds) {
  static double computing[most_rounds], operating[most_rounds], both[most_rounds];
  one_round(point, 1, 1);  // connections are made
  for (int i = 0; i < rounds; ++i) {
    computing[i] = one_round(point, 0, 1);
    operating[i] = one_round(point, 1, 0);
    both[i] = one_round(point, 1, 1);
  }
  if (rank != 0) return;
  printf("%s %.4f %.4f %.4f\n", name, median(computing, rounds), median(operating, rounds),
         median(both, rounds));
  fflush(stdout);
}

static Point read_point(const char* text) {
  Point point = {text[0], 0, 0};
  const char* const colon = strchr(text, ':');
  if (colon == NULL || sscanf(colon, ":%d:%ld", &point.operations, &point.multiplications) != 2) {
    fprintf(stderr, "overlap: '%s': expected KIND:OPERATIONS:MULTIPLICATIONS\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return point;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int rounds = argc > 1 ? atoi(argv[1]) : 0;
  if (rounds < 1 || rounds > most_rounds) rounds = 5;
  void* base = NULL;
  const MPI_Aint bytes = (block_size + 1) * (MPI_Aint)sizeof(double);
  MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  memset(base, 0, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (int i = 2; i < argc; ++i) {
    const Point point = read_point(argv[i]);
    measure(argv[i], &point, rounds);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}

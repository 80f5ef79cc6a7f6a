// How much of one-sided operations computation hides, in plain MPI: both of two ranks compute, and
// the first one's operations on the other's memory are to happen meanwhile.
//
//     overlap ROUNDS KIND:OPERATIONS:MULTIPLICATIONS ...
//
// KIND: put, get, accumulate, each of one block, or fetch (of one number). For each point a line
// "POINT COMPUTING OPERATING BOTH", medians in milliseconds: products of blocks alone, operations
// with their flush alone (the target waits in MPI), and operations, products, flush.
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

static double one_round(const Point* point, int operates, int computes) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const int issues = operates && rank == 0;
  for (int i = 0; issues && i < point->operations; ++i) operate(point->kind, size - 1);
  if (computes) multiply(a, b, c, point->multiplications);
  if (issues) MPI_Win_flush(size - 1, window);
  return MPI_Wtime() - start;
}

static int by_size(const void* left, const void* right) {
  const double x = *(const double*)left, y = *(const double*)right;
  return (x > y) - (x < y);
}

static double median(const Point* point, int rounds, int operates, int computes) {
  static double times[most_rounds];
  for (int i = 0; i < rounds; ++i) times[i] = 1e3 * one_round(point, operates, computes);
  MPI_Barrier(MPI_COMM_WORLD);
  qsort(times, (size_t)rounds, sizeof *times, by_size);
  return times[rounds / 2];
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
    one_round(&point, 1, 0);  // connections are made
    const double computing = median(&point, rounds, 0, 1);
    const double operating = median(&point, rounds, 1, 0);
    const double both = median(&point, rounds, 1, 1);
    if (rank == 0) printf("%s %.4f %.4f %.4f\n", argv[i], computing, operating, both);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}

// Get, compute, update, as NWChem's (T) does, in plain MPI: tasks are shared out by a counter; each
// fetches two blocks, multiplies them, and adds the product to a third, all of them anywhere.
//
//     tasks TASKS MULTIPLICATIONS     so many products of blocks a task
//     tasks calibrate                 seconds of one product, while all ranks compute
//
// Prints lines "NAME SECONDS": what the run took (elapsed), and summed over the ranks: processor
// time of the products, and how long ranks were in MPI for blocks, sums and the counter. The status
// is 1 where a sum is wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "work.h"

enum { blocks_of_rank = 4 };  // each of factors and of sums

typedef enum { elapsed, computing, getting, adding, counting, quantities } Quantity;
static const char* const names[quantities] = {"elapsed", "computing", "getting", "adding",
                                              "counting"};

static int rank, size;
static double a[block_size], b[block_size], c[block_size], seconds[quantities];
static MPI_Win factors, sums, counter;

// Seconds that this thread has had a processor: other programs do not count.
static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double* make_window(MPI_Win* window, double value) {
  double* base = NULL;
  const MPI_Aint count = (MPI_Aint)blocks_of_rank * block_size;
  MPI_Win_allocate(count * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &base, window);
  for (MPI_Aint i = 0; i < count; ++i) base[i] = value;
  return base;
}

// Where a task finds what: spread over all ranks without a pattern.
static int place(long task, int which, MPI_Aint* displacement) {
  unsigned long mixed = (unsigned long)(3 * task + which) * 0x9e3779b97f4a7c15UL;
  mixed ^= mixed >> 29;
  const long block = (long)(mixed % (unsigned long)(blocks_of_rank * size));
  *displacement = (MPI_Aint)(block / size) * block_size;
  return (int)(block % size);
}

static long next_task(void) {
  const double start = MPI_Wtime();
  long one = 1, task = 0;
  MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, counter);
  MPI_Win_flush(0, counter);
  seconds[counting] += MPI_Wtime() - start;
  return task;
}

static void get_block(long task, int which, double* to) {
  const double start = MPI_Wtime();
  MPI_Aint displacement = 0;
  const int owner = place(task, which, &displacement);
  MPI_Get(to, block_size, MPI_DOUBLE, owner, displacement, block_size, MPI_DOUBLE, factors);
  MPI_Win_flush(owner, factors);
  seconds[getting] += MPI_Wtime() - start;
}

// As Global Arrays do: over when the block may be used again.
static void add_block(long task, const double* from) {
  const double start = MPI_Wtime();
  MPI_Aint displacement = 0;
  const int owner = place(task, 2, &displacement);
  MPI_Accumulate(from, block_size, MPI_DOUBLE, owner, displacement, block_size, MPI_DOUBLE, MPI_SUM,
                 sums);
  MPI_Win_flush_local(owner, sums);
  seconds[adding] += MPI_Wtime() - start;
}

static void run(long tasks, long multiplications) {
  for (long task = next_task(); task < tasks; task = next_task()) {
    get_block(task, 0, a);
    get_block(task, 1, b);
    memset(c, 0, sizeof c);
    const double start = processor_seconds();
    multiply(a, b, c, multiplications);
    seconds[computing] += processor_seconds() - start;
    add_block(task, c);
  }
}

static int by_size(const void* left, const void* right) {
  const double x = *(const double*)left, y = *(const double*)right;
  return (x > y) - (x < y);
}

static void calibrate(void) {
  enum { count = 2001 };
  static double times[count];
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    const double start = processor_seconds();
    multiply(a, b, c, 1);
    times[i] = processor_seconds() - start;
  }
  qsort(times, count, sizeof *times, by_size);
  if (rank == 0) printf("multiplication %.9f\n", times[count / 2]);
}

// All factors are 1, so each task adds `order` for each of its products everywhere in a block.
static int sums_are_right(const double* mine, long tasks, long multiplications) {
  double local = 0.0, all = 0.0;
  for (long i = 0; i < (long)blocks_of_rank * block_size; ++i) local += mine[i];
  MPI_Allreduce(&local, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all == (double)tasks * (double)multiplications * order * block_size;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3) {
    calibrate();
    MPI_Finalize();
    return 0;
  }
  const long tasks = atol(argv[1]), multiplications = atol(argv[2]);
  make_window(&factors, 1.0);
  double* const mine = make_window(&sums, 0.0);
  long* count = NULL;
  MPI_Win_allocate(sizeof *count, sizeof *count, MPI_INFO_NULL, MPI_COMM_WORLD, &count, &counter);
  *count = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, factors);
  MPI_Win_lock_all(0, sums);
  MPI_Win_lock_all(0, counter);
  for (int i = 0; i < size; ++i) {  // connections are made
    MPI_Get(a, block_size, MPI_DOUBLE, i, 0, block_size, MPI_DOUBLE, factors);
    MPI_Accumulate(c, block_size, MPI_DOUBLE, i, 0, block_size, MPI_DOUBLE, MPI_SUM, sums);
  }
  MPI_Win_flush_all(factors);
  MPI_Win_flush_all(sums);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run(tasks, multiplications);
  MPI_Win_unlock_all(counter);
  MPI_Win_unlock_all(sums);
  MPI_Win_unlock_all(factors);
  MPI_Barrier(MPI_COMM_WORLD);
  seconds[elapsed] = (MPI_Wtime() - start) / size;  // of each rank the same
  double all[quantities];
  MPI_Reduce(seconds, all, quantities, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < quantities; ++i) printf("%s %.6f\n", names[i], all[i]);
  const int right = sums_are_right(mine, tasks, multiplications);
  if (rank == 0 && !right) fprintf(stderr, "tasks: a sum is wrong\n");
  MPI_Win_free(&counter);
  MPI_Win_free(&sums);
  MPI_Win_free(&factors);
  MPI_Finalize();
  return right ? 0 : 1;
}

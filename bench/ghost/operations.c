// How long one-sided operations take whose target computes, or waits in MPI: plain MPI, to be run
// with libatoll_ghost.so and without it.
//
//     operations busy|idle|creation [SAMPLES [MILLISECONDS]]
//
// The first rank works on the memory of the last one; the others sleep meanwhile.
// Prints a line "NAME MINIMUM MEDIAN NINETY-NINE" for each operation, in microseconds with its
// flush; idle also two bandwidths ("NAME MEGABYTES_A_SECOND") and the time of MPI_Win_allocate,
// which is all that creation prints.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { order = 64, leading = 512, large = 1 << 20, most_samples = 10000 };

static int rank, size, samples = 20;
static double busy_seconds = 0.2;
static MPI_Win window;
static MPI_Datatype strided;
static double block[order * order], result[order * order];
static char* buffer;

typedef enum { put8, get8, accumulate8, fetch8, put64, get64, accumulate64, kinds } Kind;
static const char* const names[kinds] = {"put_8_B",         "get_8_B",   "accumulate_8_B",
                                         "fetch_and_op",    "put_64x64", "get_64x64",
                                         "accumulate_64x64"};

static void operate(Kind kind, int target) {
  const MPI_Aint counter = (MPI_Aint)order * leading;
  long one = 1, old = 0;
  const int all = order * order;
  switch (kind) {
    case put8: MPI_Put(block, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, window); break;
    case get8: MPI_Get(result, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, window); break;
    case accumulate8:
      MPI_Accumulate(block, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, MPI_SUM, window);
      break;
    case fetch8: MPI_Fetch_and_op(&one, &old, MPI_LONG, target, counter, MPI_SUM, window); break;
    case put64: MPI_Put(block, all, MPI_DOUBLE, target, 0, 1, strided, window); break;
    case get64: MPI_Get(result, all, MPI_DOUBLE, target, 0, 1, strided, window); break;
    default: MPI_Accumulate(block, all, MPI_DOUBLE, target, 0, 1, strided, MPI_SUM, window);
  }
  MPI_Win_flush(target, window);
}

static void compute(double seconds) {
  volatile double sum = 0.0;
  for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
    for (int i = 0; i < 20000; ++i) sum = sum + i;
}

static int by_size(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

static void print_times(const char* name, double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("%s %.2f %.2f %.2f\n", name, 1e6 * times[0], 1e6 * times[count / 2],
         1e6 * times[(int)(0.99 * (count - 1) + 0.5)]);
  fflush(stdout);
}

// The target begins to compute, and 20 ms later the origin begins.
static void measure_busy(Kind kind, double* times) {
  for (int i = 0; i < samples; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
      compute(busy_seconds);
    } else if (rank != 0) {
      usleep((useconds_t)(1e6 * busy_seconds));
    } else {
      usleep(20000);
      const double start = MPI_Wtime();
      operate(kind, size - 1);
      times[i] = MPI_Wtime() - start;
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void measure_idle(Kind kind, double* times) {
  const int count = 50 * samples < most_samples ? 50 * samples : most_samples;
  if (rank == 0)
    for (int i = 0; i < count; ++i) {
      const double start = MPI_Wtime();
      operate(kind, size - 1);
      times[i] = MPI_Wtime() - start;
    }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) print_times(names[kind], times, count);
}

static void measure_bandwidth(int puts) {
  double best = 0.0;
  for (int i = 0; i < samples && rank == 0; ++i) {
    const double start = MPI_Wtime();
    for (int k = 0; k < 8; ++k) {
      if (puts) {
        MPI_Put(buffer, large, MPI_CHAR, size - 1, 0, large, MPI_CHAR, window);
      } else {
        MPI_Get(buffer, large, MPI_CHAR, size - 1, 0, large, MPI_CHAR, window);
      }
    }
    MPI_Win_flush(size - 1, window);
    const double rate = 8e-6 * large / (MPI_Wtime() - start);
    if (rate > best) best = rate;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s_1_MiB %.1f\n", puts ? "put" : "get", best);
}

static void measure_creation(double* times) {
  for (int i = -1; i < samples; ++i) {
    void* base = NULL;
    MPI_Win made;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &made);
    if (i >= 0) times[i] = MPI_Wtime() - start;  // the first one makes connections
    MPI_Win_free(&made);
  }
  if (rank == 0) print_times("win_allocate", times, samples);
}

static void measure_operations(int busy, double* times) {
  void* base = NULL;
  MPI_Win_allocate(large, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  memset(base, 0, large);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (Kind kind = 0; kind < kinds; ++kind) {
    if (rank == 0) operate(kind, size - 1);  // connections are made
    MPI_Barrier(MPI_COMM_WORLD);
    if (busy) {
      measure_busy(kind, times);
      if (rank == 0) print_times(names[kind], times, samples);
    } else {
      measure_idle(kind, times);
    }
  }
  if (!busy) {
    measure_bandwidth(1);
    measure_bandwidth(0);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  const int busy = argc > 1 && strcmp(argv[1], "busy") == 0;
  const int creation = argc > 1 && strcmp(argv[1], "creation") == 0;
  if (argc > 2) samples = atoi(argv[2]);
  if (argc > 3) busy_seconds = 1e-3 * atof(argv[3]);
  if (samples < 1 || samples > most_samples) samples = 20;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* times = malloc(most_samples * sizeof(double));
  buffer = calloc(large, 1);
  if (times == NULL || buffer == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Type_vector(order, order, leading, MPI_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  if (!creation) measure_operations(busy, times);
  if (!busy) measure_creation(times);
  MPI_Type_free(&strided);
  free(buffer);
  free(times);
  MPI_Finalize();
  return 0;
}

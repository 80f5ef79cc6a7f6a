/* Heat in a square plate whose rim is held at given temperatures: Jacobi's iteration with ghost cells,
   the way Global Arrays programs do it.

     mpiexec -n 4 heat [points on a side, the rim not counted] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ga.h"
#include "macdecls.h"

#define MOST_SWEEPS 100000
#define SWEEPS_BETWEEN_LOOKS 50

static const double hot = 100.0; /* the first row's rim; the others are at zero */
static const double tolerance = 1e-6;

static int create_plate(char *name, int n) {
  int dims[2] = {n, n}, width[2] = {1, 1}, chunk[2] = {-1, -1};
  int g_a = NGA_Create_ghosts(C_DBL, 2, dims, width, name, chunk);
  if (!g_a) GA_Error("no memory for the plate", n);
  return g_a;
}

/* My block with its ghost cells around it. */
struct block {
  int lo[2], hi[2], rows, columns, ld;
  double *cells;
};

static struct block access_block(int g_a) {
  struct block b;
  int dims[2], ld[1];
  NGA_Distribution(g_a, GA_Nodeid(), b.lo, b.hi);
  b.rows = b.lo[0] < 0 ? 0 : b.hi[0] - b.lo[0] + 1;
  b.columns = b.lo[0] < 0 ? 0 : b.hi[1] - b.lo[1] + 1;
  b.cells = NULL;
  b.ld = 0;
  if (b.rows > 0) {
    NGA_Access_ghosts(g_a, dims, &b.cells, ld);
    b.ld = ld[0];
  }
  return b;
}

static double *cell(struct block *b, int i, int j) { return b->cells + (size_t)i * b->ld + j; }

/* GA's ghost cells wrap around; those beyond the plate's edge are its rim. */
static void set_rim(struct block *b, int n) {
  int i, j;
  if (b->rows == 0) return;
  for (j = 0; j < b->columns + 2; ++j) {
    if (b->lo[0] == 0) *cell(b, 0, j) = hot;
    if (b->hi[0] == n - 1) *cell(b, b->rows + 1, j) = 0;
  }
  for (i = 0; i < b->rows + 2; ++i) {
    if (b->lo[1] == 0) *cell(b, i, 0) = 0;
    if (b->hi[1] == n - 1) *cell(b, i, b->columns + 1) = 0;
  }
}

/* Every cell becomes the mean of its neighbours; the greatest change. */
static double sweep(struct block *from, struct block *to) {
  int i, j;
  double greatest = 0;
  for (i = 1; i <= from->rows; ++i)
    for (j = 1; j <= from->columns; ++j) {
      double mean = 0.25 * (*cell(from, i - 1, j) + *cell(from, i + 1, j) + *cell(from, i, j - 1) +
                            *cell(from, i, j + 1));
      double change = fabs(mean - *cell(from, i, j));
      if (change > greatest) greatest = change;
      *cell(to, i, j) = mean;
    }
  return greatest;
}

/* Sweeps until nothing changes by more than the tolerance; how many that took. */
static int relax(int plates[2], int n) {
  int sweeps;
  for (sweeps = 1; sweeps <= MOST_SWEEPS; ++sweeps) {
    struct block from, to;
    double change;
    GA_Update_ghosts(plates[(sweeps + 1) % 2]);
    from = access_block(plates[(sweeps + 1) % 2]);
    to = access_block(plates[sweeps % 2]);
    set_rim(&from, n);
    change = sweep(&from, &to);
    if (from.rows > 0) {
      NGA_Release_update_ghosts(plates[(sweeps + 1) % 2]);
      NGA_Release_update_ghosts(plates[sweeps % 2]);
    }
    if (sweeps % SWEEPS_BETWEEN_LOOKS != 0) continue;
    GA_Dgop(&change, 1, "max");
    if (change < tolerance) return sweeps;
  }
  GA_Error("no steady state after sweeps", MOST_SWEEPS);
  return 0;
}

static double temperature(int g_a, int i, int j) {
  int at[2], ld[1] = {1};
  double value;
  at[0] = i;
  at[1] = j;
  NGA_Get(g_a, at, at, &value, ld);
  return value;
}

int main(int argc, char **argv) {
  int n, plates[2], sweeps;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (!MA_init(MT_C_DBL, 1000, 1000)) GA_Error("MA_init failed", 1);
  n = argc > 1 ? atoi(argv[1]) : 49;
  if (n < 1) GA_Error("points are to be 1 or more, not", n);
  plates[0] = create_plate("even", n);
  plates[1] = create_plate("odd", n);
  sweeps = relax(plates, n);
  GA_Sync();
  if (GA_Nodeid() == 0) {
    int g_a = plates[sweeps % 2];
    printf("plate of %d x %d: steady after %d sweeps, %.6f in the middle, %.6f in the first corner\n",
           n, n, sweeps, temperature(g_a, n / 2, n / 2), temperature(g_a, 0, 0));
  }
  GA_Sync();
  GA_Destroy(plates[1]);
  GA_Destroy(plates[0]);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}

/* A self-consistent field for the pi electrons of a ring of carbon atoms (the model of Pariser, Parr
   and Pople), the way Global Arrays programs do it: blocks of the Fock matrix are tasks; whoever is
   free takes the next one from a shared counter, gets what it needs, computes, and accumulates.

     mpiexec -n 4 ring_scf [atoms, 4 n + 2 of them] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ga.h"
#include "macdecls.h"

#define BLOCK 8
#define MOST_ITERATIONS 100

/* Energies in eV, lengths in Angstrom. */
static const double hopping = -2.4;
static const double repulsion = 11.13; /* of two electrons on one atom */
static const double bond = 1.397;
static const double coulomb = 14.397; /* e^2 / (4 pi eps0), eV Angstrom */

static int minimum(int a, int b) { return a < b ? a : b; }

/* Repulsion of electrons on atoms i and j, after Ohno. */
static double gamma_of(int i, int j, int atoms) {
  double radius = bond / (2 * sin(M_PI / atoms));
  double distance = 2 * radius * fabs(sin(M_PI * (i - j) / atoms));
  double softening = coulomb / repulsion;
  return coulomb / sqrt(distance * distance + softening * softening);
}

static double core_of(int i, int j, int atoms) {
  int apart = abs(i - j);
  return apart == 1 || apart == atoms - 1 ? hopping : 0.0;
}

static int create_square(char *name, int n) {
  int dims[2] = {n, n}, chunk[2] = {-1, -1};
  int g_a = NGA_Create(C_DBL, 2, dims, name, chunk);
  if (!g_a) GA_Error("no memory for a matrix", n);
  return g_a;
}

/* The next task that nobody has taken. */
static long next_task(int g_counter) {
  int first[1] = {0};
  return NGA_Read_inc(g_counter, first, 1);
}

static void reset_counter(int g_counter) {
  GA_Sync();
  GA_Zero(g_counter);
}

/* Diagonal elements of the density, that is, electrons on each atom. */
static void get_populations(int g_density, int atoms, double *population) {
  int i, ld[1] = {1};
  for (i = 0; i < atoms; ++i) {
    int at[2] = {i, i};
    NGA_Get(g_density, at, at, &population[i], ld);
  }
}

/* One block of F = h + G(D). */
static void fock_block(int atoms, const int lo[2], const int hi[2], const double *density,
                       const double *population, double *fock) {
  int i, j, k, width = hi[1] - lo[1] + 1;
  for (i = lo[0]; i <= hi[0]; ++i)
    for (j = lo[1]; j <= hi[1]; ++j) {
      double d = density[(i - lo[0]) * width + j - lo[1]];
      double f = core_of(i, j, atoms) - 0.5 * d * gamma_of(i, j, atoms);
      if (i == j) {
        f += population[i] * repulsion;
        for (k = 0; k < atoms; ++k)
          if (k != i) f += (population[k] - 1) * gamma_of(i, k, atoms);
      }
      fock[(i - lo[0]) * width + j - lo[1]] = f;
    }
}

static void build_fock(int g_density, int g_fock, int g_counter, int atoms) {
  int blocks = (atoms + BLOCK - 1) / BLOCK;
  double density[BLOCK * BLOCK], fock[BLOCK * BLOCK], one = 1.0;
  double *population = malloc((size_t)atoms * sizeof(double));
  long task;
  get_populations(g_density, atoms, population);
  GA_Zero(g_fock);
  reset_counter(g_counter);
  for (task = next_task(g_counter); task < (long)blocks * blocks; task = next_task(g_counter)) {
    int row = (int)(task / blocks) * BLOCK, column = (int)(task % blocks) * BLOCK;
    int lo[2] = {row, column};
    int hi[2] = {minimum(row + BLOCK, atoms) - 1, minimum(column + BLOCK, atoms) - 1};
    int ld[1] = {hi[1] - lo[1] + 1};
    NGA_Get(g_density, lo, hi, density, ld);
    fock_block(atoms, lo, hi, density, population, fock);
    NGA_Acc(g_fock, lo, hi, fock, ld, &one);
  }
  GA_Sync();
  free(population);
}

/* D = 2 C C' of the occupied orbitals. GA_Diag_std gives them as rows, seen from C. */
static void density_of(int g_orbitals, int g_density, int atoms) {
  int occupied = atoms / 2;
  GA_Dgemm('t', 'n', atoms, atoms, occupied, 2.0, g_orbitals, g_orbitals, 0.0, g_density);
}

/* Half of tr D (h + F), and the repulsion of the cores. */
static double energy_of(int g_density, int g_fock, int g_core, int atoms) {
  int i, j;
  double energy = 0.5 * (GA_Ddot(g_density, g_core) + GA_Ddot(g_density, g_fock));
  for (i = 0; i < atoms; ++i)
    for (j = 0; j < atoms; ++j)
      if (i != j) energy += 0.5 * gamma_of(i, j, atoms);
  return energy;
}

/* h, with the attraction of the other cores. */
static void fill_core(int g_core, int atoms) {
  int i, j, k, ld[1] = {1};
  for (i = GA_Nodeid(); i < atoms; i += GA_Nnodes())
    for (j = 0; j < atoms; ++j) {
      int at[2] = {i, j};
      double value = core_of(i, j, atoms);
      if (i == j)
        for (k = 0; k < atoms; ++k)
          if (k != i) value -= gamma_of(i, k, atoms);
      NGA_Put(g_core, at, at, &value, ld);
    }
  GA_Sync();
}

/* Electrons spread evenly, bonds of order two thirds. */
static void guess(int g_density, int atoms) {
  int i, ld[1] = {1};
  GA_Zero(g_density);
  for (i = GA_Nodeid(); i < atoms; i += GA_Nnodes()) {
    int at[2] = {i, i}, left[2] = {i, (i + 1) % atoms}, right[2] = {(i + 1) % atoms, i};
    double one = 1.0, bonding = 2.0 / 3.0;
    NGA_Put(g_density, at, at, &one, ld);
    NGA_Put(g_density, left, left, &bonding, ld);
    NGA_Put(g_density, right, right, &bonding, ld);
  }
  GA_Sync();
}

static void solve(int atoms) {
  int g_core = create_square("core", atoms), g_density = create_square("density", atoms);
  int g_fock = create_square("fock", atoms), g_orbitals = create_square("orbitals", atoms);
  int one[1] = {1}, g_counter = NGA_Create(C_LONG, 1, one, "tasks", NULL), iteration;
  double energy = 0.0, before, *levels = malloc((size_t)atoms * sizeof(double));
  fill_core(g_core, atoms);
  guess(g_density, atoms);
  for (iteration = 1; iteration <= MOST_ITERATIONS; ++iteration) {
    before = energy;
    build_fock(g_density, g_fock, g_counter, atoms);
    energy = energy_of(g_density, g_fock, g_core, atoms);
    if (fabs(energy - before) < 1e-10 * fabs(energy)) break;
    GA_Diag_std(g_fock, g_orbitals, levels);
    density_of(g_orbitals, g_density, atoms);
  }
  if (iteration > MOST_ITERATIONS) GA_Error("no convergence after iterations", MOST_ITERATIONS);
  if (GA_Nodeid() == 0)
    printf("ring of %d: energy %.6f eV, gap %.6f eV\n", atoms, energy,
           levels[atoms / 2] - levels[atoms / 2 - 1]);
  free(levels);
  GA_Destroy(g_counter);
  GA_Destroy(g_orbitals);
  GA_Destroy(g_fock);
  GA_Destroy(g_density);
  GA_Destroy(g_core);
}

int main(int argc, char **argv) {
  int atoms;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (!MA_init(MT_C_DBL, 100000, 100000)) GA_Error("MA_init failed", 1);
  atoms = argc > 1 ? atoi(argv[1]) : 30;
  if (atoms < 6 || atoms % 4 != 2) GA_Error("atoms are to be 6, 10, 14, ..., not", atoms);
  solve(atoms);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}

/* A program that starts and stops Global Arrays in every way, one after the other, by the names in
   C and in Fortran, and ends MPI by ARMCI's messages. Prints "ok" on rank 0. */
#include <ga-mpi.h>
#include <ga.h>
#include <message.h>
#include <mpi.h>
#include <stdio.h>

void ga_initialize_(void);
void ga_initialize_ltd_(const Integer* limit);
void ga_initialize_comm_(const Integer* comm);
void ga_terminate_(void);

static int check(int holds, int line) {
  if (!holds) fprintf(stderr, "ga_start.c:%d failed\n", line);
  return holds;
}
#define CHECK(condition) \
  if (!check(condition, __LINE__)) return __LINE__

/* Works on this many processes: the sum of what each has put. */
static int works_on(int processes) {
  int lo = GA_Nodeid(), value = 10 * lo, ld = 1, ones, g_a, g_b;
  CHECK(GA_Nnodes() == processes);
  g_a = NGA_Create(C_INT, 1, &processes, "a", NULL);
  g_b = GA_Duplicate(g_a, "b");
  CHECK(g_a == -1000);
  NGA_Put(g_a, &lo, &lo, &value, &ld);
  ones = 1;
  GA_Fill(g_b, &ones);
  CHECK(GA_Idot(g_a, g_b) == 5 * processes * (processes - 1));
  GA_Destroy(g_b);
  GA_Destroy(g_a);
  return 0;
}

/* Each process may have 800 bytes. */
static int is_limited(int processes) {
  int dims = 101 * processes, g_a;
  CHECK(GA_Memory_limited() && GA_Memory_avail() == 800);
  CHECK(NGA_Create(C_DBL, 1, &dims, "too large", NULL) == 0);
  dims = processes;
  g_a = NGA_Create(C_DBL, 1, &dims, "small", NULL);
  CHECK(g_a == -1000 && GA_Memory_avail() == 800 - 8);
  GA_Destroy(g_a);
  return 0;
}

/* Process 0 uses the handle of an array again that the others keep: the end destroys what is left
   in one order all the same. */
static int ends_with_arrays_left(int processes) {
  int dims = processes, pair[2] = {0, 1}, own, whole, of_pair, group;
  own = NGA_Create_config(C_INT, 1, &dims, "own", NULL, GA_Pgroup_self());
  whole = NGA_Create(C_INT, 1, &dims, "whole", NULL);
  if (GA_Nodeid() == 0) GA_Destroy(own);
  group = GA_Pgroup_create(pair, processes < 2 ? 1 : 2);
  if (GA_Nodeid() > 1) return 0;
  of_pair = NGA_Create_config(C_INT, 1, &dims, "of a pair", NULL, group);
  CHECK((GA_Nodeid() == 0) == (of_pair < whole));
  return 0;
}

static int starts_in_c(int argc, char** argv, int all, MPI_Comm half, int part) {
  int failed, type;
  CHECK(GA_Initialized() == 0);
  GA_Initialize_ltd(800);
  failed = is_limited(all);
  GA_Terminate();
  CHECK(failed == 0 && GA_Initialized() == 0);
  GA_Initialize_args(&argc, &argv);
  CHECK(!GA_Memory_limited());
  failed = works_on(all);
  GA_Terminate();
  CHECK(failed == 0);
  GA_Initialize();
  type = NGA_Register_type(24); /* and the end forgets it: its number is free again */
  GA_Terminate();
  GA_Initialize();
  CHECK(NGA_Register_type(16) == type);
  failed = ends_with_arrays_left(all);
  GA_Terminate();
  CHECK(failed == 0);
  GA_Initialize_comm(half);
  failed = works_on(part);
  GA_Terminate();
  CHECK(failed == 0 && GA_Initialized() == 0);
  return 0;
}

static int starts_in_fortran(int all, MPI_Comm half, int part) {
  const Integer limit = 800, comm = MPI_Comm_c2f(half);
  int failed;
  ga_initialize_ltd_(&limit);
  failed = is_limited(all);
  ga_terminate_();
  CHECK(failed == 0);
  ga_initialize_();
  CHECK(!GA_Memory_limited());
  failed = works_on(all);
  ga_terminate_();
  CHECK(failed == 0);
  ga_initialize_comm_(&comm);
  failed = works_on(part);
  ga_terminate_();
  CHECK(failed == 0 && GA_Initialized() == 0);
  return 0;
}

int main(int argc, char** argv) {
  int provided, rank, all, part, failed, finalized = 0;
  MPI_Comm half;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_size(half, &part);
  failed = starts_in_c(argc, argv, all, half, part);
  if (failed == 0) failed = starts_in_fortran(all, half, part);
  MPI_Comm_free(&half);
  armci_msg_init(&argc, &argv);
  if (rank == 0 && failed == 0 && armci_msg_me() == 0) printf("ok\n");
  armci_msg_finalize();
  MPI_Finalized(&finalized);
  return failed == 0 && finalized ? 0 : 1;
}

/* A C program that knows of TCGMSG alone: pbeginf starts MPI, pend stops it. Prints "ok" on rank 0.
   With the argument "error" rank 0 ends the job with code 3. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgmsg.h>
#include <unistd.h>

static int check(int holds, int line) {
  if (!holds) fprintf(stderr, "tcgmsg_start.c:%d failed\n", line);
  return holds;
}
#define CHECK(condition) \
  if (!check(condition, __LINE__)) return __LINE__

static int messages(void) {
  const long me = tcg_nodeid(), nodes = tcg_nnodes();
  long sent = me, received = -1, length = 0, from = -1;
  tcg_snd(5, &sent, sizeof sent, (me + 1) % nodes, 0);
  tcg_rcv(5, &received, sizeof received, &length, -1, &from, 1);
  tcg_waitcom(-1);
  CHECK(length == (long)sizeof received && from == (me + nodes - 1) % nodes && received == from);
  CHECK(tcg_nxtval(nodes) < nodes);
  tcg_igop(6, &received, 1, "+");
  CHECK(received == nodes * (nodes - 1) / 2);
  return 0;
}

static int log_file(void) {
  char folder[] = "tcgmsg_log_XXXXXX", name[64], line[64] = "";
  FILE* log;
  CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
  tcg_llog();
  printf("into the log\n");
  fflush(stdout);
  sprintf(name, "log.%ld", tcg_nodeid());
  CHECK((log = fopen(name, "r")) != NULL);
  CHECK(fgets(line, sizeof line, log) != NULL && strcmp(line, "into the log\n") == 0);
  fclose(log);
  CHECK(remove(name) == 0 && chdir("..") == 0 && rmdir(folder) == 0);
  return 0;
}

int main(int argc, char** argv) {
  int failed, finalized = 0;
  long me, nodes;
  CHECK(tcg_ready() == 0);
  tcg_alt_pbegin(&argc, &argv);
  CHECK(tcg_ready() == 1);
  if (argc > 1 && strcmp(argv[1], "error") == 0) {
    if (tcg_nodeid() == 0) tcg_error("the program gives up", 3);
    tcg_synch(1);
  }
  failed = messages();
  tcg_synch(8);
  if (tcg_nodeid() == 0 && failed == 0) printf("ok\n");
  fflush(stdout);
  if (failed == 0) failed = log_file();
  me = tcg_nodeid();
  nodes = tcg_nnodes();
  if (me == 0) tcg_stats(); /* local */
  tcg_pend();
  CHECK(tcg_nodeid() == me && tcg_nnodes() == nodes); /* programs print them behind the end */
  MPI_Finalized(&finalized);
  CHECK(finalized);
  return failed == 0 && tcg_ready() == 0 ? 0 : 1;
}

// Requests of one-sided operations go on by themselves: they return while nobody can serve them,
// and are waited for among other requests, in every way.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "checks.h"

enum { count = 40, length = 700 };

// Whether a process of this machine is stopped, by the third word of its line.
static int stopped(int process) {
  char name[64], state = ' ';
  snprintf(name, sizeof name, "/proc/%d/stat", process);
  FILE* line = fopen(name, "r");
  if (line == NULL || fscanf(line, "%*d %*s %c", &state) != 1) state = ' ';
  if (line != NULL) fclose(line);
  return state == 'T';
}

// The last rank, which is its node's only one and serves it, stops; a request form that waited for
// it would never return.
static void requests_return_while_nobody_serves(void) {
  const int target = size - 1;
  double* base = NULL;
  MPI_Win window = window_of(4 * length * (MPI_Aint)sizeof(double), sizeof(double), &base);
  for (int i = 0; i < 4 * length; ++i) base[i] = rank + i;
  int process = (int)getpid();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&process, 1, MPI_INT, target, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == target) raise(SIGSTOP);
  if (rank == 0 && target != 0) {
    double got[length], old[length], one[length], put = 5;
    MPI_Request requests[4];
    for (int i = 0; i < length; ++i) one[i] = 1;
    while (!stopped(process)) usleep(1000);
    MPI_Win_lock(MPI_LOCK_SHARED, target, MPI_MODE_NOCHECK, window);
    MPI_Rput(&put, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, window, &requests[0]);
    MPI_Rget(got, length, MPI_DOUBLE, target, length, length, MPI_DOUBLE, window, &requests[1]);
    MPI_Raccumulate(one, length, MPI_DOUBLE, target, 2 * length, length, MPI_DOUBLE, MPI_SUM,
                    window, &requests[2]);
    MPI_Rget_accumulate(one, length, MPI_DOUBLE, old, length, MPI_DOUBLE, target, 3 * length,
                        length, MPI_DOUBLE, MPI_SUM, window, &requests[3]);
    int over = 1;
    MPI_Test(&requests[1], &over, MPI_STATUS_IGNORE);
    if (strict) CHECK(!over, "a get from a process that is stopped is over");
    kill(process, SIGCONT);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    int wrong = 0;
    for (int i = 0; i < length; ++i)
      wrong += (got[i] != target + length + i) + (old[i] != target + 3 * length + i);
    CHECK_EQUAL(wrong, 0);
    MPI_Win_unlock(target, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

// Waits for so many requests in one of MPI's ways.
static void wait_in_way(int way, int n, MPI_Request* requests) {
  int index = 0, flag = 0, done[2 * count + 2];
  if (way == 0) MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  if (way == 1)
    for (int i = n; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  if (way == 2)
    for (int i = 0; i < n; ++i) MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
  if (way == 3)
    while (flag == 0) MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
  if (way == 4)
    for (int left = n; left > 0; left -= index)
      MPI_Waitsome(n, requests, &index, done, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; ++i) CHECK(requests[i] == MPI_REQUEST_NULL, "request %d is left", i);
}

// Gets of vectors into vectors of another kind, among messages of a ring.
static void requests_are_waited_for_among_messages(void) {
  enum { ways = 5 };
  long* base = NULL;
  const MPI_Aint there = 3 * (MPI_Aint)length;
  MPI_Win window = window_of(there * (MPI_Aint)sizeof(long), sizeof(long), &base);
  long* const got = allocate(count * (size_t)length * sizeof(long));
  MPI_Datatype threes, pairs;
  MPI_Type_vector(length / 4, 1, 3, MPI_LONG, &threes);
  MPI_Type_vector(length / 4, 1, 2, MPI_LONG, &pairs);
  MPI_Type_commit(&threes);
  MPI_Type_commit(&pairs);
  for (int i = 0; i < 3 * length; ++i) base[i] = 1000000L * rank + i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (int way = 0; way < ways; ++way) {
    MPI_Request requests[count + 2];
    int heard = -1, target = way;
    for (int i = 0; i < count; ++i) {
      target = (rank + i + 1) % size;
      if (i % 2 == 0)
        MPI_Rget(got + i * length, length, MPI_LONG, target, i, length, MPI_LONG, window,
                 &requests[i]);
      else
        MPI_Rget(got + i * length, 1, pairs, target, i, 1, threes, window, &requests[i]);
    }
    if (way == 0) MPI_Win_flush_all(window);  // which completes what is waited for only afterwards
    MPI_Irecv(&heard, 1, MPI_INT, (rank + size - 1) % size, way, MPI_COMM_WORLD, &requests[count]);
    MPI_Isend(&way, 1, MPI_INT, (rank + 1) % size, way, MPI_COMM_WORLD, &requests[count + 1]);
    wait_in_way(way, count + 2, requests);
    CHECK_EQUAL(heard, way);
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      const long first = 1000000L * ((rank + i + 1) % size) + i;
      for (int j = 0; j < (i % 2 == 0 ? length : length / 4); ++j)
        wrong += i % 2 == 0 ? got[i * length + j] != first + j
                            : got[i * length + 2 * j] != first + 3 * j;
    }
    CHECK(wrong == 0, "%d numbers are wrong, waited for in way %d", wrong, way);
    memset(got, 0, count * (size_t)length * sizeof(long));
  }
  MPI_Win_unlock_all(window);
  MPI_Type_free(&threes);
  MPI_Type_free(&pairs);
  free(got);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  static const Test tests[] = {
      {"requests_return_while_nobody_serves", requests_return_while_nobody_serves},
      {"requests_are_waited_for_among_messages", requests_are_waited_for_among_messages},
      {NULL, NULL}};
  MPI_Init(&argc, &argv);
  const int status = run_tests(tests, argc, argv);
  MPI_Finalize();
  return status;
}

// Several threads of every rank work on one window at the same time, beside messages of another
// thread: MPI_THREAD_MULTIPLE. Where MPI gives less, there is nothing to test.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "checks.h"

enum { threads = 3, rounds = 60 };
static MPI_Win window;
static MPI_Comm talk;

static void* count_up(void* number) {
  const int me = *(int*)number;
  const long one = 1;
  for (int i = 0; i < rounds; ++i) {
    const int target = (rank + i) % size;
    long old = -1, value = 1000 * me + i, back = -1;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, target, 0, MPI_SUM, window);
    MPI_Win_flush(target, window);
    CHECK(old >= 0 && old < rounds * threads * size, "counter at %ld", old);
    const MPI_Aint mine = 1 + rank * threads + me;
    MPI_Put(&value, 1, MPI_LONG, target, mine, 1, MPI_LONG, window);
    MPI_Win_flush(target, window);
    MPI_Get(&back, 1, MPI_LONG, target, mine, 1, MPI_LONG, window);
    MPI_Win_flush(target, window);
    CHECK_EQUAL(back, value);
  }
  return NULL;
}

static void* send_round(void* nothing) {
  for (int i = 0; i < rounds; ++i) {
    int heard = -1;
    MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &heard, 1, MPI_INT, (rank + size - 1) % size,
                 0, talk, MPI_STATUS_IGNORE);
    CHECK_EQUAL(heard, i);
  }
  return nothing;
}

static void threads_share_a_window(void) {
  long* base = NULL;
  pthread_t all[threads + 1];
  int numbers[threads];
  window = window_of((1 + size * threads) * (MPI_Aint)sizeof(long), sizeof(long), &base);
  MPI_Comm_dup(MPI_COMM_WORLD, &talk);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < threads; ++i) {
    numbers[i] = i;
    pthread_create(&all[i], NULL, count_up, &numbers[i]);
  }
  pthread_create(&all[threads], NULL, send_round, NULL);
  for (int i = 0; i <= threads; ++i) pthread_join(all[i], NULL);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  CHECK_EQUAL(base[0], (long)rounds * threads);
  MPI_Win_unlock(rank, window);
  MPI_Comm_free(&talk);
  MPI_Win_free(&window);
}

static MPI_Win windows[2];
static long* bases[2];

static void* meet_often(void* number) {
  const int me = *(int*)number;
  // Even ranks come to the first window first, odd ones to the second.
  if ((me + rank) % 2 == 1) usleep(100000);
  MPI_Win_fence(0, windows[me]);
  for (long i = 1; i <= 20; ++i) {
    const long value = i + 100 * me;
    MPI_Put(&value, 1, MPI_LONG, (int)(i % size), 0, 1, MPI_LONG, windows[me]);
    MPI_Win_fence(0, windows[me]);
    if (bases[me][1] == i % size) CHECK_EQUAL(bases[me][0], value);
    MPI_Win_fence(0, windows[me]);
  }
  return NULL;
}

// The second window has the ranks in another order.
static void fences_of_two_windows_do_not_wait_for_each_other(void) {
  pthread_t other;
  int numbers[2] = {0, 1};
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
  for (int i = 0; i < 2; ++i) {
    MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL,
                     i == 0 ? MPI_COMM_WORLD : backwards, &bases[i], &windows[i]);
    bases[i][1] = i == 0 ? rank : size - 1 - rank;
  }
  pthread_create(&other, NULL, meet_often, &numbers[1]);
  meet_often(&numbers[0]);
  pthread_join(other, NULL);
  for (int i = 0; i < 2; ++i) MPI_Win_free(&windows[i]);
  MPI_Comm_free(&backwards);
}

// Windows come and go, one after the other, beside another thread that does the same.
static void* make_often(void* communicator) {
  const MPI_Comm members = *(MPI_Comm*)communicator;
  int me = 0, others = 0;
  MPI_Comm_rank(members, &me);
  MPI_Comm_size(members, &others);
  uint64_t random = seed_of(rank, me, others);
  for (int i = 0; i < 6; ++i) {
    MPI_Win made;
    long *base = NULL, value = 100 * i + me;
    usleep((useconds_t)below(&random, 4000));
    MPI_Comm own = members;  // a new one now and then, as its ranks' first and last window
    if (i % 3 == 0) MPI_Comm_dup(members, &own);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, own, &base, &made);
    if (i % 3 == 0) MPI_Comm_free(&own);
    MPI_Win_fence(0, made);
    MPI_Put(&value, 1, MPI_LONG, (me + 1) % others, 0, 1, MPI_LONG, made);
    MPI_Win_fence(0, made);
    CHECK_EQUAL(*base, 100 * i + (me + others - 1) % others);
    usleep((useconds_t)below(&random, 4000));
    MPI_Win_free(&made);
  }
  return NULL;
}

static void make_often_on_both(MPI_Comm* first, MPI_Comm* second) {
  pthread_t other;
  pthread_create(&other, NULL, make_often, second);
  make_often(first);
  pthread_join(other, NULL);
  MPI_Comm_free(first);
  MPI_Comm_free(second);
}

static void makings_on_two_communicators_do_not_wait_for_each_other(void) {
  MPI_Comm same, backwards;
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
  make_often_on_both(&same, &backwards);
}

// Every rank is in a pair with each of its neighbours: all might wait for the next one, in a ring.
static void makings_in_a_ring_of_pairs_do_not_wait_for_each_other(void) {
  MPI_Comm with_next = MPI_COMM_NULL, with_last = MPI_COMM_NULL, made;
  for (int first = 0; first < size; ++first) {
    const int in = rank == first || rank == (first + 1) % size;
    MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, rank, &made);
    if (in) *(rank == first ? &with_next : &with_last) = made;
  }
  if (size == 1) MPI_Comm_dup(MPI_COMM_WORLD, &with_last);
  make_often_on_both(&with_next, &with_last);
}

int main(int argc, char** argv) {
  static const Test tests[] = {{"threads_share_a_window", threads_share_a_window},
                               {"fences_of_two_windows_do_not_wait_for_each_other",
                                fences_of_two_windows_do_not_wait_for_each_other},
                               {"makings_on_two_communicators_do_not_wait_for_each_other",
                                makings_on_two_communicators_do_not_wait_for_each_other},
                               {"makings_in_a_ring_of_pairs_do_not_wait_for_each_other",
                                makings_in_a_ring_of_pairs_do_not_wait_for_each_other},
                               {NULL, NULL}};
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("ok: MPI gives thread level %d\n", provided);
    MPI_Finalize();
    return 0;
  }
  const int status = run_tests(tests, argc, argv);
  MPI_Finalize();
  return status;
}

// Every kind of epoch, in all forms of its calls, and what each promises about order and memory.
#include <unistd.h>

#include "rma.h"

static int next(void) { return (rank + 1) % size; }
static int previous(void) { return (rank + size - 1) % size; }

void fences(void) {
  int *base = NULL, value = 0, got = 0;
  MPI_Win window = window_of(2 * size * (MPI_Aint)sizeof(int), sizeof(int), &base);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  for (int round = 1; round <= 20; ++round) {
    value = 100 * round + rank;
    MPI_Put(&value, 1, MPI_INT, next(), rank, 1, MPI_INT, window);
    MPI_Accumulate(&round, 1, MPI_INT, next(), size + rank, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(round % 2 == 0 ? MPI_MODE_NOSTORE : 0, window);
    CHECK_EQUAL(base[previous()], 100 * round + previous());
    CHECK_EQUAL(base[size + previous()], round * (round + 1) / 2);
    MPI_Get(&got, 1, MPI_INT, next(), rank, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, window);
    CHECK_EQUAL(got, value);
  }
  // A store of my own in an epoch that others only read in.
  base[rank] = -rank;
  MPI_Win_fence(MPI_MODE_NOPUT, window);
  MPI_Get(&got, 1, MPI_INT, next(), next(), 1, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  CHECK_EQUAL(got, -next());
  MPI_Win_free(&window);
}

static MPI_Group group_of(int count, const int* members) {
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, count, members, &group);
  MPI_Group_free(&all);
  return group;
}

void general_epochs(void) {
  int *base = NULL, value = 0;
  MPI_Win window = window_of(size * (MPI_Aint)sizeof(int), sizeof(int), &base);
  const int to = next(), from = previous();
  MPI_Group targets = group_of(1, &to), origins = group_of(1, &from);
  for (int round = 1; round <= 20; ++round) {
    value = 1000 * round + rank;
    MPI_Win_post(origins, 0, window);
    MPI_Win_start(targets, 0, window);
    MPI_Put(&value, 1, MPI_INT, to, rank, 1, MPI_INT, window);
    MPI_Win_complete(window);
    if (round % 2 == 0) {
      MPI_Win_wait(window);
    } else {
      for (int done = 0; !done;) MPI_Win_test(window, &done);
    }
    CHECK_EQUAL(base[from], 1000 * round + from);
  }
  MPI_Group_free(&targets);
  MPI_Group_free(&origins);

  // Everybody to everybody, with a promise that posts came before, and in either order.
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (int round = 1; round <= 6; ++round) {
    // Open MPI 5.0.11 by itself waits for ever after such a promise, from three ranks on.
    const int promise = strict && round % 2 == 0 ? MPI_MODE_NOCHECK : 0;
    MPI_Win_post(all, MPI_MODE_NOSTORE | promise, window);
    if (promise != 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(all, promise, window);
    for (int target = 0; target < size; ++target) {
      value = round * 100 + rank;
      MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, window);
    }
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    for (int origin = 0; origin < size; ++origin) CHECK_EQUAL(base[origin], round * 100 + origin);
  }
  MPI_Group_free(&all);

  // Rank 0 alone gives, the others only expose; and groups of nobody.
  const int first = 0;
  MPI_Group giver = group_of(1, &first), nobody = group_of(0, NULL);
  MPI_Win_post(giver, MPI_MODE_NOPUT, window);
  if (rank == 0) {
    int* got = allocate((size_t)size * sizeof(int));
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_start(all, 0, window);
    for (int target = 0; target < size; ++target)
      MPI_Get(&got[target], 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    for (int target = 0; target < size; ++target) CHECK_EQUAL(got[target], 600);
    MPI_Group_free(&all);
    free(got);
  }
  MPI_Win_wait(window);
  MPI_Win_post(nobody, 0, window);
  MPI_Win_wait(window);
  MPI_Win_start(nobody, 0, window);
  MPI_Win_complete(window);
  MPI_Group_free(&giver);
  MPI_Group_free(&nobody);
  MPI_Win_free(&window);
}

void locks_of_each_target(void) {
  int* base = NULL;
  MPI_Win window = window_of(size * (MPI_Aint)sizeof(int), sizeof(int), &base);
  for (int kind = 0; kind < 4; ++kind) {
    const int type = kind % 2 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    // Shared with shared: no conflict. MPICH 5.0.2 by itself loses count of such a lock.
    const int assertion = strict && kind == 2 ? MPI_MODE_NOCHECK : 0;
    for (int target = 0; target < size; ++target) {
      const int value = 10 * kind + rank + target;
      int got = -1;
      MPI_Win_lock(type, target, assertion, window);
      MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, window);
      MPI_Win_unlock(target, window);
      MPI_Win_lock(type, target, assertion, window);
      MPI_Get(&got, 1, MPI_INT, target, rank, 1, MPI_INT, window);
      MPI_Win_unlock(target, window);
      CHECK_EQUAL(got, value);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    for (int origin = 0; origin < size; ++origin) {
      CHECK_EQUAL(base[origin], 10 * kind + origin + rank);
      base[origin] = 0;
    }
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // Several targets at once, given back in another order; an epoch of nothing.
  for (int target = 0; target < size; ++target) MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
  for (int target = 0; target < size; ++target)
    MPI_Accumulate(&target, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window);
  for (int target = size; target-- > 0;) MPI_Win_unlock(target, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, window);
  MPI_Win_unlock(next(), window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  CHECK_EQUAL(base[0], size * rank);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
}

void locks_of_all(void) {
  int* base = NULL;
  MPI_Win window = window_of(size * (MPI_Aint)sizeof(int), sizeof(int), &base);
  for (int assertion = 0; assertion < 2; ++assertion) {
    MPI_Win_lock_all(assertion == 1 ? MPI_MODE_NOCHECK : 0, window);
    for (int target = 0; target < size; ++target) {
      const int value = 10 * assertion + rank - target;
      MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, window);
      MPI_Win_flush(target, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    for (int origin = 0; origin < size; ++origin)
      CHECK_EQUAL(base[origin], 10 * assertion + origin - rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
  }
  MPI_Win_free(&window);
}

void flushes(void) {
  enum { count = 100 };
  long* base = NULL;
  MPI_Win window = window_of(count * size * (MPI_Aint)sizeof(long), sizeof(long), &base);
  long buffer = 0, got[count];
  MPI_Win_lock_all(0, window);
  // The buffer is the program's again after each local flush.
  for (int i = 0; i < count; ++i) {
    buffer = 1000 * i + rank;
    MPI_Put(&buffer, 1, MPI_LONG, next(), count * rank + i, 1, MPI_LONG, window);
    if (i % 2 == 0) {
      MPI_Win_flush_local(next(), window);
    } else {
      MPI_Win_flush_local_all(window);
    }
  }
  buffer = -1;
  MPI_Win_flush_all(window);
  MPI_Get(got, count, MPI_LONG, next(), count * rank, count, MPI_LONG, window);
  MPI_Win_flush_local(next(), window);  // a get is complete then
  for (int i = 0; i < count; ++i) CHECK_EQUAL(got[i], 1000 * i + rank);
  // Flushed operations are seen by whoever is told so.
  for (int round = 1; round <= 20; ++round) {
    buffer = 7 * round + rank;
    MPI_Put(&buffer, 1, MPI_LONG, next(), count * rank, 1, MPI_LONG, window);
    MPI_Win_flush(next(), window);
    MPI_Sendrecv(NULL, 0, MPI_INT, next(), 0, NULL, 0, MPI_INT, previous(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_sync(window);
    CHECK_EQUAL(base[count * previous()], 7 * round + previous());
    MPI_Sendrecv(NULL, 0, MPI_INT, previous(), 0, NULL, 0, MPI_INT, next(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

void many_epochs_on_one_window(void) {
  int *base = NULL, one = 1;
  MPI_Win window = window_of(sizeof(int), sizeof(int), &base);
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (int round = 0; round < 5; ++round) {
    MPI_Win_fence(0, window);
    MPI_Accumulate(&one, 1, MPI_INT, next(), 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, next(), 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(next(), window);
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(&one, 1, MPI_INT, previous(), 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_post(all, 0, window);
    MPI_Win_start(all, 0, window);
    for (int target = 0; target < size; ++target)
      MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    CHECK_EQUAL(*base, (round + 1) * (3 + size));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Group_free(&all);
  MPI_Win_free(&window);
}

void exclusive_locks_exclude(void) {
  enum { rounds = 30 };
  int* base = NULL;
  MPI_Win window = window_of(2 * sizeof(int), sizeof(int), &base);
  const int target = size - 1;
  for (int i = 0; i < rounds; ++i) {
    int values[2];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    MPI_Get(values, 2, MPI_INT, target, 0, 2, MPI_INT, window);
    MPI_Win_flush(target, window);
    CHECK_EQUAL(values[1], 2 * values[0]);
    ++values[0];
    MPI_Put(&values[0], 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush(target, window);
    values[1] = 2 * values[0];
    MPI_Put(&values[1], 1, MPI_INT, target, 1, 1, MPI_INT, window);
    MPI_Win_unlock(target, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == target) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    CHECK_EQUAL(base[0], rounds * size);
    CHECK_EQUAL(base[1], 2 * rounds * size);
    MPI_Win_unlock(rank, window);
  }
  MPI_Win_free(&window);
}

// All hold the lock of rank 0 at the same time: each waits inside for all the others.
void shared_locks_are_shared(void) {
  int *base = NULL, here = 0;
  const int one = 1;
  MPI_Win window = window_of(sizeof(int), sizeof(int), &base);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  do {
    MPI_Fetch_and_op(NULL, &here, MPI_INT, 0, 0, MPI_NO_OP, window);
    MPI_Win_flush(0, window);
  } while (here < size);
  MPI_Win_unlock(0, window);
  CHECK_EQUAL(here, size);
  MPI_Win_free(&window);
}

// A flag in my own memory that another rank sets, seen by loads alone. The target leaves MPI some
// room: without the library a target may have to help.
void polling_with_win_sync(void) {
  int *base = NULL, value = 42;
  MPI_Win window = window_of(2 * sizeof(int), sizeof(int), &base);
  volatile int* mine = base;
  MPI_Win_lock_all(0, window);
  MPI_Put(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, window);
  MPI_Win_flush(next(), window);
  value = 1;
  MPI_Accumulate(&value, 1, MPI_INT, next(), 1, 1, MPI_INT, MPI_REPLACE, window);
  MPI_Win_flush(next(), window);
  while (mine[1] == 0) {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Win_sync(window);
    usleep(20);
  }
  MPI_Win_sync(window);
  CHECK_EQUAL(mine[0], 42);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

// Accumulates of many ranks at the same time lose nothing, and those of one rank keep their order.
#include <complex.h>

#include "rma.h"

enum { rounds = 100 };

static int next(void) { return (rank + 1) % size; }

void counters_give_every_number_once(void) {
  long* base = NULL;
  MPI_Win window = window_of(2 * sizeof(long), sizeof(long), &base);
  int *mine = allocate((size_t)(rounds * size) * sizeof(int)),
      *all = allocate((size_t)(rounds * size) * sizeof(int));
  const long one = 1;
  long before = -1;
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < rounds; ++i) {
    long number = -1;
    if (i % 2 == 0) {
      MPI_Fetch_and_op(&one, &number, MPI_LONG, size - 1, 1, MPI_SUM, window);
    } else {
      MPI_Get_accumulate(&one, 1, MPI_LONG, &number, 1, MPI_LONG, size - 1, 1, 1, MPI_LONG, MPI_SUM,
                         window);
    }
    MPI_Win_flush(size - 1, window);
    CHECK(number > before, "number %ld after %ld", number, before);
    before = number;
    if (number >= 0 && number < rounds * size) ++mine[number];
  }
  MPI_Win_unlock_all(window);
  MPI_Allreduce(mine, all, rounds * size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < rounds * size; ++i) CHECK(all[i] == 1, "number %d came %d times", i, all[i]);
  free(mine);
  free(all);
  MPI_Win_free(&window);
}

#define MEET(T, TYPE)                                                                     \
  do {                                                                                    \
    enum { count = 50 };                                                                  \
    T* base = NULL;                                                                       \
    T ones[count];                                                                        \
    for (int i = 0; i < count; ++i) ones[i] = (T)(i % 3 + 1);                             \
    MPI_Win window = window_of(count * (MPI_Aint)sizeof(T), sizeof(T), &base);            \
    MPI_Win_lock_all(0, window);                                                          \
    for (int r = 0; r < rounds; ++r)                                                      \
      for (int target = 0; target < size; ++target)                                       \
        MPI_Accumulate(ones, count, TYPE, target, 0, count, TYPE, MPI_SUM, window);       \
    MPI_Win_unlock_all(window);                                                           \
    MPI_Barrier(MPI_COMM_WORLD);                                                          \
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);                                       \
    int wrong = 0;                                                                        \
    for (int i = 0; i < count; ++i) wrong += base[i] != (T)(rounds * size * (i % 3 + 1)); \
    CHECK(wrong == 0, "%d sums of %s are wrong", wrong, #TYPE);                           \
    MPI_Win_unlock(rank, window);                                                         \
    MPI_Win_free(&window);                                                                \
  } while (0)

void accumulates_of_all_ranks_meet(void) {
  MEET(int32_t, MPI_INT32_T);
  MEET(int64_t, MPI_INT64_T);
  MEET(float, MPI_FLOAT);
  MEET(double, MPI_DOUBLE);
  MEET(double complex, MPI_C_DOUBLE_COMPLEX);
  MEET(unsigned short, MPI_UNSIGNED_SHORT);
  MEET(long double, MPI_LONG_DOUBLE);
}

void accumulates_keep_their_order(void) {
  long* base = NULL;
  MPI_Win window = window_of((MPI_Aint)size * 4 * (MPI_Aint)sizeof(long), sizeof(long), &base);
  const int target = next();
  long results[rounds], values[rounds];
  MPI_Win_lock_all(0, window);
  // Without a flush between them: each replaces what the one before has written, and reads it.
  for (int i = 0; i < rounds; ++i) {
    values[i] = i + 1;
    if (i % 3 == 0) {
      MPI_Fetch_and_op(&values[i], &results[i], MPI_LONG, target, 4 * rank, MPI_REPLACE, window);
    } else if (i % 3 == 1) {
      MPI_Accumulate(&values[i], 1, MPI_LONG, target, 4 * rank, 1, MPI_LONG, MPI_REPLACE, window);
      results[i] = i;
    } else {
      MPI_Get_accumulate(&values[i], 1, MPI_LONG, &results[i], 1, MPI_LONG, target, 4 * rank, 1,
                         MPI_LONG, MPI_REPLACE, window);
    }
  }
  MPI_Win_flush(target, window);
  for (int i = 0; i < rounds; ++i) CHECK_EQUAL(results[i], i);
  // A large one and a small one behind it that lies in its end.
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);

  enum { large = 200000 };
  double* memory = NULL;
  window = window_of(large * (MPI_Aint)sizeof(double), sizeof(double), &memory);
  double* fill = allocate(large * sizeof(double));
  for (int i = 0; i < large; ++i) fill[i] = 1.0;
  const double last = 5.0;
  double seen = 0.0;
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
    MPI_Accumulate(fill, large, MPI_DOUBLE, target, 0, large, MPI_DOUBLE, MPI_SUM, window);
    MPI_Accumulate(&last, 1, MPI_DOUBLE, target, large - 1, 1, MPI_DOUBLE, MPI_REPLACE, window);
    MPI_Fetch_and_op(NULL, &seen, MPI_DOUBLE, target, large - 1, MPI_NO_OP, window);
    MPI_Win_unlock(target, window);
    CHECK(seen == last, "the last element is %g, expected %g", seen, last);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  if (rank == 1 % size) CHECK(memory[0] == 1.0 && memory[large - 1] == last, "values are lost");
  MPI_Win_unlock(rank, window);
  free(fill);
  MPI_Win_free(&window);
}

// A spin lock of the program's own, made of compare-and-swap, around a counter that is read and
// written by get and put.
void compare_and_swap_of_all_ranks(void) {
  int* base = NULL;
  MPI_Win window = window_of(2 * sizeof(int), sizeof(int), &base);
  const int free_lock = 0, taken = rank + 1;
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 10; ++i) {
    int old = -1, counter = 0;
    do {
      MPI_Compare_and_swap(&taken, &free_lock, &old, MPI_INT, 0, 0, window);
      MPI_Win_flush(0, window);
    } while (old != 0);
    MPI_Get(&counter, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    ++counter;
    MPI_Put(&counter, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    MPI_Fetch_and_op(&free_lock, &old, MPI_INT, 0, 0, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
    CHECK_EQUAL(old, taken);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    CHECK_EQUAL(base[1], 10 * size);
    MPI_Win_unlock(0, window);
  }
  MPI_Win_free(&window);
}

// Blocks of a matrix, as of a vector type, added by all ranks to overlapping places.
void strided_accumulates_meet(void) {
  enum { order = 64, block = 16 };
  double* base = NULL;
  MPI_Win window = window_of(order * order * (MPI_Aint)sizeof(double), sizeof(double), &base);
  double ones[block * block];
  for (int i = 0; i < block * block; ++i) ones[i] = 1.0;
  MPI_Datatype part;
  MPI_Type_vector(block, block, order, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i <= order - block; i += 4)
    for (int target = 0; target < size; ++target)
      MPI_Accumulate(ones, block * block, MPI_DOUBLE, target, i * order + i, 1, part, MPI_SUM,
                     window);
  MPI_Win_unlock_all(window);
  MPI_Type_free(&part);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  int wrong = 0;
  for (int i = 0; i < order; ++i)
    for (int j = 0; j < order; ++j) {
      int covers = 0;
      for (int k = 0; k <= order - block; k += 4)
        covers += i >= k && i < k + block && j >= k && j < k + block;
      wrong += base[i * order + j] != covers * size;
    }
  CHECK(wrong == 0, "%d elements of the matrix are wrong", wrong);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
}

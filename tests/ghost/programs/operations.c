// Every operation with every predefined type it is defined for, against the serial model.
#include "elements.h"
#include "rma.h"

enum { count = 5, width = 32 };  // elements of a part, and room for the largest

// A window has a part for every type, operation and origin, so that what an origin gets is certain.
static MPI_Aint place_of(const Element* e, Op op, int origin) {
  return (((e - element_table) * op_count + op) * size + origin) * count * width;
}

static unsigned value_of(Op op, int origin, int target, int step, int i) {
  uint64_t state =
      seed_of((uint64_t)op, (uint64_t)(origin * 100 + target), (uint64_t)(step * 100 + i));
  return (unsigned)below(&state, 8);
}

// step 0: the target's values at first; 1, 2 and 3: operands
static void values_of(const Element* e, Op op, int origin, int target, int step,
                      unsigned char* out) {
  for (int i = 0; i < count; ++i)
    e->set(out + (size_t)i * e->bytes, value_of(op, origin, target, step, i));
}

static void combine_all(const Element* e, Op op, int number, const unsigned char* operand,
                        unsigned char* target) {
  for (int i = 0; i < number; ++i)
    e->combine(op, operand + (size_t)i * e->bytes, target + (size_t)i * e->bytes);
}

static void check_values(const Element* e, Op op, int number, const unsigned char* found,
                         const unsigned char* expected, const char* what) {
  for (int i = 0; i < number; ++i)
    CHECK(e->equal(found + (size_t)i * e->bytes, expected + (size_t)i * e->bytes),
          "%s, %s of %s: element %d differs", what, op_names[op], e->name, i);
}

// accumulate, get_accumulate and fetch_and_op, one after the other; `model` follows.
static void operate(MPI_Win window, const Element* e, Op op, int target) {
  _Alignas(32) unsigned char operand[count * width], result[count * width], model[count * width],
      compare[count * width];
  memset(result, 0, sizeof result);
  values_of(e, op, rank, target, 0, model);
  const MPI_Aint place = place_of(e, op, rank);

  values_of(e, op, rank, target, 1, operand);
  if (op != op_no_op)  // which is for operations with a result
    MPI_Accumulate(operand, count, e->type, target, place, count, e->type, mpi_op(op), window);
  MPI_Win_flush_local(target, window);
  combine_all(e, op, count, operand, model);

  values_of(e, op, rank, target, 2, operand);
  MPI_Get_accumulate(operand, count, e->type, result, count, e->type, target, place, count, e->type,
                     mpi_op(op), window);
  MPI_Win_flush(target, window);
  check_values(e, op, count, result, model, "get_accumulate");
  combine_all(e, op, count, operand, model);

  values_of(e, op, rank, target, 3, operand);
  MPI_Fetch_and_op(operand, result, e->type, target, place, mpi_op(op), window);
  MPI_Win_flush(target, window);
  check_values(e, op, 1, result, model, "fetch_and_op");
  combine_all(e, op, 1, operand, model);

  MPI_Get(result, count, e->type, target, place, count, e->type, window);
  MPI_Win_flush(target, window);
  check_values(e, op, count, result, model, "get");

  // Types of integers, logicals and bytes: swap where equal, do not where not.
  if (op != op_replace || (e->ops & (1U << op_band | 1U << op_land)) == 0) return;
  memcpy(compare, model, e->bytes);
  values_of(e, op, rank, target, 4, operand);
  MPI_Compare_and_swap(operand, compare, result, e->type, target, place, window);
  MPI_Win_flush(target, window);
  check_values(e, op, 1, result, model, "compare_and_swap");
  memcpy(model, operand, e->bytes);
  e->set(compare, value_of(op, rank, target, 4, 0) + 1);
  if (e->equal(compare, model)) return;  // a bool
  MPI_Compare_and_swap(result, compare, result + width, e->type, target, place, window);
  MPI_Win_flush(target, window);
  check_values(e, op, 1, result + width, model, "compare_and_swap in vain");
}

static void check_memory(const Element* e, Op op, int origin, const unsigned char* part) {
  _Alignas(32) unsigned char model[count * width], operand[count * width];
  values_of(e, op, origin, rank, 0, model);
  for (int step = 1; step <= 3; ++step) {
    values_of(e, op, origin, rank, step, operand);
    combine_all(e, op, step == 3 ? 1 : count, operand, model);
  }
  if (op == op_replace && (e->ops & (1U << op_band | 1U << op_land)) != 0)
    e->set(model, value_of(op, origin, rank, 4, 0));
  check_values(e, op, count, part, model, "the target's memory");
}

void every_operation_on_every_type(void) {
  unsigned char* base = NULL;
  MPI_Win window = window_of(element_count * op_count * (MPI_Aint)size * count * width, 1, &base);
  const Element* const behind = element_table + element_count;
  MPI_Win_lock_all(0, window);
  for (const Element* e = element_table; e < behind; ++e)
    for (Op op = 0; op < op_count; ++op)
      for (int origin = 0; origin < size; ++origin)
        values_of(e, op, origin, rank, 0, base + place_of(e, op, origin));
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (const Element* e = element_table; e < behind; ++e)
    for (Op op = 0; op < op_count; ++op)
      if ((e->ops & 1U << op) != 0)
        for (int target = 0; target < size; ++target) operate(window, e, op, target);
  MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  for (const Element* e = element_table; e < behind; ++e)
    for (Op op = 0; op < op_count; ++op)
      if ((e->ops & 1U << op) != 0)
        for (int origin = 0; origin < size; ++origin)
          check_memory(e, op, origin, base + place_of(e, op, origin));
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

void operations_of_no_elements(void) {
  int *base = NULL, value = 7, result = 9;
  MPI_Win window = window_of(sizeof(int), sizeof(int), &base);
  *base = 5;
  MPI_Win_fence(0, window);
  const int target = (rank + 1) % size;
  MPI_Put(&value, 0, MPI_INT, target, 0, 0, MPI_INT, window);
  MPI_Get(&result, 0, MPI_INT, target, 0, 0, MPI_INT, window);
  MPI_Accumulate(&value, 0, MPI_INT, target, 0, 0, MPI_INT, MPI_SUM, window);
  MPI_Get_accumulate(&value, 0, MPI_INT, &result, 0, MPI_INT, target, 0, 0, MPI_INT, MPI_SUM,
                     window);
  MPI_Win_fence(0, window);
  CHECK_EQUAL(*base, 5);
  CHECK_EQUAL(result, 9);
  // Of no elements of a type, and of elements of an empty type.
  MPI_Datatype empty;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_Put(&value, 3, empty, target, 0, 2, empty, window);
  MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_NO_OP,
                     window);
  MPI_Win_fence(0, window);
  CHECK_EQUAL(result, 5);
  MPI_Type_free(&empty);
  MPI_Win_free(&window);
}

static void request_forms_with_no_target(MPI_Win window, int value, int* result) {
  MPI_Request requests[4];
  MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[0]);
  MPI_Rget(result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[1]);
  MPI_Raccumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, window, &requests[2]);
  MPI_Rget_accumulate(&value, 1, MPI_INT, result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM,
                      window, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

void operations_with_no_target(void) {
  int *base = NULL, value = 7, result = 9, compare = 0;
  MPI_Win window = window_of(sizeof(int), sizeof(int), &base);
  MPI_Win_lock_all(0, window);
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
  MPI_Get(&result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
  MPI_Accumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Get_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM,
                     window);
  MPI_Fetch_and_op(&value, &result, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, window);
  MPI_Compare_and_swap(&value, &compare, &result, MPI_INT, MPI_PROC_NULL, 0, window);
  request_forms_with_no_target(window, value, &result);
  MPI_Win_unlock_all(window);
  MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window);
  request_forms_with_no_target(window, value, &result);
  MPI_Win_unlock(MPI_PROC_NULL, window);
  CHECK_EQUAL(result, 9);
  MPI_Win_free(&window);
}

void every_request_form(void) {
  long* base = NULL;
  MPI_Win window = window_of(4 * size * (MPI_Aint)sizeof(long), sizeof(long), &base);
  const int target = (rank + 1) % size;
  const int from = (rank + size - 1) % size;
  MPI_Win_lock_all(0, window);
  for (int way = 0; way < 3; ++way) {
    const long put = 1000 + rank, add = 10 + way, more = 3;
    long got = 0, old = 0;
    MPI_Request requests[2];
    int flag = 0;
    MPI_Status status;
    MPI_Rput(&put, 1, MPI_LONG, target, 4 * rank, 1, MPI_LONG, window, &requests[0]);
    MPI_Raccumulate(&add, 1, MPI_LONG, target, 4 * rank + 1, 1, MPI_LONG, MPI_SUM, window,
                    &requests[1]);
    if (way == 0) {
      MPI_Wait(&requests[0], &status);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else if (way == 1) {
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
      for (int i = 0; i < 2; ++i)
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    }
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "requests remain");
    MPI_Win_flush(target, window);
    MPI_Rget(&got, 1, MPI_LONG, target, 4 * rank, 1, MPI_LONG, window, &requests[0]);
    MPI_Rget_accumulate(&more, 1, MPI_LONG, &old, 1, MPI_LONG, target, 4 * rank + 1, 1, MPI_LONG,
                        MPI_SUM, window, &requests[1]);
    int index = 0;
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index == 0 || index == 1, "Waitany gave %d", index);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_EQUAL(got, put);
    CHECK_EQUAL(old, add + (way > 0 ? 10 + 3 : 0) + (way > 1 ? 11 + 3 : 0));
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  CHECK_EQUAL(base[4 * from], 1000 + from);
  CHECK_EQUAL(base[4 * from + 1], 10 + 11 + 12 + 9);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
}

// Larger than any message or buffer that may be inside: 3 MiB and a little.
void large_operations(void) {
  enum { large = 393216 + 5 };
  double* base = NULL;
  MPI_Win window = window_of(2 * large * (MPI_Aint)sizeof(double), sizeof(double), &base);
  double* mine = allocate(large * sizeof(double));
  double* back = allocate(large * sizeof(double));
  const int target = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int i = 0; i < large; ++i) mine[i] = rank + i % 1000;
  MPI_Win_fence(0, window);
  MPI_Put(mine, large, MPI_DOUBLE, target, 0, large, MPI_DOUBLE, window);
  MPI_Accumulate(mine, large, MPI_DOUBLE, target, large, large, MPI_DOUBLE, MPI_SUM, window);
  MPI_Accumulate(mine, large, MPI_DOUBLE, target, large, large, MPI_DOUBLE, MPI_MAX, window);
  MPI_Win_fence(0, window);
  int wrong = 0;
  for (int i = 0; i < 2 * large; ++i) wrong += base[i] != from + i % large % 1000;
  CHECK(wrong == 0, "%d elements differ after put and accumulate", wrong);
  MPI_Win_fence(0, window);
  MPI_Get(back, large, MPI_DOUBLE, target, 0, large, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  check_bytes(back, mine, large * sizeof(double), "get");
  MPI_Get_accumulate(mine, large, MPI_DOUBLE, back, large, MPI_DOUBLE, target, large, large,
                     MPI_DOUBLE, MPI_REPLACE, window);
  MPI_Win_fence(0, window);
  check_bytes(back, mine, large * sizeof(double), "get_accumulate");
  free(mine);
  free(back);
  MPI_Win_free(&window);
}

// MPI 4's functions with counts of MPI_Count.
void large_count_forms(void) {
#if MPI_VERSION >= 4
  int* base = NULL;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate_c(8 * (MPI_Aint)sizeof(int), (MPI_Aint)sizeof(int), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &base, &window);
  memset(base, 0, 8 * sizeof(int));
  const int target = (rank + 1) % size, from = (rank + size - 1) % size;
  const int values[2] = {rank + 1, rank + 2};
  int back[8] = {0};
  MPI_Request requests[4];
  MPI_Win_fence(0, window);
  MPI_Put_c(values, 2, MPI_INT, target, 0, 2, MPI_INT, window);
  MPI_Accumulate_c(values, 2, MPI_INT, target, 2, 2, MPI_INT, MPI_SUM, window);
  MPI_Get_accumulate_c(values, 2, MPI_INT, back, 2, MPI_INT, target, 4, 2, MPI_INT, MPI_REPLACE,
                       window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(base[i], from + 1 + i % 2);
  CHECK_EQUAL(back[0] + back[1], 0);
  MPI_Get_c(back, 6, MPI_INT, target, 0, 6, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(back[i], rank + 1 + i % 2);
  MPI_Win_lock_all(0, window);
  MPI_Rput_c(values, 1, MPI_INT, target, 6, 1, MPI_INT, window, &requests[0]);
  MPI_Raccumulate_c(values, 1, MPI_INT, target, 7, 1, MPI_INT, MPI_SUM, window, &requests[1]);
  MPI_Rget_c(back, 1, MPI_INT, target, 0, 1, MPI_INT, window, &requests[2]);
  MPI_Rget_accumulate_c(values, 1, MPI_INT, back + 1, 1, MPI_INT, target, 2, 1, MPI_INT, MPI_SUM,
                        window, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(window);
  CHECK_EQUAL(back[0], rank + 1);
  CHECK_EQUAL(back[1], rank + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  CHECK_EQUAL(base[6], from + 1);
  CHECK_EQUAL(base[7], from + 1);
  CHECK_EQUAL(base[2], 2 * (from + 1));
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
#endif
}

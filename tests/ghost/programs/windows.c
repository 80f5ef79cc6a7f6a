// Windows as objects: sizes and units, attributes, names, groups, other communicators, the kinds
// that the program brings its own memory for, and what happens to errors.
#include <stdio.h>

#include "rma.h"

static int next(void) { return (rank + 1) % size; }
static int previous(void) { return (rank + size - 1) % size; }

void sizes_and_units(void) {
  const int units[] = {1, 2, 3, 4, 8, 12, 100};
  for (size_t u = 0; u < sizeof units / sizeof *units; ++u) {
    // Another size on every rank, none on the last; from the second round other units as well.
    const int mine = u == 0 ? 1 : units[(u + (size_t)rank) % 7];
    const int to = next();
    const int theirs = u == 0 ? 1 : units[(u + (size_t)to) % 7];
    const MPI_Aint bytes = rank == size - 1 && size > 1 ? 0 : 1200 * (rank + 1);
    unsigned char* base = NULL;
    MPI_Win window = window_of(bytes, mine, &base);
    const unsigned char value[3] = {1, 2, (unsigned char)(10 + rank)};
    MPI_Win_fence(0, window);
    if (to != size - 1 || size == 1)
      MPI_Put(value, 3, MPI_UNSIGNED_CHAR, to, 11, 3, MPI_UNSIGNED_CHAR, window);
    MPI_Win_fence(0, window);
    if (bytes > 0) {
      const int at = 11 * mine;
      CHECK_EQUAL(base[at], 1);
      CHECK_EQUAL(base[at + 2], 10 + previous());
      CHECK_EQUAL(base[at + 3], 0);
      CHECK_EQUAL(base[at - 1], 0);
    }
    if (to != size - 1 || size == 1) {  // the very end
      const MPI_Aint last = 1200 * (to + 1) / theirs - 1;
      MPI_Put(value, 1, MPI_UNSIGNED_CHAR, to, last, 1, MPI_UNSIGNED_CHAR, window);
    }
    MPI_Win_fence(0, window);
    if (bytes > 0) CHECK_EQUAL(base[(bytes / mine - 1) * mine], 1);
    MPI_Win_free(&window);
    CHECK(window == MPI_WIN_NULL, "MPI_Win_free leaves a handle");
  }
}

static int deleted = 0;
static int count_deletion(MPI_Win window, int key, void* value, void* extra) {
  (void)window, (void)key, (void)extra;
  deleted += *(int*)value;
  return MPI_SUCCESS;
}

void attributes_and_names(void) {
  char *base = NULL, text[MPI_MAX_OBJECT_NAME + 1] = "";
  MPI_Win window = window_of(24 * (rank + 1), 8, &base);
  void* value = NULL;
  int flag = 0, length = 0, key = MPI_KEYVAL_INVALID, mine = 5;
  MPI_Win_get_attr(window, MPI_WIN_BASE, &value, &flag);
  CHECK(flag && value == base, "MPI_WIN_BASE is %p, expected %p", value, (void*)base);
  MPI_Win_get_attr(window, MPI_WIN_SIZE, &value, &flag);
  CHECK_EQUAL(flag ? *(MPI_Aint*)value : -1, 24 * (rank + 1));
  MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &value, &flag);
  CHECK_EQUAL(flag ? *(int*)value : -1, 8);
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &value, &flag);
  CHECK_EQUAL(flag ? *(int*)value : -1, MPI_WIN_FLAVOR_ALLOCATE);
  MPI_Win_get_attr(window, MPI_WIN_MODEL, &value, &flag);
  CHECK_EQUAL(flag ? *(int*)value : -1, MPI_WIN_UNIFIED);

  MPI_Win_set_name(window, "forces");
  MPI_Win_get_name(window, text, &length);
  CHECK(length == 6 && strcmp(text, "forces") == 0, "the name is %s", text);

  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_deletion, &key, NULL);
  MPI_Win_set_attr(window, key, &mine);
  MPI_Win_get_attr(window, key, &value, &flag);
  CHECK(flag && value == &mine, "an attribute of my own is lost");

  MPI_Group group, all;
  int result = MPI_UNEQUAL;
  MPI_Win_get_group(window, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_compare(group, all, &result);
  CHECK_EQUAL(result, MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&all);

  MPI_Info info = MPI_INFO_NULL;
  MPI_Win_get_info(window, &info);
  CHECK(info != MPI_INFO_NULL, "the window has no info");
  MPI_Win_set_info(window, info);
  MPI_Info_free(&info);

  deleted = 0;
  MPI_Win_free(&window);
  CHECK_EQUAL(deleted, 5);
  MPI_Win_free_keyval(&key);

  // Hints that are true, and one that nobody knows.
  MPI_Info_create(&info);
  MPI_Info_set(info, "same_disp_unit", "true");
  MPI_Info_set(info, "same_size", "true");
  MPI_Info_set(info, "accumulate_ordering", "rar,raw,war,waw");
  MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
  MPI_Info_set(info, "no_such_hint", "7");
  int* memory = NULL;
  const int one = 1;
  MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &window);
  *memory = 0;
  MPI_Info_free(&info);
  MPI_Win_fence(0, window);
  MPI_Accumulate(&one, 1, MPI_INT, next(), 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK_EQUAL(*memory, 1);
  MPI_Win_free(&window);
}

// My neighbour in a communicator gets what it should, by the numbers of that communicator.
static void pass_round(MPI_Comm communicator, const char* what) {
  int *base = NULL, me = 0, members = 0;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm_rank(communicator, &me);
  MPI_Comm_size(communicator, &members);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, communicator, &base, &window);
  *base = -1;
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (me + 1) % members, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Group group, world;
  MPI_Win_get_group(window, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int from = (me + members - 1) % members;
  int expected = -1;
  MPI_Group_translate_ranks(group, 1, &from, world, &expected);
  CHECK(*base == expected, "%s: %d came, expected %d", what, *base, expected);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_Win_free(&window);
}

void windows_of_other_communicators(void) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  pass_round(other, "a duplicate");
  MPI_Comm_free(&other);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
  pass_round(other, "ranks backwards");
  MPI_Comm_free(&other);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &other);
  pass_round(other, "every other rank");
  MPI_Comm_free(&other);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &other);
  if (other != MPI_COMM_NULL) {  // rank 0 takes no part
    pass_round(other, "without the first");
    MPI_Comm_free(&other);
  }
  pass_round(MPI_COMM_SELF, "myself");
  MPI_Group all, part;
  const int last = size - 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &last, &part);
  if (rank == last) {
    MPI_Comm_create_group(MPI_COMM_WORLD, part, 5, &other);
    pass_round(other, "a group of one");
    MPI_Comm_free(&other);
  }
  MPI_Group_free(&part);
  MPI_Group_free(&all);
}

void no_windows_of_two_groups(void) {
  MPI_Comm half, both;
  if (size < 2 || !strict) return;  // MPICH 5 itself crashes there
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  void* base = NULL;
  MPI_Win window = MPI_WIN_NULL;
  CHECK_CLASS(MPI_Win_allocate(8, 1, MPI_INFO_NULL, both, &base, &window), MPI_ERR_COMM);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

void many_windows(void) {
  enum { count = 40, rounds = 20 };
  MPI_Win windows[count];
  int* bases[count];
  for (int i = 0; i < count; ++i) windows[i] = window_of(sizeof(int), sizeof(int), &bases[i]);
  for (int i = 0; i < count; ++i) MPI_Win_lock_all(0, windows[i]);
  for (int i = 0; i < count; ++i)
    MPI_Accumulate(&i, 1, MPI_INT, next(), 0, 1, MPI_INT, MPI_SUM, windows[i]);
  for (int i = 0; i < count; ++i) MPI_Win_unlock_all(windows[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    const int w = (7 * i) % count;  // another order than that of creation
    CHECK_EQUAL(*bases[w], w);
    MPI_Win_free(&windows[w]);
  }
  for (int i = 0; i < rounds; ++i) {
    MPI_Win window = window_of(1 << 16, 1, &bases[0]);
    MPI_Win_free(&window);
  }
}

void windows_on_own_memory(void) {
  long memory[4] = {0, 0, 0, 0};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  const long one = 1, value = 100 + rank;
  long old = -1;
  void* flavour = NULL;
  int flag = 0;
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavour, &flag);
  CHECK_EQUAL(flag ? *(int*)flavour : -1, MPI_WIN_FLAVOR_CREATE);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_LONG, next(), 1, 1, MPI_LONG, window);
  MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK_EQUAL(memory[1], 100 + previous());
  CHECK_EQUAL(memory[0], rank == 0 ? size : 0);
  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, next(), 2, MPI_SUM, window);
  MPI_Win_unlock_all(window);
  CHECK_EQUAL(old, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_EQUAL(memory[2], 1);
  MPI_Win_free(&window);
}

void dynamic_windows(void) {
  MPI_Win window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  long* memory = allocate(8 * sizeof(long));
  MPI_Aint mine = 0, theirs = 0;
  MPI_Win_attach(window, memory, 8 * sizeof(long));
  MPI_Get_address(memory, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, previous(), 0, &theirs, 1, MPI_AINT, next(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  const long value = 50 + rank;
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_LONG, next(), MPI_Aint_add(theirs, 3 * sizeof(long)), 1, MPI_LONG, window);
  MPI_Accumulate(&value, 1, MPI_LONG, next(), theirs, 1, MPI_LONG, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK_EQUAL(memory[3], 50 + previous());
  CHECK_EQUAL(memory[0], 50 + previous());
  MPI_Win_detach(window, memory);
  MPI_Win_free(&window);
  free(memory);
}

void shared_windows(void) {
  MPI_Comm node;
  int me = 0, members = 0, unit = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &me);
  MPI_Comm_size(node, &members);
  int *base = NULL, *theirs = NULL;
  MPI_Win window;
  MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &base, &window);
  base[0] = base[1] = 0;
  MPI_Win_fence(0, window);
  MPI_Aint bytes = 0;
  MPI_Win_shared_query(window, (me + 1) % members, &bytes, &unit, &theirs);
  CHECK_EQUAL(bytes, 2 * sizeof(int));
  CHECK_EQUAL(unit, sizeof(int));
  theirs[0] = 10 + me;
  const int value = 20 + me;
  MPI_Put(&value, 1, MPI_INT, (me + 1) % members, 1, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_EQUAL(base[0], 10 + (me + members - 1) % members);
  CHECK_EQUAL(base[1], 20 + (me + members - 1) % members);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
}

static MPI_Win wrong_window = MPI_WIN_NULL;
static int wrong_code = MPI_SUCCESS;
static int handled = 0;
static void handle(MPI_Win* window, int* code, ...) {
  wrong_window = *window;
  MPI_Error_class(*code, &wrong_code);
  ++handled;
}

void error_handlers(void) {
  int* base = NULL;
  MPI_Win window = window_of(sizeof(int), sizeof(int), &base);
  MPI_Errhandler own, found;
  MPI_Win_create_errhandler(handle, &own);
  MPI_Win_set_errhandler(window, own);
  MPI_Win_get_errhandler(window, &found);
  CHECK(found == own, "another error handler than I set");
  MPI_Errhandler_free(&found);
  handled = 0;
  MPI_Win_call_errhandler(window, MPI_ERR_OTHER);
  CHECK_EQUAL(handled, 1);
  CHECK(wrong_window == window, "the handler is called with another window");
  CHECK_EQUAL(wrong_code, MPI_ERR_OTHER);
  // A wrong rank is told to the window's handler, not to the communicator's, which would end all.
  MPI_Win_lock_all(0, window);
  MPI_Put(base, 1, MPI_INT, size + 1, 0, 1, MPI_INT, window);
  MPI_Win_unlock_all(window);
  CHECK_EQUAL(handled, 2);
  CHECK(wrong_window == window, "the handler is called with another window");
  CHECK_EQUAL(wrong_code, MPI_ERR_RANK);
  MPI_Errhandler_free(&own);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  if (strict) {  // one rank's wrong unit is told to all, where others would wait for it
    MPI_Comm careful = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &careful);
    MPI_Comm_set_errhandler(careful, MPI_ERRORS_RETURN);
    const int code =
        MPI_Win_allocate(4, rank == size - 1 ? 0 : 1, MPI_INFO_NULL, careful, &base, &window);
    CHECK_EQUAL(code, MPI_ERR_DISP);
    MPI_Comm_free(&careful);
  }
}

void wrong_arguments(void) {
  int *base = NULL, value = 1, result = 0;
  MPI_Win window = window_of(4 * sizeof(int), sizeof(int), &base);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, window);
  CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, -7, 0, 1, MPI_INT, window), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Get(&value, 1, MPI_INT, size, 0, 1, MPI_INT, window), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, size, 0, 1, MPI_INT, MPI_SUM, window),
              MPI_ERR_RANK);
  CHECK_CLASS(MPI_Fetch_and_op(&value, &result, MPI_INT, size, 0, MPI_SUM, window), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, window), MPI_ERR_COUNT);
  if (strict) {  // what MPI libraries find only sometimes
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, window), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(&value, 1, MPI_INT, 0, -1, 1, MPI_INT, window), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, -1, 1, MPI_INT, window), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window),
                MPI_ERR_OP);
    MPI_Datatype pair;
    int both[2] = {1, 1};
    MPI_Type_contiguous(2, MPI_INT, &pair);
    CHECK_CLASS(MPI_Put(both, 1, pair, 0, 0, 2, MPI_INT, window), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get(both, 0, MPI_INT, 0, 0, 0, pair, window), MPI_ERR_TYPE);
    MPI_Type_commit(&pair);
    CHECK_CLASS(MPI_Fetch_and_op(both, both, pair, 0, 0, MPI_REPLACE, window), MPI_ERR_TYPE);
    MPI_Type_free(&pair);
  }
  MPI_Win_unlock_all(window);
  if (strict) {
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(0, window), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(window), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(0, window), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(window), MPI_ERR_RMA_SYNC);
  }
  // Nothing of this has done anything, and the window goes on.
  MPI_Win_fence(0, window);
  CHECK_EQUAL(base[0] + base[1] + base[2] + base[3], 0);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_EQUAL(base[0], 1);
  MPI_Win_free(&window);
}

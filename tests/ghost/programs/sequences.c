// Random sequences of operations in random epochs against a model of all windows, which every rank
// keeps: it draws what each rank does from the same stream of numbers.
//
// In an epoch each origin writes into slots of its own of every target, each once, but for the last
// slots: there it accumulates again and again, in its order. One more slot of every target is
// common to all origins, who add integers to it.
#include "elements.h"
#include "rma.h"

enum {
  slots = 8,
  again = 2,
  slot_bytes = 512,
  part_bytes = slots * slot_bytes,
  rounds = 40,
  most_operations = 6,
  result_bytes = slot_bytes
};

static MPI_Win window;
static unsigned char *base, *model;  // `model`: windows of all ranks, one after the other
static MPI_Aint window_bytes;

typedef struct {
  int kind;  // put, get, accumulate, get_accumulate, fetch_and_op, the common sum
  int target, slot, count, stride;  // stride: in elements, at the target
  const Element* element;
  Op op;
  MPI_Aint place;  // in bytes, in the target's window
  _Alignas(32) unsigned char operand[slot_bytes], result[result_bytes], expected[result_bytes];
} Operation;

enum { put, get, accumulate, get_accumulate, fetch_and_op, common_sum, kinds };

static unsigned char* modelled(int target, MPI_Aint place) {
  return model + target * window_bytes + place;
}

static Operation drawn(int origin, int* used, uint64_t* state) {
  static const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_LONG, MPI_FLOAT,
                                       MPI_UNSIGNED_SHORT};
  static const Op ops[] = {op_sum, op_max, op_replace, op_min};
  Operation o;
  memset(&o, 0, sizeof o);
  o.kind = below(state, kinds);
  o.target = below(state, size);
  const int same = below(state, again);
  // What is accumulated again has one type and one operation, as MPI wants it.
  const int repeated = o.kind >= accumulate && o.kind != common_sum && below(state, 2) == 0;
  int* next_slot = &used[o.target];
  if (repeated || *next_slot >= slots - again) {
    o.slot = slots - again + same;
    if (o.kind < accumulate) o.kind = accumulate;
    o.element = element_of(same == 0 ? MPI_LONG : MPI_DOUBLE);
    o.op = o.kind != common_sum && same == 0 ? op_sum : op_replace;
  } else {
    o.slot = (*next_slot)++;
    o.element = element_of(types[below(state, 5)]);
    o.op = ops[below(state, 4)];
  }
  o.stride = 1 + below(state, 3);
  o.count = 1 + below(state, (int)(slot_bytes / o.element->bytes) / 3);
  if (o.kind == fetch_and_op) o.count = o.stride = 1;
  o.place = (MPI_Aint)origin * part_bytes + (MPI_Aint)o.slot * slot_bytes;
  if (o.kind == common_sum) {
    o.element = element_of(MPI_LONG);
    o.op = op_sum;
    o.stride = 1;
    o.count = 1 + below(state, 20);
    o.place = (MPI_Aint)size * part_bytes;
  }
  for (int i = 0; i < o.count; ++i)
    o.element->set(o.operand + (size_t)i * o.element->bytes, (unsigned)below(state, 8));
  return o;
}

static void apply_to_model(Operation* o) {
  const size_t bytes = o->element->bytes;
  for (int i = 0; i < o->count; ++i) {
    unsigned char* at = modelled(o->target, o->place) + (size_t)i * (size_t)o->stride * bytes;
    memcpy(o->expected + (size_t)i * bytes, at, bytes);
    if (o->kind == put) memcpy(at, o->operand + (size_t)i * bytes, bytes);
    if (o->kind >= accumulate) o->element->combine(o->op, o->operand + (size_t)i * bytes, at);
  }
}

static void issue(Operation* o) {
  const MPI_Datatype type = o->element->type;
  MPI_Datatype strided;
  MPI_Type_vector(o->count, 1, o->stride, type, &strided);
  MPI_Type_commit(&strided);
  switch (o->kind) {
    case put: MPI_Put(o->operand, o->count, type, o->target, o->place, 1, strided, window); break;
    case get: MPI_Get(o->result, o->count, type, o->target, o->place, 1, strided, window); break;
    case get_accumulate:
      MPI_Get_accumulate(o->operand, o->count, type, o->result, o->count, type, o->target, o->place,
                         1, strided, mpi_op(o->op), window);
      break;
    case fetch_and_op:
      MPI_Fetch_and_op(o->operand, o->result, type, o->target, o->place, mpi_op(o->op), window);
      break;
    default:
      MPI_Accumulate(o->operand, o->count, type, o->target, o->place, 1, strided, mpi_op(o->op),
                     window);
  }
  MPI_Type_free(&strided);  // it lives on as long as the operation needs it
}

static void open_epoch(int kind, MPI_Group all) {
  switch (kind) {
    case 0: MPI_Win_fence(0, window); break;
    case 1: MPI_Win_lock_all(0, window); break;
    case 2:
      for (int target = 0; target < size; ++target)
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
      break;
    default: MPI_Win_post(all, 0, window); MPI_Win_start(all, 0, window);
  }
}

static void close_epoch(int kind) {
  switch (kind) {
    case 0: MPI_Win_fence(MPI_MODE_NOSUCCEED, window); break;
    case 1: MPI_Win_unlock_all(window); break;
    case 2:
      for (int target = 0; target < size; ++target) MPI_Win_unlock(target, window);
      break;
    default: MPI_Win_complete(window); MPI_Win_wait(window);
  }
}

static void run_round(int round, MPI_Group all) {
  Operation mine[most_operations];
  uint64_t common = seed_of(9, (uint64_t)round, 0);
  const int kind = below(&common, 4), flushes = kind == 1 || kind == 2;
  int count = 0;
  open_epoch(kind, all);
  for (int origin = 0; origin < size; ++origin) {
    uint64_t state = seed_of(9, (uint64_t)round, (uint64_t)origin + 1);
    int used[64] = {0};
    const int operations = 1 + below(&state, most_operations);
    for (int i = 0; i < operations; ++i) {
      Operation o = drawn(origin, used, &state);
      const int flush = flushes && below(&state, 3) == 0;
      apply_to_model(&o);
      if (origin != rank) continue;
      mine[count++] = o;
      issue(&mine[count - 1]);
      if (flush) MPI_Win_flush(o.target, window);
    }
  }
  close_epoch(kind);
  for (int i = 0; i < count; ++i) {
    const Operation* o = &mine[i];
    if (o->kind == get || o->kind == get_accumulate || o->kind == fetch_and_op)
      check_bytes(o->result, o->expected, (size_t)o->count * o->element->bytes,
                  "round %d, epoch %d, result of operation %d (%d, %s, %s)", round, kind, i,
                  o->kind, op_names[o->op], o->element->name);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  check_bytes(base, modelled(rank, 0), (size_t)window_bytes, "round %d, epoch %d", round, kind);
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

void random_sequences(void) {
  CHECK(size <= 64, "the test is for at most 64 ranks");
  window_bytes = (MPI_Aint)size * part_bytes + slot_bytes;
  window = window_of(window_bytes, 1, &base);
  model = allocate((size_t)(window_bytes * size));
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (int round = 0; round < rounds; ++round) run_round(round, all);
  MPI_Group_free(&all);
  free(model);
  MPI_Win_free(&window);
}

// Derived datatypes at the origin and at the target: puts, gets and accumulates write what
// MPI_Unpack would, and nothing beside it.
#include "elements.h"
#include "layouts.h"
#include "rma.h"

enum { part_bytes = 32768 };

static MPI_Win window;
static unsigned char* base;   // a part for each origin
static unsigned char* model;  // what my part at my target is to hold
static int target;

// Elements by value: no padding, no bits that are no number.
static const MPI_Datatype* plain_types(int* count) {
  static MPI_Datatype types[6];
  types[0] = MPI_INT, types[1] = MPI_DOUBLE, types[2] = MPI_SHORT, types[3] = MPI_INT64_T;
  types[4] = MPI_UNSIGNED_CHAR, types[5] = MPI_C_DOUBLE_COMPLEX;
  *count = 6;
  return types;
}

static void open_part(void) {
  window = window_of((MPI_Aint)size * part_bytes, 1, &base);
  model = allocate(part_bytes);
  target = (rank + 1) % size;
  MPI_Win_lock_all(0, window);
}

static void close_part(void) {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free(model);
}

// All bytes of my part at the target, through a plain get.
static void check_part(const char* what, int class_number) {
  unsigned char* found = allocate(part_bytes);
  MPI_Win_flush(target, window);
  MPI_Get(found, part_bytes, MPI_BYTE, target, (MPI_Aint)rank * part_bytes, part_bytes, MPI_BYTE,
          window);
  MPI_Win_flush(target, window);
  check_bytes(found, model, part_bytes, "%s, case %d", what, class_number);
  free(found);
}

static void set_elements(const Element* e, int count, unsigned char* out, uint64_t* state) {
  for (int i = 0; i < count; ++i) e->set(out + (size_t)i * e->bytes, (unsigned)below(state, 8));
}

typedef struct {
  const Element* element;
  Layout origin, target;
  int origin_count, target_count, elements;
  MPI_Aint place;         // in the window, of the target's first layout
  unsigned char* buffer;  // at the origin
  MPI_Aint buffer_bytes;
  unsigned char* first;   // the first layout in it
  unsigned char* packed;  // its elements
} Transfer;

// Places for the target's layouts in its part of the window; none if they do not fit.
static int places_for(const Transfer* t) {
  const MPI_Aint room = (part_bytes - span_of(&t->target, t->target_count)) / 32;
  return room > 0 ? (int)room : 0;
}

// As many of both layouts as hold the same number of elements.
static Transfer matched(const Element* e, Layout origin, Layout at_target, uint64_t* state) {
  Transfer t = {.element = e, .origin = origin, .target = at_target};
  t.elements = match(&origin, &at_target, 8 + below(state, 60), &t.origin_count, &t.target_count);
  return t;
}

// With its place in the window, and what it is to write.
static Transfer filled(Transfer t, uint64_t* state) {
  const MPI_Aint part = (MPI_Aint)rank * part_bytes;
  t.place = part - t.target.lowest + 32 * below(state, places_for(&t));
  t.buffer_bytes = span_of(&t.origin, t.origin_count);
  t.buffer = allocate((size_t)t.buffer_bytes);
  t.first = t.buffer - t.origin.lowest;
  t.packed = allocate((size_t)t.elements * t.element->bytes);
  set_elements(t.element, t.elements, t.packed, state);
  unpack(t.packed, &t.origin, t.origin_count, t.first);
  return t;
}

// Random layouts; those that the window has no room for are drawn again.
static Transfer random_transfer(const Element* e, uint64_t* state) {
  for (;;) {
    Layout origin = random_layout(e, state), at_target = random_layout(e, state);
    const Transfer t = matched(e, origin, at_target, state);
    if (places_for(&t) > 0) return filled(t, state);
    free_layout(&origin);
    free_layout(&at_target);
  }
}

static unsigned char* place_in_model(const Transfer* t) {
  return model + (t->place - (MPI_Aint)rank * part_bytes);
}

static void end_transfer(Transfer* t) {
  free_layout(&t->origin);
  free_layout(&t->target);
  free(t->buffer);
  free(t->packed);
}

static void put_and_get(Transfer* t, int number) {
  MPI_Put(t->first, t->origin_count, t->origin.type, target, t->place, t->target_count,
          t->target.type, window);
  unpack(t->packed, &t->target, t->target_count, place_in_model(t));
  check_part("put", number);

  unsigned char* expected = allocate((size_t)t->buffer_bytes);
  memset(t->buffer, 0x55, (size_t)t->buffer_bytes);
  memset(expected, 0x55, (size_t)t->buffer_bytes);
  unpack(t->packed, &t->origin, t->origin_count, expected - t->origin.lowest);
  MPI_Get(t->first, t->origin_count, t->origin.type, target, t->place, t->target_count,
          t->target.type, window);
  MPI_Win_flush(target, window);
  check_bytes(t->buffer, expected, (size_t)t->buffer_bytes, "get, case %d", number);
  free(expected);
}

static void accumulate_and_fetch(Transfer* t, int number, Op op) {
  const Element* e = t->element;
  unsigned char* old = allocate((size_t)t->elements * e->bytes);
  unsigned char* now = allocate((size_t)t->elements * e->bytes);
  unsigned char* result = allocate((size_t)t->elements * e->bytes);
  for (int fetches = op == op_no_op; fetches < 2; ++fetches) {
    pack(place_in_model(t), &t->target, t->target_count, old);
    memcpy(now, old, (size_t)t->elements * e->bytes);
    for (int i = 0; i < t->elements; ++i)
      e->combine(op, t->packed + (size_t)i * e->bytes, now + (size_t)i * e->bytes);
    unpack(now, &t->target, t->target_count, place_in_model(t));
    if (fetches) {
      MPI_Get_accumulate(t->first, t->origin_count, t->origin.type, result, t->elements, e->type,
                         target, t->place, t->target_count, t->target.type, mpi_op(op), window);
      MPI_Win_flush(target, window);
      check_bytes(result, old, (size_t)t->elements * e->bytes, "result of %s, case %d",
                  op_names[op], number);
    } else {
      MPI_Accumulate(t->first, t->origin_count, t->origin.type, target, t->place, t->target_count,
                     t->target.type, mpi_op(op), window);
    }
    check_part(op_names[op], number);
  }
  free(old);
  free(now);
  free(result);
}

void every_class_of_datatype(void) {
  open_part();
  int types = 0;
  const MPI_Datatype* all = plain_types(&types);
  uint64_t state = seed_of(1, 0, 0);
  for (int c = 0; c < layout_classes; ++c) {
    const Element* e = element_of(all[c % types]);
    for (int side = 0; side < 2; ++side) {  // plain at the other side
      Layout derived = layout_of_class(c, e, &state), plain = layout_of_class(1, e, &state);
      Transfer t = filled(
          matched(e, side == 0 ? derived : plain, side == 0 ? plain : derived, &state), &state);
      put_and_get(&t, c);
      accumulate_and_fetch(&t, c, op_sum);
      accumulate_and_fetch(&t, c, op_replace);
      end_transfer(&t);
    }
  }
  close_part();
}

void random_datatypes_put_and_get(void) {
  open_part();
  int types = 0;
  const MPI_Datatype* all = plain_types(&types);
  for (int i = 0; i < 60; ++i) {
    uint64_t state = seed_of(2, (uint64_t)i, (uint64_t)rank);
    const Element* e = element_of(all[below(&state, types)]);
    Transfer t = random_transfer(e, &state);
    put_and_get(&t, i);
    end_transfer(&t);
  }
  close_part();
}

void random_datatypes_accumulate(void) {
  open_part();
  int types = 0;
  const MPI_Datatype* all = plain_types(&types);
  const Op ops[] = {op_sum, op_prod, op_replace, op_no_op};
  for (int i = 0; i < 60; ++i) {
    uint64_t state = seed_of(3, (uint64_t)i, (uint64_t)rank);
    const Element* e = element_of(all[below(&state, types)]);
    Transfer t = random_transfer(e, &state);
    // Numbers of the model are made anew: products would leave every range.
    unpack(t.packed, &t.target, t.target_count, place_in_model(&t));
    MPI_Put(t.packed, t.elements, e->type, target, t.place, t.target_count, t.target.type, window);
    MPI_Win_flush(target, window);
    accumulate_and_fetch(&t, i, ops[below(&state, 4)]);
    end_transfer(&t);
  }
  close_part();
}

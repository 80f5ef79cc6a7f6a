#include "layouts.h"

static Layout finished(MPI_Datatype type, int elements) {
  Layout layout = {type, elements, 0, 0, 0};
  MPI_Aint lower = 0;
  MPI_Type_commit(&layout.type);
  MPI_Type_get_extent(type, &lower, &layout.extent);
  MPI_Type_get_true_extent(type, &layout.lowest, &layout.bytes);
  return layout;
}

// One constructor upon `old`, whose extent is room enough: neighbours of it do not overlap.
static Layout constructed(int class_number, MPI_Datatype old, int old_elements, MPI_Aint extent,
                          uint64_t* state) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int n = 1 + below(state, 3), block = 1 + below(state, 2), gap = below(state, 3);
  int elements = old_elements * n * block;
  int lengths[3], places[3];
  MPI_Aint bytes[3];
  MPI_Datatype types[3] = {old, old, old};
  int at = below(state, 3), irregular = 0;
  int between = gap;  // backwards
#ifdef OPEN_MPI
  // Open MPI 5.0.11 takes bytes that lie one before the other for bytes one behind the other.
  if (extent == 1 && block == 1 && gap == 0) between = 1;
#endif
  for (int i = 0; i < n; ++i) {
    lengths[i] = 1 + below(state, 2);
    places[i] = at;
    bytes[i] = at * extent;
    at += 2 + below(state, 2);
    irregular += lengths[i];
  }
  switch (class_number) {
    case 0:
      MPI_Type_dup(old, &type);
      elements = old_elements;
      break;
    case 1:
      MPI_Type_contiguous(n, old, &type);
      elements = old_elements * n;
      break;
    case 2: MPI_Type_vector(n, block, block + gap, old, &type); break;
    case 3: MPI_Type_create_hvector(n, block, (block + gap) * extent, old, &type); break;
    case 4: MPI_Type_create_hvector(n, block, -(block + between) * extent, old, &type); break;
    case 5: MPI_Type_vector(n, block, -(block + between), old, &type); break;
    case 6:
      MPI_Type_indexed(n, lengths, places, old, &type);
      elements = old_elements * irregular;
      break;
    case 7:
      MPI_Type_create_hindexed(n, lengths, bytes, old, &type);
      elements = old_elements * irregular;
      break;
    case 8: MPI_Type_create_indexed_block(n, block, places, old, &type); break;
    case 9: MPI_Type_create_hindexed_block(n, block, bytes, old, &type); break;
    case 10:
      MPI_Type_create_struct(n, lengths, bytes, types, &type);
      elements = old_elements * irregular;
      break;
    case 11:
      MPI_Type_create_resized(old, 0, (1 + gap) * extent, &type);
      elements = old_elements;
      break;
    case 12:
    case 13: {
      const int sizes[2] = {n + gap, 3}, part[2] = {n, block}, start[2] = {gap, 3 - block};
      const int order = class_number == 12 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
      MPI_Type_create_subarray(2, sizes, part, start, order, old, &type);
      break;
    }
    case 14: {  // this process's part of an array shared out among 2
      const int sizes[2] = {4, 3}, how[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
      const int arguments[2] = {1, MPI_DISTRIBUTE_DFLT_DARG}, processes[2] = {2, 1};
      MPI_Type_create_darray(2, gap % 2, 2, sizes, how, arguments, processes, MPI_ORDER_C, old,
                             &type);
      elements = old_elements * 6;
      break;
    }
    default: {  // in an order of its own, with a block of nothing
      const int some[3] = {1, 0, 2}, order[3] = {5, 9, 1};
      MPI_Type_indexed(3, some, order, old, &type);
      elements = old_elements * 3;
    }
  }
  return finished(type, elements);
}

Layout layout_of_class(int class_number, const Element* base, uint64_t* state) {
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(base->type, &lower, &extent);
  return constructed(class_number, base->type, 1, extent, state);
}

Layout random_layout(const Element* base, uint64_t* state) {
  Layout layout = layout_of_class(below(state, layout_classes), base, state);
  for (int depth = below(state, 3); depth > 0 && layout.elements < 40; --depth) {
    Layout old = layout;
    layout = constructed(below(state, layout_classes), old.type, old.elements, old.extent, state);
    free_layout(&old);
  }
  return layout;
}

void free_layout(Layout* layout) { MPI_Type_free(&layout->type); }

MPI_Aint span_of(const Layout* layout, int count) {
  return count > 0 ? (count - 1) * layout->extent + layout->bytes : 0;
}

static int packed_size(const Layout* layout, int count) {
  int bytes = 0;
  MPI_Pack_size(count, layout->type, MPI_COMM_SELF, &bytes);
  return bytes;
}

void pack(const void* buffer, const Layout* layout, int count, void* packed) {
  int at = 0;
  MPI_Pack(buffer, count, layout->type, packed, packed_size(layout, count), &at, MPI_COMM_SELF);
}

void unpack(const void* packed, const Layout* layout, int count, void* buffer) {
  int at = 0;
  MPI_Unpack(packed, packed_size(layout, count), &at, buffer, count, layout->type, MPI_COMM_SELF);
}

int match(const Layout* a, const Layout* b, int wanted, int* count_a, int* count_b) {
  int divisor = a->elements, rest = b->elements;
  while (rest != 0) {
    const int next = divisor % rest;
    divisor = rest;
    rest = next;
  }
  const int least = a->elements / divisor * b->elements;
  const int times = wanted > least ? wanted / least : 1;
  *count_a = least * times / a->elements;
  *count_b = least * times / b->elements;
  return least * times;
}

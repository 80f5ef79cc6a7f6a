// Derived datatypes whose elements do not overlap, made at random or one of each class, and the
// truth about them: MPI_Pack and MPI_Unpack, which know nothing of windows.
#pragma once

#include "checks.h"
#include "elements.h"

typedef struct {
  MPI_Datatype type;  // committed
  int elements;       // of the base type, in one of it
  MPI_Aint lowest;    // first byte, from the address of the first one; may be negative
  MPI_Aint extent;
  MPI_Aint bytes;  // from the first byte of one to behind its last
} Layout;

enum { layout_classes = 16 };

// A layout of this class over a base type. The same state gives the same one on every rank.
Layout layout_of_class(int class_number, const Element* base, uint64_t* state);
// Classes upon classes.
Layout random_layout(const Element* base, uint64_t* state);
void free_layout(Layout* layout);

// Bytes from the first to behind the last of `count` layouts.
MPI_Aint span_of(const Layout* layout, int count);
// Packed elements out of a buffer with layouts, and back.
void pack(const void* buffer, const Layout* layout, int count, void* packed);
void unpack(const void* packed, const Layout* layout, int count, void* buffer);
// Counts of two layouts that hold the same number of elements, about `wanted`.
int match(const Layout* a, const Layout* b, int wanted, int* count_a, int* count_b);

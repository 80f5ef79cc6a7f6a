// Predefined datatypes and what the operations of MPI's accumulates make of their values: the
// serial model of the tests.
#pragma once

#include <mpi.h>
#include <stddef.h>

typedef enum {
  op_sum,
  op_prod,
  op_max,
  op_min,
  op_land,
  op_lor,
  op_lxor,
  op_band,
  op_bor,
  op_bxor,
  op_maxloc,
  op_minloc,
  op_replace,
  op_no_op,
  op_count
} Op;  // clang-format: off is not needed: one line more or less

typedef struct {
  const char* name;
  MPI_Datatype type;
  size_t bytes;
  unsigned ops;                           // bit (1 << op): the operation is defined for this type
  void (*set)(void* at, unsigned value);  // values below 8 go into every type
  void (*combine)(Op op, const void* operand, void* target);
  int (*equal)(const void* left, const void* right);  // values, not padding
} Element;

extern const Element element_table[];
extern const int element_count;
extern const char* const op_names[op_count];

MPI_Op mpi_op(Op op);
const Element* element_of(MPI_Datatype type);

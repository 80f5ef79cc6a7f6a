#include "elements.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

const char* const op_names[op_count] = {"sum",    "prod",   "max",     "min",  "land",
                                        "lor",    "lxor",   "band",    "bor",  "bxor",
                                        "maxloc", "minloc", "replace", "no_op"};

MPI_Op mpi_op(Op op) {
  const MPI_Op all[op_count] = {MPI_SUM,    MPI_PROD,   MPI_MAX,     MPI_MIN,  MPI_LAND,
                                MPI_LOR,    MPI_LXOR,   MPI_BAND,    MPI_BOR,  MPI_BXOR,
                                MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
  return all[op];
}

enum {
  moves = 1 << op_replace | 1 << op_no_op,
  sums = 1 << op_sum | 1 << op_prod,
  orders = 1 << op_max | 1 << op_min,
  logic = 1 << op_land | 1 << op_lor | 1 << op_lxor,
  bits = 1 << op_band | 1 << op_bor | 1 << op_bxor,
  places = 1 << op_maxloc | 1 << op_minloc,
};

// For each kind of type: the cases of its operations, where `a` is the operand and `b` the target.
#define SUMS(T)                       \
  case op_sum: b = (T)(b + a); break; \
  case op_prod: b = (T)(b * a); break;
#define ORDERS                           \
  case op_max: b = a > b ? a : b; break; \
  case op_min: b = a < b ? a : b; break;
#define LOGIC(T)                        \
  case op_land: b = (T)(b && a); break; \
  case op_lor: b = (T)(b || a); break;  \
  case op_lxor: b = (T)(!b != !a); break;
#define BITS(T)                        \
  case op_band: b = (T)(b & a); break; \
  case op_bor: b = (T)(b | a); break;  \
  case op_bxor: b = (T)(b ^ a); break;

#define SCALAR(id, T, CASES)                                             \
  static void set_##id(void* at, unsigned value) { *(T*)at = (T)value; } \
  static void combine_##id(Op op, const void* operand, void* target) {   \
    const T a = *(const T*)operand;                                      \
    T b = *(T*)target;                                                   \
    switch (op) {                                                        \
      CASES                                                              \
      case op_replace: b = a; break;                                     \
      default: break;                                                    \
    }                                                                    \
    *(T*)target = b;                                                     \
  }                                                                      \
  static int equal_##id(const void* left, const void* right) {           \
    return *(const T*)left == *(const T*)right;                          \
  }
#define INTEGER(id, T) SCALAR(id, T, SUMS(T) ORDERS LOGIC(T) BITS(T))
#define FLOATING(id, T) SCALAR(id, T, SUMS(T) ORDERS)
#define COMPLEX(id, T) SCALAR(id, T, SUMS(T))
#define PAIR(id, T)                                                                        \
  typedef struct {                                                                         \
    T value;                                                                               \
    int place;                                                                             \
  } Pair_##id;                                                                             \
  static void set_##id(void* at, unsigned value) {                                         \
    memset(at, 0, sizeof(Pair_##id));                                                      \
    ((Pair_##id*)at)->value = (T)(value / 2);                                              \
    ((Pair_##id*)at)->place = (int)value;                                                  \
  }                                                                                        \
  static void combine_##id(Op op, const void* operand, void* target) {                     \
    const Pair_##id* a = operand;                                                          \
    Pair_##id* b = target;                                                                 \
    const int better = op == op_maxloc ? a->value > b->value : a->value < b->value;        \
    if (op == op_replace || ((op == op_maxloc || op == op_minloc) &&                       \
                             (better || (a->value == b->value && a->place < b->place)))) { \
      b->value = a->value;                                                                 \
      b->place = a->place;                                                                 \
    }                                                                                      \
  }                                                                                        \
  static int equal_##id(const void* left, const void* right) {                             \
    const Pair_##id *a = left, *b = right;                                                 \
    return a->value == b->value && a->place == b->place;                                   \
  }

INTEGER(signed_char, signed char)
INTEGER(unsigned_char, unsigned char)
INTEGER(short, short)
INTEGER(unsigned_short, unsigned short)
INTEGER(int, int)
INTEGER(unsigned, unsigned)
INTEGER(long, long)
INTEGER(unsigned_long, unsigned long)
INTEGER(long_long, long long)
INTEGER(unsigned_long_long, unsigned long long)
INTEGER(int8, int8_t)
INTEGER(int16, int16_t)
INTEGER(int32, int32_t)
INTEGER(int64, int64_t)
INTEGER(uint8, uint8_t)
INTEGER(uint16, uint16_t)
INTEGER(uint32, uint32_t)
INTEGER(uint64, uint64_t)
INTEGER(aint, MPI_Aint)
INTEGER(offset, MPI_Offset)
INTEGER(mpi_count, MPI_Count)
FLOATING(float, float)
FLOATING(double, double)
FLOATING(long_double, long double)
COMPLEX(float_complex, float complex)
COMPLEX(double_complex, double complex)
SCALAR(bool, bool, LOGIC(bool))
INTEGER(byte, unsigned char)
INTEGER(char, char)
INTEGER(wchar, wchar_t)
PAIR(float_int, float)
PAIR(double_int, double)
PAIR(long_int, long)
PAIR(two_int, int)
PAIR(short_int, short)
PAIR(long_double_int, long double)

#define ROW(id, MPI, T, OPS) \
  {#MPI, MPI, sizeof(T), (OPS) | moves, set_##id, combine_##id, equal_##id}
enum { integers = sums | orders | logic | bits, counts = sums | orders | bits };
#ifdef MPICH  // to whom bytes and characters are numbers, too
enum { by_mpich = integers };
#else
enum { by_mpich = moves };
#endif

const Element element_table[] = {
    ROW(signed_char, MPI_SIGNED_CHAR, signed char, integers),
    ROW(unsigned_char, MPI_UNSIGNED_CHAR, unsigned char, integers),
    ROW(short, MPI_SHORT, short, integers),
    ROW(unsigned_short, MPI_UNSIGNED_SHORT, unsigned short, integers),
    ROW(int, MPI_INT, int, integers),
    ROW(unsigned, MPI_UNSIGNED, unsigned, integers),
    ROW(long, MPI_LONG, long, integers),
    ROW(unsigned_long, MPI_UNSIGNED_LONG, unsigned long, integers),
    ROW(long_long, MPI_LONG_LONG, long long, integers),
    ROW(unsigned_long_long, MPI_UNSIGNED_LONG_LONG, unsigned long long, integers),
    ROW(int8, MPI_INT8_T, int8_t, integers),
    ROW(int16, MPI_INT16_T, int16_t, integers),
    ROW(int32, MPI_INT32_T, int32_t, integers),
    ROW(int64, MPI_INT64_T, int64_t, integers),
    ROW(uint8, MPI_UINT8_T, uint8_t, integers),
    ROW(uint16, MPI_UINT16_T, uint16_t, integers),
    ROW(uint32, MPI_UINT32_T, uint32_t, integers),
    ROW(uint64, MPI_UINT64_T, uint64_t, integers),
    ROW(aint, MPI_AINT, MPI_Aint, counts),
    ROW(offset, MPI_OFFSET, MPI_Offset, counts),
    ROW(mpi_count, MPI_COUNT, MPI_Count, counts),
    ROW(float, MPI_FLOAT, float, sums | orders),
    ROW(double, MPI_DOUBLE, double, sums | orders),
    ROW(long_double, MPI_LONG_DOUBLE, long double, sums | orders),
    ROW(float_complex, MPI_C_FLOAT_COMPLEX, float complex, sums),
    ROW(double_complex, MPI_C_DOUBLE_COMPLEX, double complex, sums),
    ROW(bool, MPI_C_BOOL, bool, logic),
    ROW(byte, MPI_BYTE, unsigned char, by_mpich),
    ROW(char, MPI_CHAR, char, by_mpich),
    ROW(wchar, MPI_WCHAR, wchar_t, by_mpich),
    ROW(float_int, MPI_FLOAT_INT, Pair_float_int, places),
    ROW(double_int, MPI_DOUBLE_INT, Pair_double_int, places),
    ROW(long_int, MPI_LONG_INT, Pair_long_int, places),
    ROW(two_int, MPI_2INT, Pair_two_int, places),
    ROW(short_int, MPI_SHORT_INT, Pair_short_int, places),
    ROW(long_double_int, MPI_LONG_DOUBLE_INT, Pair_long_double_int, places),
};
const int element_count = sizeof element_table / sizeof *element_table;

const Element* element_of(MPI_Datatype type) {
  for (int i = 0; i < element_count; ++i)
    if (element_table[i].type == type) return &element_table[i];
  return NULL;
}

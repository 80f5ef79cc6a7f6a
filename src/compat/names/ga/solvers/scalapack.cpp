// Fortran names of grids of processes, and of the pieces that matrices have on them.
#include <complex>
#include <cstdint>
#include <string>

#include "atoll/error.hpp"
#include "compat/failure.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/ga/solvers/block_cyclic.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;

namespace {

/// ScaLAPACK's integers. Programs that pass wider ones are read rightly as well: the low half comes
/// first.
using ShortInteger = int;

using Move = void (*)(std::int64_t, ElementType, const ga::LocalPiece&, const ga::ProcessGrid&);

struct Shape {
  const ShortInteger *rows, *columns, *block_rows, *block_columns;
};

void move(const char* routine, Move mover, ga::GridUse use, ElementType type, const Integer* g_a,
          const Shape& shape, void* data, const ShortInteger* leading,
          const ShortInteger* local_rows, const ShortInteger* local_columns) {
  guarded(routine, [&] {
    const ga::LocalPiece piece{*shape.rows, *shape.columns, *shape.block_rows, *shape.block_columns,
                               data,        *leading,       *local_rows,       *local_columns};
    mover(*g_a, type, piece, ga::grid(use));
  });
}

struct Corner {
  std::int64_t leading, row, column;
};

/// f(offset in the matrix, offset in the part) for each element of the part, column by column.
template <class F>
void for_each_element(const Corner& corner, std::int64_t leading, std::int64_t rows,
                      std::int64_t columns, F&& f) {
  const std::int64_t first = corner.row - 1 + (corner.column - 1) * corner.leading;
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) f(first + j * corner.leading + i, j * leading + i);
}

void check_scalapack_array(const char* routine, const Integer* g_a) {
  guarded(routine, [&] {
    const ga::GlobalArray& array = ga::array_of(*g_a);
    if (array.plan.cut != ga::Cut::scalapack)
      throw Error(ErrorKind::value, "array '" + array.plan.name +
                                        "' is not cut as GA_Set_block_cyclic_proc_grid does");
  });
}

}  // namespace

extern "C" {

void findgrid_(const Integer* nnodes, Integer* nprow, Integer* npcol) {
  guarded("findgrid", [&] {
    if (*nnodes < 1)
      throw Error(ErrorKind::value,
                  "nnodes is " + std::to_string(*nnodes) + ", expected 1 or more");
    const auto [rows, columns] = ga::nearest_square(static_cast<int>(*nnodes));
    *nprow = rows;
    *npcol = columns;
  });
}

ShortInteger slgetmxproc_(const Integer* n, const Integer* nnodes) {
  return ga::worthwhile_processes(*n, *nnodes);
}

void slinit_(void) {
  guarded("slinit", [] {
    ga::begin_grid(ga::GridUse::all, ga::Runtime::get().groups.default_group().size());
  });
}

void slinit2_(const Integer* n) {
  guarded("slinit2", [&] {
    const int all = ga::Runtime::get().groups.default_group().size();
    ga::begin_grid(ga::GridUse::sized, ga::worthwhile_processes(*n, all));
  });
}

// The grid of an array that has one: nothing is to be set up, but the array has to be such a one.
void slinit3_(const Integer* g_a) { check_scalapack_array("slinit3", g_a); }
void slinit4_(const Integer* g_a) { check_scalapack_array("slinit4", g_a); }

void slexit_(void) { ga::end_grid(ga::GridUse::all); }
void slexit2_(void) { ga::end_grid(ga::GridUse::sized); }
void slexit3_(void) {}
void slexit4_(void) {}

#define ATOLL_PIECE(name, mover, use, type)                                                        \
  void name##_(const Integer* g_a, const ShortInteger* dim1, const ShortInteger* dim2,             \
               const ShortInteger* nbr, const ShortInteger* nbc, void* s_a,                        \
               const ShortInteger* lda, const ShortInteger* np, const ShortInteger* nq) {          \
    move(#name, mover, ga::GridUse::use, ElementType::type, g_a, {dim1, dim2, nbr, nbc}, s_a, lda, \
         np, nq);                                                                                  \
  }
ATOLL_PIECE(ga_to_sl, ga::to_piece, all, float64)
ATOLL_PIECE(ga_to_sl2, ga::to_piece, sized, float64)
ATOLL_PIECE(ga_to_sl2cpl, ga::to_piece, sized, complex128)
ATOLL_PIECE(ga_from_sl, ga::from_piece, all, float64)
ATOLL_PIECE(ga_from_sl2, ga::from_piece, sized, float64)
ATOLL_PIECE(ga_from_sl2cpl, ga::from_piece, sized, complex128)
#undef ATOLL_PIECE

// Between a part of a complex matrix, from this row and column on, and its real and imaginary
// parts. Local.
void ga_cpycpl2dbl_(const std::complex<double>* s_a, const ShortInteger* lda_s,
                    const ShortInteger* rbase, const ShortInteger* cbase, double* a1, double* a2,
                    const ShortInteger* lda_a, const ShortInteger* lrow, const ShortInteger* lcol) {
  for_each_element({*lda_s, *rbase, *cbase}, *lda_a, *lrow, *lcol,
                   [&](std::int64_t in_matrix, std::int64_t in_part) {
                     a1[in_part] = s_a[in_matrix].real();
                     a2[in_part] = s_a[in_matrix].imag();
                   });
}
void ga_cpydbl2cpl_(std::complex<double>* s_a, const ShortInteger* lda_s, const ShortInteger* rbase,
                    const ShortInteger* cbase, const double* a1, const double* a2,
                    const ShortInteger* lda_a, const ShortInteger* lrow, const ShortInteger* lcol) {
  for_each_element({*lda_s, *rbase, *cbase}, *lda_a, *lrow, *lcol,
                   [&](std::int64_t in_matrix, std::int64_t in_part) {
                     s_a[in_matrix] = {a1[in_part], a2[in_part]};
                   });
}

}  // extern "C"

// Fortran names: sparse matrices. Rows, columns and numbers of elements count from 1, processes and
// the strips of columns, which are numbered as they are, from 0.
#include "compat/fortran.hpp"

#include <cstdint>
#include <string>

#include "compat/ga/direct.hpp"
#include "compat/ga/sparse/access.hpp"
#include "compat/ga/sparse/conversion.hpp"
#include "compat/ga/sparse/diagonal.hpp"
#include "compat/ga/sparse/products.hpp"
#include "compat/ga/sparse/sketch.hpp"
#include "ga/macommon.h"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
namespace sparse = ga::sparse;
constexpr ga::Language fortran = ga::Language::fortran;

extern "C" {

Integer nga_sprs_array_create_(const Integer* idim, const Integer* jdim, const Integer* type,
                               Integer* s_a) {
  guarded("nga_sprs_array_create",
          [&] { *s_a = sparse::matrices().create(*idim, *jdim, static_cast<int>(*type)); });
  return 1;
}
Integer nga_sprs_array_destroy_(const Integer* s_a) {
  guarded("nga_sprs_array_destroy", [&] { sparse::destroy(*s_a); });
  return 1;
}
void nga_sprs_array_add_element_(const Integer* s_a, const Integer* idx, const Integer* jdx,
                                 const void* val) {
  guarded("nga_sprs_array_add_element",
          [&] { sparse::add_element(*s_a, *idx - 1, *jdx - 1, val); });
}
Integer nga_sprs_array_assemble_(const Integer* s_a) {
  guarded("nga_sprs_array_assemble", [&] { sparse::assemble(*s_a); });
  return 1;
}

void nga_sprs_array_row_distribution_(const Integer* s_a, const Integer* iproc, Integer* lo,
                                      Integer* hi) {
  guarded("nga_sprs_array_row_distribution", [&] {
    const sparse::Strips& rows = sparse::matrices().at(*s_a).frame().rows;
    sparse::give_range(sparse::strip_of(rows, *iproc), 1, lo, hi);
  });
}
void nga_sprs_array_column_distribution_(const Integer* s_a, const Integer* iproc, Integer* lo,
                                         Integer* hi) {
  guarded("nga_sprs_array_column_distribution", [&] {
    const sparse::Strips& columns = sparse::matrices().at(*s_a).frame().columns;
    sparse::give_range(sparse::strip_of(columns, *iproc), 1, lo, hi);
  });
}

/// Indices into MA's bases, as nga_access gives; 0 where the block has no elements.
void nga_sprs_array_access_col_block_(const Integer* s_a, const Integer* icol, intp* idx, intp* jdx,
                                      intp* val) {
  guarded("nga_sprs_array_access_col_block", [&] {
    const int type = sparse::matrices().at(*s_a).frame().type;
    const auto block = sparse::access_from_1<Integer>(*s_a, static_cast<int>(*icol));
    const bool nothing = block.values == nullptr;
    *idx = nothing ? 0 : ga::index_in_base(MT_F_INT, block.starts);
    *jdx = nothing ? 0 : ga::index_in_base(MT_F_INT, block.columns);
    *val = nothing ? 0 : ga::index_in_base(type, block.values);
  });
}
/// `idx` has room for the number of processes.
void nga_sprs_array_col_block_list_(const Integer* s_a, Integer* idx, Integer* n) {
  guarded("nga_sprs_array_col_block_list", [&] {
    const std::vector<int> filled =
        sparse::with_matrix(*s_a, [](const auto& s) { return s.filled_strips(); });
    std::ranges::copy(filled, idx);
    *n = static_cast<Integer>(filled.size());
  });
}

void nga_sprs_array_get_diag_(const Integer* s_a, Integer* g_d) {
  guarded("nga_sprs_array_get_diag", [&] { *g_d = sparse::diagonal(*s_a); });
}
// As in C, the rows that k names count from 0.
Integer nga_sprs_array_count_sketch_(const Integer* s_a, const Integer* size_k, Integer* g_k,
                                     Integer* g_w) {
  return guarded("nga_sprs_array_count_sketch", [&] {
    const sparse::Sketch made = sparse::count_sketch(fortran, *s_a, *size_k);
    *g_k = made.k;
    *g_w = made.w;
    return Integer{made.product};
  });
}
void nga_sprs_array_shift_diag_(const Integer* s_a, const void* shift) {
  guarded("nga_sprs_array_shift_diag", [&] { sparse::shift_diagonal(*s_a, shift); });
}
void nga_sprs_array_scale_(const Integer* s_a, const void* scale) {
  guarded("nga_sprs_array_scale", [&] { sparse::scale(*s_a, scale); });
}
void nga_sprs_array_diag_left_multiply_(const Integer* s_a, const Integer* g_d) {
  guarded("nga_sprs_array_diag_left_multiply", [&] { sparse::scale_rows(*s_a, *g_d); });
}
void nga_sprs_array_diag_right_multiply_(const Integer* s_a, const Integer* g_d) {
  guarded("nga_sprs_array_diag_right_multiply", [&] { sparse::scale_columns(*s_a, *g_d); });
}

void nga_sprs_array_matvec_multiply_(const Integer* s_a, const Integer* g_a, const Integer* g_v) {
  guarded("nga_sprs_array_matvec_multiply", [&] { sparse::matrix_times_vector(*s_a, *g_a, *g_v); });
}
Integer nga_sprs_array_matmat_multiply_(const Integer* s_a, const Integer* s_b) {
  return guarded("nga_sprs_array_matmat_multiply",
                 [&] { return sparse::sparse_times_sparse(*s_a, *s_b); });
}
Integer nga_sprs_array_sprsdns_multiply_(const Integer* s_a, const Integer* g_b) {
  return guarded("nga_sprs_array_sprsdns_multiply",
                 [&] { return sparse::sparse_times_dense(fortran, *s_a, *g_b); });
}
Integer nga_sprs_array_dnssprs_multiply_(const Integer* g_a, const Integer* s_b) {
  return guarded("nga_sprs_array_dnssprs_multiply",
                 [&] { return sparse::dense_times_sparse(fortran, *g_a, *s_b); });
}

Integer nga_sprs_array_duplicate_(const Integer* s_a) {
  return guarded("nga_sprs_array_duplicate", [&] { return sparse::duplicate(*s_a); });
}
Integer nga_sprs_array_create_from_dense_(const Integer* g_a) {
  return guarded("nga_sprs_array_create_from_dense",
                 [&] { return sparse::sparse_of_dense(fortran, *g_a); });
}
Integer nga_sprs_array_create_from_sparse_(const Integer* s_a) {
  return guarded("nga_sprs_array_create_from_sparse",
                 [&] { return sparse::dense_of_sparse(fortran, *s_a); });
}
void nga_sprs_array_export_(const Integer* s_a, const char* file, compat::TextLength length) {
  guarded("nga_sprs_array_export",
          [&] { sparse::write_text(*s_a, std::string(compat::text_of(file, length))); });
}

}  // extern "C"

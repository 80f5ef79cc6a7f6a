// C names: sparse matrices.

#include <cstdint>

#include "compat/ga/sparse/access.hpp"
#include "compat/ga/sparse/conversion.hpp"
#include "compat/ga/sparse/diagonal.hpp"
#include "compat/ga/sparse/products.hpp"
#include "compat/ga/sparse/sketch.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
namespace sparse = ga::sparse;
constexpr ga::Language c_language = ga::Language::c;

namespace {

template <class I>
void row_distribution(const char* routine, int s_a, int iproc, I* lo, I* hi) {
  guarded(routine, [&] {
    const sparse::Strips& rows = sparse::matrices().at(s_a).frame().rows;
    sparse::give_range(sparse::strip_of(rows, iproc), 0, lo, hi);
  });
}

template <class I>
void column_distribution(const char* routine, int s_a, int iproc, I* lo, I* hi) {
  guarded(routine, [&] {
    const sparse::Strips& columns = sparse::matrices().at(s_a).frame().columns;
    sparse::give_range(sparse::strip_of(columns, iproc), 0, lo, hi);
  });
}

template <class I>
void give(const sparse::Pointers<I>& block, I** idx, I** jdx, void** val) {
  *idx = block.starts;
  *jdx = block.columns;
  *val = block.values;
}

template <class I>
int get_block(const char* routine, int s_a, I irow, I icol, I** idx, I** jdx, void** data, I* ilo,
              I* ihi, I* jlo, I* jhi) {
  return guarded(routine, [&] {
    const sparse::Frame& frame = sparse::matrices().at(s_a).frame();
    sparse::give_range(sparse::strip_of(frame.rows, irow), 0, ilo, ihi);
    sparse::give_range(sparse::strip_of(frame.columns, icol), 0, jlo, jhi);
    give(sparse::copy_of_block<I>(s_a, static_cast<int>(irow), static_cast<int>(icol)), idx, jdx,
         data);
    return *data == nullptr ? 0 : 1;
  });
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(int, NGA_Sprs_array_create, (Int idim, Int jdim, int type),
              guarded(__func__, [&] { return sparse::matrices().create(idim, jdim, type); }));
int NGA_Sprs_array_destroy(int s_a) {
  return guarded("NGA_Sprs_array_destroy", [&] {
    sparse::destroy(s_a);
    return 1;
  });
}
ATOLL_GA_BOTH(void, NGA_Sprs_array_add_element, (int s_a, Int idx, Int jdx, void* val),
              guarded(__func__, [&] { sparse::add_element(s_a, idx, jdx, val); }));
int NGA_Sprs_array_assemble(int s_a) {
  return guarded("NGA_Sprs_array_assemble", [&] {
    sparse::assemble(s_a);
    return 1;
  });
}

ATOLL_GA_BOTH(void, NGA_Sprs_array_row_distribution, (int s_a, int iproc, Int* lo, Int* hi),
              row_distribution(__func__, s_a, iproc, lo, hi));
ATOLL_GA_BOTH(void, NGA_Sprs_array_column_distribution, (int s_a, int iproc, Int* lo, Int* hi),
              column_distribution(__func__, s_a, iproc, lo, hi));

ATOLL_GA_BOTH(void, NGA_Sprs_array_access_col_block,
              (int s_a, int icol, Int** idx, Int** jdx, void** val),
              guarded(__func__, [&] { give(sparse::access<Int>(s_a, icol), idx, jdx, val); }));
void NGA_Sprs_array_col_block_list(int s_a, int** idx, int* n) {
  guarded("NGA_Sprs_array_col_block_list", [&] {
    const std::vector<int> filled =
        sparse::with_matrix(s_a, [](const auto& s) { return s.filled_strips(); });
    *idx = sparse::allocate<int>(filled.size());
    std::ranges::copy(filled, *idx);
    *n = static_cast<int>(filled.size());
  });
}
ATOLL_GA_BOTH(int, NGA_Sprs_array_get_block,
              (int s_a, Int irow, Int icol, Int** idx, Int** jdx, void** data, Int* ilo, Int* ihi,
               Int* jlo, Int* jhi),
              get_block(__func__, s_a, irow, icol, idx, jdx, data, ilo, ihi, jlo, jhi));

ATOLL_GA_BOTH(int, NGA_Sprs_array_get_column, (int s_a, Int irow),
              guarded(__func__, [&] { return sparse::column(s_a, irow); }));
int NGA_Sprs_array_count_sketch(int s_a, int size_k, int* g_k, int* g_w) {
  return guarded("NGA_Sprs_array_count_sketch", [&] {
    const sparse::Sketch made = sparse::count_sketch(c_language, s_a, size_k);
    *g_k = made.k;
    *g_w = made.w;
    return made.product;
  });
}

void NGA_Sprs_array_get_diag(int s_a, int* g_d) {
  guarded("NGA_Sprs_array_get_diag", [&] { *g_d = sparse::diagonal(s_a); });
}
void NGA_Sprs_array_shift_diag(int s_a, void* shift) {
  guarded("NGA_Sprs_array_shift_diag", [&] { sparse::shift_diagonal(s_a, shift); });
}
void NGA_Sprs_array_scale(int s_a, void* scale) {
  guarded("NGA_Sprs_array_scale", [&] { sparse::scale(s_a, scale); });
}
void NGA_Sprs_array_diag_left_multiply(int s_a, int g_d) {
  guarded("NGA_Sprs_array_diag_left_multiply", [&] { sparse::scale_rows(s_a, g_d); });
}
void NGA_Sprs_array_diag_right_multiply(int s_a, int g_d) {
  guarded("NGA_Sprs_array_diag_right_multiply", [&] { sparse::scale_columns(s_a, g_d); });
}

void NGA_Sprs_array_matvec_multiply(int s_a, int g_a, int g_v) {
  guarded("NGA_Sprs_array_matvec_multiply", [&] { sparse::matrix_times_vector(s_a, g_a, g_v); });
}
int NGA_Sprs_array_matmat_multiply(int s_a, int s_b) {
  return guarded("NGA_Sprs_array_matmat_multiply",
                 [&] { return sparse::sparse_times_sparse(s_a, s_b); });
}
int NGA_Sprs_array_sprsdns_multiply(int s_a, int g_b) {
  return guarded("NGA_Sprs_array_sprsdns_multiply",
                 [&] { return sparse::sparse_times_dense(c_language, s_a, g_b); });
}
int NGA_Sprs_array_dnssprs_multiply(int g_a, int s_b) {
  return guarded("NGA_Sprs_array_dnssprs_multiply",
                 [&] { return sparse::dense_times_sparse(c_language, g_a, s_b); });
}

int NGA_Sprs_array_duplicate(int s_a) {
  return guarded("NGA_Sprs_array_duplicate", [&] { return sparse::duplicate(s_a); });
}
ATOLL_GA_BOTH(int, NGA_Sprs_array_create_from_dense, (int g_a),
              guarded(__func__, [&] { return sparse::sparse_of_dense(c_language, g_a); }));
int NGA_Sprs_array_create_from_sparse(int s_a) {
  return guarded("NGA_Sprs_array_create_from_sparse",
                 [&] { return sparse::dense_of_sparse(c_language, s_a); });
}
void NGA_Sprs_array_export(int s_a, const char* file) {
  guarded("NGA_Sprs_array_export", [&] { sparse::write_text(s_a, file); });
}

}  // extern "C"

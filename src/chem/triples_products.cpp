// Compiled with fused multiply-add (cmake/AtollPython.cmake), unlike the rest of Atoll: half of the
// speed is in it, and nothing here is compared with NumPy to the last bit.
#include "triples_products.hpp"

#include "lanes.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

// Six rows of two vectors: with one row of operands they fill the sixteen registers of AVX2.
constexpr int most_rows = 6;

template <int rows, int vectors>
using Sums = Lanes[rows][vectors];

/// sums += rows times a column with lanes; rows lie `stride` apart.
template <int rows, int vectors>
[[gnu::always_inline]] inline void add_products(Sums<rows, vectors>& sums, const double* row,
                                                std::ptrdiff_t stride, const double* column,
                                                std::ptrdiff_t depth) {
  const Lanes* lanes = as_lanes(column);
  for (std::ptrdiff_t p = 0; p < depth; ++p, lanes += vectors) {
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
      const double factor = row[r * stride + p];
      const Lanes factors = {factor, factor, factor, factor};
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sums[r][v] += factors * lanes[v];
    }
  }
}

/// W_ijk of one i and j, and of some k: the four orders whose operands have rows along k.
template <int rows, int vectors>
[[gnu::always_inline]] inline void along_k(const TriplesFactors& f, int i, int j, int k,
                                           double* w) {
  constexpr std::ptrdiff_t lanes = vectors * width_of_lanes;
  const std::ptrdiff_t o = f.occupied, depth = f.depth;
  Sums<rows, vectors> sums = {};
  add_products<rows, vectors>(sums, f.left_c + (k * o + j) * depth, o * depth,
                              f.right_ab + i * f.row * lanes, depth);
  add_products<rows, vectors>(sums, f.left_b + (j * o + k) * depth, depth,
                              f.right_ac + i * f.row * lanes, depth);
  add_products<rows, vectors>(sums, f.left_c + (k * o + i) * depth, o * depth,
                              f.right_ba + j * f.row * lanes, depth);
  add_products<rows, vectors>(sums, f.right_cb + k * f.row, f.row,
                              f.left_a + (i * o + j) * depth * lanes, depth);
  Lanes* result = as_lanes(w + ((i * o + j) * o + k) * lanes);
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) result[r * vectors + v] = sums[r][v];
}

/// The other two, whose rows are along j.
template <int rows, int vectors>
[[gnu::always_inline]] inline void along_j(const TriplesFactors& f, int i, int j, int k,
                                           double* w) {
  constexpr std::ptrdiff_t lanes = vectors * width_of_lanes;
  const std::ptrdiff_t o = f.occupied, depth = f.depth;
  Sums<rows, vectors> sums = {};
  add_products<rows, vectors>(sums, f.right_bc + j * f.row, f.row,
                              f.left_a + (i * o + k) * depth * lanes, depth);
  add_products<rows, vectors>(sums, f.left_b + (j * o + i) * depth, o * depth,
                              f.right_ca + k * f.row * lanes, depth);
  Lanes* result = as_lanes(w + ((i * o + j) * o + k) * lanes);
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) result[r * o * vectors + v] += sums[r][v];
}

/// Cuts 0 to `count` into nearly even runs of up to most_rows, and calls `run(first, rows)` with
/// the number of rows as a constant.
template <class Run>
[[gnu::always_inline]] inline void in_runs(int count, const Run& run) {
  const int runs = (count + most_rows - 1) / most_rows;
  for (int number = 0; number < runs; ++number) {
    const int first = count * number / runs;
    switch (count * (number + 1) / runs - first) {
      case 1: run.template operator()<1>(first); break;
      case 2: run.template operator()<2>(first); break;
      case 3: run.template operator()<3>(first); break;
      case 4: run.template operator()<4>(first); break;
      case 5: run.template operator()<5>(first); break;
      default: run.template operator()<most_rows>(first);
    }
  }
}

template <int vectors>
[[gnu::always_inline]] inline void all_products(const TriplesFactors& f, double* w) {
  for (int i = 0; i < f.occupied; ++i) {
    for (int j = 0; j < f.occupied; ++j)
      in_runs(f.occupied, [&]<int rows>(int k) __attribute__((always_inline)) {
        along_k<rows, vectors>(f, i, j, k, w);
      });
    for (int k = 0; k < f.occupied; ++k)
      in_runs(f.occupied, [&]<int rows>(int j) __attribute__((always_inline)) {
        along_j<rows, vectors>(f, i, j, k, w);
      });
  }
}

ATOLL_EACH_PROCESSOR void products_of_two_vectors(const TriplesFactors& factors, double* w) {
  all_products<2>(factors, w);
}

ATOLL_EACH_PROCESSOR void products_of_one_vector(const TriplesFactors& factors, double* w) {
  all_products<1>(factors, w);
}

}  // namespace

void triples_products(const TriplesFactors& factors, int lanes, double* w) {
  if (lanes == triples_lanes)
    products_of_two_vectors(factors, w);
  else
    products_of_one_vector(factors, w);
}

}  // namespace lagoon::atoll::chem

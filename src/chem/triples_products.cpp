// Compiled with fused multiply-add (cmake/AtollPython.cmake), unlike the rest of Atoll: half of the
// speed is in it, and nothing here is compared with NumPy to the last bit.
#include "triples_products.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

// Six rows of two vectors: with one row of operands they fill the sixteen registers of AVX2.
constexpr int most_rows = 6;
// What is read again and again for some i is to stay in the second-level cache.
constexpr std::ptrdiff_t bytes_of_columns = 192 << 10;

template <int rows, int vectors>
using Sums = Lanes[rows][vectors];

/// sums += packed rows times a column with lanes.
template <int rows, int vectors>
[[gnu::always_inline]] inline void add_products(Sums<rows, vectors>& sums, const double* packed,
                                                const double* column, std::ptrdiff_t depth) {
  const Lanes* lanes = as_lanes(column);
  for (std::ptrdiff_t p = 0; p < depth; ++p, lanes += vectors, packed += rows) {
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
      const double factor = packed[r];
      const Lanes factors = {factor, factor, factor, factor};
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sums[r][v] += factors * lanes[v];
    }
  }
}

/// Adds to W_ijk of one i and j, and of some k: the four orders whose operands have rows along k.
template <int rows, int vectors>
[[gnu::always_inline]] inline void along_k(const TriplesFactors& f, int i, int j, int k,
                                           double* w) {
  constexpr std::ptrdiff_t lanes = vectors * width_of_lanes;
  const std::ptrdiff_t o = f.occupied, depth = f.depth, right = f.row * lanes;
  Sums<rows, vectors> sums = {};
  add_products<rows, vectors>(sums, f.left_c + (j * o + k) * depth, f.right_ab + i * right, depth);
  add_products<rows, vectors>(sums, f.left_b + (j * o + k) * depth, f.right_ac + i * right, depth);
  add_products<rows, vectors>(sums, f.left_c + (i * o + k) * depth, f.right_ba + j * right, depth);
  add_products<rows, vectors>(sums, f.right_cb + k * depth, f.left_a + (i * o + j) * depth * lanes,
                              depth);
  Lanes* result = as_lanes(w + ((i * o + j) * o + k) * lanes);
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) result[r * vectors + v] += sums[r][v];
}

/// The other two, whose rows are along j.
template <int rows, int vectors>
[[gnu::always_inline]] inline void along_j(const TriplesFactors& f, int i, int j, int k,
                                           double* w) {
  constexpr std::ptrdiff_t lanes = vectors * width_of_lanes;
  const std::ptrdiff_t o = f.occupied, depth = f.depth, right = f.row * lanes;
  Sums<rows, vectors> sums = {};
  add_products<rows, vectors>(sums, f.right_bc + j * depth, f.left_a + (i * o + k) * depth * lanes,
                              depth);
  add_products<rows, vectors>(sums, f.left_b_first + (i * o + j) * depth, f.right_ca + k * right,
                              depth);
  Lanes* result = as_lanes(w + ((i * o + j) * o + k) * lanes);
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) result[r * o * vectors + v] += sums[r][v];
}

/// Cuts 0 to `count` into nearly even runs of up to most_rows, and calls `run(first)` with the
/// number of rows as a constant.
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

/// By blocks of i, for which L[a] and what else has lanes is read from the cache.
template <int vectors>
[[gnu::always_inline]] inline void all_products(const TriplesFactors& f, double* w) {
  constexpr int lanes = vectors * width_of_lanes;
  const int o = f.occupied;
  std::fill_n(w, std::ptrdiff_t{o} * o * o * lanes, 0.0);
  const auto columns = static_cast<std::ptrdiff_t>(sizeof(double)) * 3 * f.depth * lanes;
  const int block = static_cast<int>(std::clamp<std::ptrdiff_t>(bytes_of_columns / columns, 1, o));
  for (int first = 0; first < o; first += block) {
    const int end = std::min(first + block, o);
    for (int x = 0; x < o; ++x) {
      in_runs(o, [&]<int rows>(int k) __attribute__((always_inline)) {
        for (int i = first; i < end; ++i) along_k<rows, vectors>(f, i, x, k, w);
      });
      in_runs(o, [&]<int rows>(int j) __attribute__((always_inline)) {
        for (int i = first; i < end; ++i) along_j<rows, vectors>(f, i, j, x, w);
      });
    }
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

void pack_rows(const double* rows, std::ptrdiff_t stride, int count, std::ptrdiff_t depth,
               double* result) {
  in_runs(count, [&]<int length>(int first) {
    const double* run = rows + first * stride;
    double* packed = result + first * depth;
    for (std::ptrdiff_t p = 0; p < depth; ++p)
      for (int r = 0; r < length; ++r) packed[p * length + r] = run[r * stride + p];
  });
}

}  // namespace lagoon::atoll::chem

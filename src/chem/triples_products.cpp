// Compiled with fused multiply-add (cmake/AtollPython.cmake), unlike the rest of Atoll: half of the
// speed is in it, and nothing here is compared with NumPy to the last bit.
#include "triples_products.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "world/processors.hpp"

// GCC's and Clang's choice of functions by processor does not reach the sizes of templates, which
// differ with the length of the vectors.
#if defined(__x86_64__) && !ATOLL_SANITIZED
#define ATOLL_LONG_VECTORS __attribute__((target("arch=x86-64-v4")))
#endif

namespace lagoon::atoll::chem {

namespace {

// What is read again and again for some i is to stay in the second-level cache.
constexpr std::ptrdiff_t bytes_of_columns = 192 << 10;

// With one row of operands, so many rows of eight lanes fill the registers: sixteen of four lanes;
// of the thirty-two of AVX-512 half, as what is read for them limits, too.
constexpr int most_rows = 6, most_rows_of_long_vectors = 12;

// As attributes of a type are lost where it is an argument of a template.
struct FourLanes {
  using Vector = Lanes;
  static constexpr int count = width_of_lanes;
};
struct EightLanes {
  using Vector = LongLanes;
  static constexpr int count = 2 * width_of_lanes;
};

/// Calls `run(first)` with the number of rows, up to `most`, as a constant.
template <int most, class Run>
[[gnu::always_inline]] inline void with_rows(int rows, int first, const Run& run) {
  if constexpr (most > 1) {
    if (rows < most) return with_rows<most - 1>(rows, first, run);
  }
  run.template operator()<most>(first);
}

/// Cuts 0 to `count` into nearly even runs of up to `most`.
template <int most, class Run>
[[gnu::always_inline]] inline void in_runs(int count, const Run& run) {
  const int runs = (count + most - 1) / most;
  for (int number = 0; number < runs; ++number) {
    const int first = count * number / runs;
    with_rows<most>(count * (number + 1) / runs - first, first, run);
  }
}

template <class Kind, int rows, int vectors>
using Sums = typename Kind::Vector[rows][vectors];

/// sums += packed rows times a column with lanes.
template <class Kind, int rows, int vectors>
[[gnu::always_inline]] inline void add_products(Sums<Kind, rows, vectors>& sums,
                                                const double* packed, const double* column,
                                                std::ptrdiff_t depth) {
  const auto* lanes = reinterpret_cast<const typename Kind::Vector*>(column);
  for (std::ptrdiff_t p = 0; p < depth; ++p, lanes += vectors, packed += rows) {
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sums[r][v] += packed[r] * lanes[v];
  }
}

/// Adds sums to elements of W, rows `stride` vectors apart.
template <class Kind, int rows, int vectors>
[[gnu::always_inline]] inline void add_to(double* w, std::ptrdiff_t stride,
                                          const Sums<Kind, rows, vectors>& sums) {
  auto* result = reinterpret_cast<typename Kind::Vector*>(w);
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) result[r * stride + v] += sums[r][v];
}

/// The loops over all elements of W, for vectors of one length.
template <class Kind, int vectors, int most>
class ProductLoop {
 public:
  [[gnu::always_inline]] ProductLoop(const TriplesFactors& factors, double* w)
      : f_(factors),
        w_(w),
        o_(factors.occupied),
        depth_(factors.depth),
        right_(factors.row * lanes) {}

  /// By blocks of i, for which L[a] and what else has lanes is read from the cache.
  [[gnu::always_inline]] void run() const {
    const int o = f_.occupied;
    std::fill_n(w_, o_ * o_ * o_ * lanes, 0.0);
    const auto columns = static_cast<std::ptrdiff_t>(sizeof(double)) * 3 * depth_ * lanes;
    const int block =
        static_cast<int>(std::clamp<std::ptrdiff_t>(bytes_of_columns / columns, 1, o));
    for (int first = 0; first < o; first += block) {
      const int end = std::min(first + block, o);
      for (int x = 0; x < o; ++x) {
        in_runs<most>(o, [&]<int rows>(int k) __attribute__((always_inline)) {
          for (int i = first; i < end; ++i) along_k<rows>(i, x, k);
        });
        in_runs<most>(o, [&]<int rows>(int j) __attribute__((always_inline)) {
          for (int i = first; i < end; ++i) along_j<rows>(i, j, x);
        });
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t lanes = vectors * Kind::count;

  /// Of one i and j and of some k: the four orders whose operands have rows along k.
  template <int rows>
  [[gnu::always_inline]] void along_k(int i, int j, int k) const {
    Sums<Kind, rows, vectors> sums = {};
    add_rows<rows>(sums, f_.left_c + (j * o_ + k) * depth_, f_.right_ab + i * right_);
    add_rows<rows>(sums, f_.left_b + (j * o_ + k) * depth_, f_.right_ac + i * right_);
    add_rows<rows>(sums, f_.left_c + (i * o_ + k) * depth_, f_.right_ba + j * right_);
    add_rows<rows>(sums, f_.right_cb + k * depth_, f_.left_a + (i * o_ + j) * depth_ * lanes);
    add_to<Kind, rows, vectors>(w_ + ((i * o_ + j) * o_ + k) * lanes, vectors, sums);
  }

  /// The other two, whose rows are along j.
  template <int rows>
  [[gnu::always_inline]] void along_j(int i, int j, int k) const {
    Sums<Kind, rows, vectors> sums = {};
    add_rows<rows>(sums, f_.right_bc + j * depth_, f_.left_a + (i * o_ + k) * depth_ * lanes);
    add_rows<rows>(sums, f_.left_b_first + (i * o_ + j) * depth_, f_.right_ca + k * right_);
    add_to<Kind, rows, vectors>(w_ + ((i * o_ + j) * o_ + k) * lanes, o_ * vectors, sums);
  }

  template <int rows>
  [[gnu::always_inline]] void add_rows(Sums<Kind, rows, vectors>& sums, const double* packed,
                                       const double* column) const {
    add_products<Kind, rows, vectors>(sums, packed, column, depth_);
  }

  const TriplesFactors f_;
  double* const w_;
  const std::ptrdiff_t o_, depth_, right_;
};

ATOLL_EACH_PROCESSOR void products_of_two_vectors(const TriplesFactors& factors, double* w) {
  ProductLoop<FourLanes, 2, most_rows>(factors, w).run();
}

ATOLL_EACH_PROCESSOR void products_of_one_vector(const TriplesFactors& factors, double* w) {
  ProductLoop<FourLanes, 1, most_rows>(factors, w).run();
}

#ifdef ATOLL_LONG_VECTORS
bool long_vectors() {
  static const bool found =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0;
  return found;
}

ATOLL_LONG_VECTORS void products_of_long_vector(const TriplesFactors& factors, double* w) {
  ProductLoop<EightLanes, 1, most_rows_of_long_vectors>(factors, w).run();
}

ATOLL_LONG_VECTORS void products_beside_long_vectors(const TriplesFactors& factors, double* w) {
  ProductLoop<FourLanes, 1, most_rows_of_long_vectors>(factors, w).run();
}
#else
bool long_vectors() { return false; }
void products_of_long_vector(const TriplesFactors&, double*) {}
void products_beside_long_vectors(const TriplesFactors&, double*) {}
#endif

}  // namespace

void triples_products(const TriplesFactors& factors, int lanes, double* w) {
  const bool whole = lanes == triples_lanes;
  if (long_vectors())
    (whole ? products_of_long_vector : products_beside_long_vectors)(factors, w);
  else
    (whole ? products_of_two_vectors : products_of_one_vector)(factors, w);
}

void pack_rows(const double* rows, std::ptrdiff_t stride, int count, std::ptrdiff_t depth,
               double* result) {
  const auto pack = [&]<int length>(int first) {
    const double* run = rows + first * stride;
    double* packed = result + first * depth;
    for (std::ptrdiff_t p = 0; p < depth; ++p)
      for (int r = 0; r < length; ++r) packed[p * length + r] = run[r * stride + p];
  };
  if (long_vectors())
    in_runs<most_rows_of_long_vectors>(count, pack);
  else
    in_runs<most_rows>(count, pack);
}

}  // namespace lagoon::atoll::chem

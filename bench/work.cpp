// The multiply and its portions.
#include "work.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "measure.hpp"
#include "world/processors.hpp"

namespace bench {

namespace {

constexpr std::int64_t tile = 64;
constexpr std::int64_t edge = 32;     // of the matrices of a portion
constexpr std::int64_t matrices = 8;  // of each kind, used in turn: 192 KiB in all

// All rows of c, columns [j0, j1), inner range [k0, k1).
ATOLL_EACH_PROCESSOR
void multiply_tile(double* __restrict c, const double* __restrict a, const double* __restrict b,
                   std::int64_t rows, std::int64_t inner, std::int64_t columns, std::int64_t j0,
                   std::int64_t j1, std::int64_t k0, std::int64_t k1) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = k0; k < k1; ++k) {
      const double factor = a[i * inner + k];
      for (std::int64_t j = j0; j < j1; ++j) c[i * columns + j] += factor * b[k * columns + j];
    }
}

}  // namespace

void multiply_add(double* c, const double* a, const double* b, std::int64_t rows,
                  std::int64_t inner, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; j += tile)
    for (std::int64_t k = 0; k < inner; k += tile)
      multiply_tile(c, a, b, rows, inner, columns, j, std::min(j + tile, columns), k,
                    std::min(k + tile, inner));
}

void multiply_add(double* c, const double* a, const double* b, std::int64_t n) {
  multiply_add(c, a, b, n, n, n);
}

Work::Work() {
  const auto elements = static_cast<std::size_t>(matrices * edge * edge);
  a_.assign(elements, 1e-3);
  b_.assign(elements, 1e-3);
  c_.assign(elements, 0.0);
}

void Work::run(std::int64_t portions) {
  for (std::int64_t i = 0; i < portions; ++i) {
    const std::int64_t offset = i % matrices * edge * edge;
    multiply_add(c_.data() + offset, a_.data() + offset, b_.data() + offset, edge);
    touch(c_.data());
  }
}

std::int64_t Work::portions_of(double seconds) {
  if (seconds_per_portion_ == 0.0) {
    constexpr std::int64_t probe = 100;
    seconds_per_portion_ = 1.0;
    for (int repeat = 0; repeat < 20; ++repeat) {
      const double start = now();
      run(probe);
      seconds_per_portion_ = std::min(seconds_per_portion_, (now() - start) / probe);
    }
  }
  return std::max<std::int64_t>(1, std::llround(seconds / seconds_per_portion_));
}

}  // namespace bench

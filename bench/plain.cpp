// The plain loops that Atoll is measured against.
#include "plain.hpp"

#include <cstring>

#include "world/processors.hpp"

namespace bench::plain {

void move_one(double* target, const double* source) { *target = *source; }

void add_one(double* target, const double* source) { *target += *source; }

void* (*volatile copy)(void*, const void*, std::size_t) = std::memcpy;

ATOLL_EACH_PROCESSOR
void add_scaled(double* __restrict y, const double* __restrict x, double alpha, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += alpha * x[i];
}

void copy_rows(double* target, std::int64_t target_stride, const double* source,
               std::int64_t source_stride, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row)
    std::memcpy(target + row * target_stride, source + row * source_stride,
                static_cast<std::size_t>(columns) * sizeof(double));
}

void add_scaled_rows(double* target, std::int64_t target_stride, const double* source,
                     std::int64_t source_stride, double alpha, std::int64_t rows,
                     std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row)
    add_scaled(target + row * target_stride, source + row * source_stride, alpha, columns);
}

void copy_strided(double* target, std::int64_t target_stride, const double* source,
                  std::int64_t source_stride, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) target[i * target_stride] = source[i * source_stride];
}

}  // namespace bench::plain

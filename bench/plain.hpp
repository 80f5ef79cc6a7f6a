// The limits: what a plain program does for the same job, kept in a file of its own so that no call
// is inlined into the measuring loop.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench::plain {

/// A call that does nothing but one load and one store.
void move_one(double* target, const double* source);
/// A call that adds one number, without any care for others.
void add_one(double* target, const double* source);
/// memcpy, called through a pointer that the compiler cannot see through.
extern void* (*volatile copy)(void*, const void*, std::size_t);
/// y += alpha x, vectorised for the processor it runs on.
void add_scaled(double* y, const double* x, double alpha, std::int64_t n);
/// A row loop of memcpy; leading strides in elements.
void copy_rows(double* target, std::int64_t target_stride, const double* source,
               std::int64_t source_stride, std::int64_t rows, std::int64_t columns);
/// A row loop of y += alpha x.
void add_scaled_rows(double* target, std::int64_t target_stride, const double* source,
                     std::int64_t source_stride, double alpha, std::int64_t rows,
                     std::int64_t columns);
/// target[i * target_stride] = source[i * source_stride]
void copy_strided(double* target, std::int64_t target_stride, const double* source,
                  std::int64_t source_stride, std::int64_t n);

}  // namespace bench::plain

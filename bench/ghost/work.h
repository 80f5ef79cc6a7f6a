// What computes in the benchmarks of plain MPI: products of blocks, as DGEMM has them.
#pragma once

enum { order = 64, block_size = order * order };

// c += a b, so many times.
static void multiply(const double* a, const double* b, double* c, long times) {
  for (long n = 0; n < times; ++n)
    for (int i = 0; i < order; ++i)
      for (int k = 0; k < order; ++k)
        for (int j = 0; j < order; ++j) c[i * order + j] += a[i * order + k] * b[k * order + j];
}

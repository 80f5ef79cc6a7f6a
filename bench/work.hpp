// Computation of a fixed amount, as a program does beside its communication: a plain matrix
// multiply. `compute` in pair.hpp takes a fixed time instead, however little it gets done.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

/// c += a b, row-major and packed, a of rows by inner, b of inner by columns; vectorised, in tiles
/// that stay in the cache.
void multiply_add(double* c, const double* a, const double* b, std::int64_t rows,
                  std::int64_t inner, std::int64_t columns);
/// The same, all n by n.
void multiply_add(double* c, const double* a, const double* b, std::int64_t n);

/// Work in portions of some microseconds, on matrices that fill a good part of a core's cache.
class Work {
 public:
  Work();
  void run(std::int64_t portions);
  /// How many portions last about `seconds` here, undisturbed.
  std::int64_t portions_of(double seconds);

 private:
  double seconds_per_portion_ = 0.0;
  std::vector<double> a_, b_, c_;
};

}  // namespace bench

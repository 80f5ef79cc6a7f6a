// The BLAS by its Fortran names: every BLAS has them, whichever way CMake has found it.
#include "algebra/matrices/blas.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "atoll/error.hpp"

// Lengths of the character arguments come last, as compilers of Fortran pass them.
extern "C" {
using lagoon_length = std::size_t;
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*,
            lagoon_length, lagoon_length);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*, lagoon_length, lagoon_length);
void cgemm_(const char*, const char*, const int*, const int*, const int*,
            const std::complex<float>*, const std::complex<float>*, const int*,
            const std::complex<float>*, const int*, const std::complex<float>*,
            std::complex<float>*, const int*, lagoon_length, lagoon_length);
void zgemm_(const char*, const char*, const int*, const int*, const int*,
            const std::complex<double>*, const std::complex<double>*, const int*,
            const std::complex<double>*, const int*, const std::complex<double>*,
            std::complex<double>*, const int*, lagoon_length, lagoon_length);
void openblas_set_num_threads(int) __attribute__((weak));
}

namespace lagoon::atoll::detail {

namespace {

template <BlasElement T>
constexpr auto routine() noexcept {
  if constexpr (std::same_as<T, float>)
    return &sgemm_;
  else if constexpr (std::same_as<T, double>)
    return &dgemm_;
  else if constexpr (std::same_as<T, std::complex<float>>)
    return &cgemm_;
  else
    return &zgemm_;
}

int blas_integer(std::int64_t value) {
  if (value > std::numeric_limits<int>::max())
    throw Error(ErrorKind::value, "a block has rows or columns of " + std::to_string(value) +
                                      " elements, more than the integers of BLAS count");
  return static_cast<int>(value);
}

}  // namespace

// Column by column, a row-major matrix is its transpose: c^T = op(b)^T op(a)^T.
template <BlasElement T>
void gemm(BlasForm form_a, BlasForm form_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
          std::int64_t ldc) {
  const char left = static_cast<char>(form_b), right = static_cast<char>(form_a);
  const int rows = blas_integer(n), columns = blas_integer(m), inner = blas_integer(k);
  // A matrix of one row may have any distance, which need not be what BLAS accepts.
  const auto distance = [](std::int64_t given, std::int64_t row) {
    return blas_integer(std::max<std::int64_t>({given, row, 1}));
  };
  const int da = distance(lda, form_a == BlasForm::plain ? k : m);
  const int db = distance(ldb, form_b == BlasForm::plain ? n : k);
  const int dc = distance(ldc, n);
  routine<T>()(&left, &right, &rows, &columns, &inner, &alpha, b, &db, a, &da, &beta, c, &dc, 1, 1);
}

template void gemm(BlasForm, BlasForm, std::int64_t, std::int64_t, std::int64_t, float,
                   const float*, std::int64_t, const float*, std::int64_t, float, float*,
                   std::int64_t);
template void gemm(BlasForm, BlasForm, std::int64_t, std::int64_t, std::int64_t, double,
                   const double*, std::int64_t, const double*, std::int64_t, double, double*,
                   std::int64_t);
template void gemm(BlasForm, BlasForm, std::int64_t, std::int64_t, std::int64_t,
                   std::complex<float>, const std::complex<float>*, std::int64_t,
                   const std::complex<float>*, std::int64_t, std::complex<float>,
                   std::complex<float>*, std::int64_t);
template void gemm(BlasForm, BlasForm, std::int64_t, std::int64_t, std::int64_t,
                   std::complex<double>, const std::complex<double>*, std::int64_t,
                   const std::complex<double>*, std::int64_t, std::complex<double>,
                   std::complex<double>*, std::int64_t);

void set_blas_threads(int threads) noexcept {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

}  // namespace lagoon::atoll::detail

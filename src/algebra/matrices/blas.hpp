// The BLAS, in row-major order: gemm for the four types that it has.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>

#include "atoll/types.hpp"

namespace lagoon::atoll::detail {

template <class T>
concept BlasElement = Element<T> && has_blas(element_type_of<T>());

enum class BlasForm : char { plain = 'N', transposed = 'T', adjoint = 'C' };

/// c = alpha op(a) op(b) + beta c, where op(a) is m x k and op(b) is k x n. Rows lie `lda` elements
/// apart, elements of a row next to each other. Extents and distances are below 2^31.
template <BlasElement T>
void gemm(BlasForm form_a, BlasForm form_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
          std::int64_t ldc);

/// Has the BLAS use so many threads, if it is one that can be told (OpenBLAS).
void set_blas_threads(int threads) noexcept;

}  // namespace lagoon::atoll::detail

// What LAPACK and ScaLAPACK have in common: routines on matrices in column-major order, called by
// the names that both have.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <memory>
#include <type_traits>

#include "algebra/matrices/blas.hpp"

namespace lagoon::atoll::detail {

template <class T>
inline constexpr bool is_complex_element = !std::same_as<T, Real<T>>;

/// A matrix, or with ScaLAPACK this rank's part of one.
template <BlasElement T>
struct Columns {
  T* data;
  int rows, columns;              ///< of the whole matrix
  int distance;                   ///< elements from one column of `data` to the next
  int local_columns;              ///< of `data`
  std::array<int, 9> descriptor;  ///< ScaLAPACK's
};

/// Those that may fail return LAPACK's info. With ScaLAPACK all ranks of the grid call alike.
/// `triangle` is 'L' or 'U', `form` 'N', 'T' or 'C'.
template <BlasElement T>
class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  /// All eigenvalues of a, which is lost, and, if z has memory, eigenvectors.
  virtual int heevd(char triangle, const Columns<T>& a, Real<T>* values, const Columns<T>& z) = 0;
  /// a = the matrix of the standard problem for a v = w b v; b holds its Cholesky factor.
  virtual int hegst(char triangle, const Columns<T>& a, const Columns<T>& b) = 0;
  virtual int potrf(char triangle, const Columns<T>& a) = 0;
  virtual int potri(char triangle, const Columns<T>& a) = 0;
  virtual int potrs(char triangle, const Columns<T>& a, const Columns<T>& b) = 0;
  virtual int gesv(const Columns<T>& a, const Columns<T>& b) = 0;
  /// b = op(a)^-1 b with a triangular a.
  virtual void trsm(char triangle, char form, const Columns<T>& a, const Columns<T>& b) = 0;
  /// Singular values of a, which is lost, and, if they have memory, vectors.
  virtual int gesvd(const Columns<T>& a, Real<T>* values, const Columns<T>& u,
                    const Columns<T>& vh) = 0;
  /// Makes a square `a` unitary, of whose columns the first `known` are orthonormal: these become
  /// others that span the same space, the rest spans its complement.
  virtual int complete_basis(const Columns<T>& a, int known) = 0;
};

template <BlasElement T>
std::unique_ptr<Kernels<T>> lapack_kernels();
template <BlasElement T>
std::unique_ptr<Kernels<T>> scalapack_kernels();

}  // namespace lagoon::atoll::detail

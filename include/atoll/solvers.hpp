// Dense linear systems, eigenvalues and singular values of distributed matrices: by ScaLAPACK where
// Atoll has found one for its MPI, else by LAPACK on one rank. Collective, with the synchronisation
// of all algebra (algebra.hpp). Matrices of float32 to complex128, all operands of one type, on the
// same ranks, with any distributions, also mirrored. Inputs stay as they are; an output may be one
// of the inputs. Beyond the operands a call takes the memory of one to three matrices, for
// eigenvalues and singular values two to five more: spread over the ranks with ScaLAPACK, else on
// one rank.
//
// Error(type) for integers or mixed types, Error(value) for shapes that do not fit, Error(numeric)
// on all ranks for a matrix that is singular or not positive definite, one that holds NaN or
// infinity (solve and inverse pass them on), or an iteration that does not converge; what the
// outputs hold then is undefined.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/array.hpp"

namespace lagoon::atoll {

/// Which half of a Hermitian matrix is read, or which a factor fills.
enum class Triangle : bool { lower, upper };
enum class SolverLibrary : std::uint8_t { automatic, lapack, scalapack, elpa };

struct SolverOptions {
  Triangle triangle = Triangle::lower;
  /// automatic: ScaLAPACK where there is one and the shorter side has four blocks, on as many ranks
  /// as leave each two blocks in both directions.
  /// Eigenvalues by ELPA, if there is one that knows the type and every rank of the grid has a
  /// block.
  /// scalapack, elpa (with ScaLAPACK for all that is no eigenvalue): Error(unsupported) where there
  /// is none.
  SolverLibrary library = SolverLibrary::automatic;
  std::int64_t block = 64;  ///< extent of the square blocks that ScaLAPACK works on
};

/// Eigenvalues of a Hermitian (real: symmetric) matrix, ascending, on every rank; orthonormal
/// eigenvectors in the columns of `vectors`, of the same shape.
std::vector<double> eigh(const AnyArray& a, AnyArray& vectors, const SolverOptions& options = {});
/// The same of a v = w b v, with b positive definite; eigenvectors are orthonormal in b.
std::vector<double> eigh(const AnyArray& a, const AnyArray& b, AnyArray& vectors,
                         const SolverOptions& options = {});
/// Eigenvalues only.
std::vector<double> eigvalsh(const AnyArray& a, const SolverOptions& options = {});
std::vector<double> eigvalsh(const AnyArray& a, const AnyArray& b,
                             const SolverOptions& options = {});

/// a = l l^H (lower) or u^H u (upper) of a positive definite matrix; the other half becomes zero.
void cholesky(const AnyArray& a, AnyArray& factor, const SolverOptions& options = {});
/// x = a^-1 b, with a's factor. b and x: vectors, or matrices of one right-hand side a column.
void cholesky_solve(const AnyArray& factor, const AnyArray& b, AnyArray& x,
                    const SolverOptions& options = {});
/// The inverse of a positive definite matrix.
void cholesky_inverse(const AnyArray& a, AnyArray& result, const SolverOptions& options = {});

/// x = a^-1 b, by LU factorisation with partial pivoting.
void solve(const AnyArray& a, const AnyArray& b, AnyArray& x, const SolverOptions& options = {});
void inverse(const AnyArray& a, AnyArray& result, const SolverOptions& options = {});

/// Singular values, descending, on every rank; of an m x n matrix with k = min(m, n) the left
/// singular vectors in the columns of u (m x k), the right ones, conjugated, in the rows of vh
/// (k x n). An output may be square instead (u m x m, vh n x n): the rest of an orthonormal basis
/// follows, by QR factorisation.
std::vector<double> svd(const AnyArray& a, AnyArray& u, AnyArray& vh,
                        const SolverOptions& options = {});
std::vector<double> singular_values(const AnyArray& a, const SolverOptions& options = {});

/// What `atoll info` says about it: the library, or why there is only LAPACK on one rank.
std::string describe_solvers();

}  // namespace lagoon::atoll

// GA's linear systems and eigenvalues by handle. Matrices are meant as Fortran sees them, from C as
// well: rows of a C array are the columns of the matrix (trap 2 of GA's rules). Collective over the
// arrays' group. Each of GA's triangles is one in that view.
#pragma once

#include <cstdint>

#include "atoll/solvers.hpp"

namespace lagoon::atoll::ga {

/// 'U' or 'L', in either case; Error(value) for any other letter.
Triangle triangle_of(char uplo);

/// Eigenvalues, ascending, to `eval`, in the precision of the array; the eigenvectors become the
/// columns of `v`. Of a v = e s v where there is an `s`. `block` > 0 is the extent of the blocks
/// that are worked on.
void diagonalize(std::int64_t a, std::int64_t v, void* eval, std::int64_t block = 0);
void diagonalize(std::int64_t a, std::int64_t s, std::int64_t v, void* eval,
                 Triangle triangle = Triangle::lower);

/// A complex matrix as two arrays of float64, its real and its imaginary part.
struct ComplexParts {
  std::int64_t real, imaginary;
};
/// The same for a Hermitian matrix. Error(type), Error(value) for arrays that are not two real
/// square matrices of one size.
void diagonalize(const ComplexParts& a, const ComplexParts& v, double* eval,
                 std::int64_t block = 0);

/// b becomes the solution. What these return is LAPACK's info: 0, or the order of the leading minor
/// that is not positive, then b is as it was.
int solve_definite(std::int64_t a, std::int64_t b);
/// By Cholesky's factors if a is symmetric, else, or where a is not positive definite, by LU: then
/// info is positive though b is the solution. If a is singular, info is the pivot that is zero.
int solve_any(std::int64_t a, std::int64_t b);
/// By LU, with the transpose of a if `trans` is 'T'. Error(numeric) for a singular matrix.
void solve_lu(char trans, std::int64_t a, std::int64_t b);

int invert_definite(std::int64_t a);
/// The factor takes the place of a, zero its other half.
int factorize(char uplo, std::int64_t a);
/// Sets the half beside `uplo` to zero.
void keep_triangle(char uplo, std::int64_t a);

}  // namespace lagoon::atoll::ga

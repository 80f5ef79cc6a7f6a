// Algebra of whole matrices beside the product: transposes, diagonals, rows and columns, norms.
// Collective, with the synchronisation of all algebra (algebra.hpp). A matrix has two dimensions
// and any distribution, a vector has one; vectors have their matrix's type and ranks. Error(value)
// for other dimensions and for extents that do not fit, Error(type) for types that differ.
#pragma once

#include "atoll/algebra.hpp"
#include "atoll/array.hpp"

namespace lagoon::atoll {

/// b = the transpose of a (without conjugation); two arrays.
void transpose(const AnyArray& a, AnyArray& b);
/// a = (a + its transpose) / 2. Square, not of integers. Takes a second matrix for the time being.
void symmetrize(AnyArray& a);

/// v[i] = a[i, i], as many as the shorter side of a has.
void get_diagonal(const AnyArray& a, AnyArray& v);
/// a[i, i] = v[i]
void set_diagonal(AnyArray& a, const AnyArray& v);
/// a[i, i] += v[i]
void add_diagonal(AnyArray& a, const AnyArray& v);
/// a[i, i] = value, and a[i, i] += value.
void fill_diagonal(AnyArray& a, const Scalar& value);
void shift_diagonal(AnyArray& a, const Scalar& value);
/// The sum of the diagonal; of integers modulo 2^64, of the others taken in double.
Scalar trace(const AnyArray& a);

/// a[i, j] *= v[i], and a[i, j] *= v[j].
void scale_rows(AnyArray& a, const AnyArray& v);
void scale_columns(AnyArray& a, const AnyArray& v);

/// Of a matrix as a map: `one` is the largest sum of moduli of a column, `infinity` of a row. (The
/// Frobenius norm is that of the elements, `norm(a)`.) Zero for an empty matrix, NaN if one is
/// there.
enum class MatrixNorm : std::uint8_t { one, infinity };
double matrix_norm(const AnyArray& a, MatrixNorm kind);

}  // namespace lagoon::atoll

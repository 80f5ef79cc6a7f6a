// The products of matrices of the (T) correction, for one pair of virtual orbitals b and c and some
// orbitals a that lie side by side, one in each lane of the processor's vectors:
//
//   W_ijk = sum over the six orders of (ia, jb, kc) of  sum_p L[c][k,j,p] R[a,b][i,p],
//
// where p runs over virtual orbitals d, L = t_kj^cd, R = (bd|ai), and then over occupied orbitals
// l, L = -(ck|jl), R = t_il^ab. So each element of W takes six sums of length v + o, and no more:
// all that is done by multiplications here, 12 o^3 (v + o) of floating-point operations for each a.
//
// A product by BLAS would have to write its part of W by itself, and these are short sums; here up
// to four are added up before the result leaves the registers, and the operands lie as they are
// read. That gives the speed of a large DGEMM whatever the sizes.
#pragma once

#include <cstddef>

namespace lagoon::atoll::chem {

/// How many orbitals a go together; groups are of this many, or of half.
inline constexpr int triples_lanes = 8;

/// Operands of one b and c. Sums have length `depth` = v + o.
struct TriplesFactors {
  int occupied;
  std::ptrdiff_t depth;
  std::ptrdiff_t row;  // between rows of R: depth and more
  // Rows: o x o x depth and o rows.
  const double *left_b, *left_c;      // L[b], L[c]
  const double *right_bc, *right_cb;  // R[b,c], R[c,b]
  // With lanes: o x o x depth x lanes and o x row x lanes.
  const double* left_a;               // L[a]
  const double *right_ab, *right_ba;  // R[a,b], R[b,a]
  const double *right_ac, *right_ca;  // R[a,c], R[c,a]
};

/// Computes W, o x o x o x lanes. What has lanes lies at multiples of 64 bytes; `lanes` is
/// triples_lanes or half of it.
void triples_products(const TriplesFactors& factors, int lanes, double* w);

}  // namespace lagoon::atoll::chem

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
//
// Operands without lanes are packed: runs of rows, nearly even, as many as the registers take, each
// element by element.
#pragma once

#include <cstddef>

namespace lagoon::atoll::chem {

/// How many orbitals a go together; groups are of this many, or of half.
inline constexpr int triples_lanes = 8;

/// Operands of one b and c. Sums have length `depth` = v + o.
struct TriplesFactors {
  int occupied;
  std::ptrdiff_t depth;
  // Packed rows: of L[c][.,j] for each j, of L[b][k,.] for each k, and of L[b][.,j] for each j;
  // R[b,c] and R[c,b].
  const double *left_c, *left_b, *left_b_first;
  const double *right_bc, *right_cb;
  // With lanes: L[a], o x o x depth x lanes, and R[a,b] and so on, o x row x lanes.
  const double* left_a;
  const double *right_ab, *right_ba, *right_ac, *right_ca;
  std::ptrdiff_t row;  // depth and more
};

/// Computes W, o x o x o x lanes. What has lanes lies at multiples of 64 bytes; `lanes` is
/// triples_lanes or half of it.
void triples_products(const TriplesFactors& factors, int lanes, double* w);

/// Packs rows of length `depth` that lie `stride` apart: `result` is as long as all of them.
void pack_rows(const double* rows, std::ptrdiff_t stride, int count, std::ptrdiff_t depth,
               double* result);

}  // namespace lagoon::atoll::chem

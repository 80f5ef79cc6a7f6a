// Products of matrices of which most blocks do not count: a screen says which pairs of blocks do,
// and the others are neither fetched nor multiplied. The matrices are dense as all arrays are; a
// grid of blocks (shells or atoms, say) is only a way to look at them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "atoll/matmul.hpp"

namespace lagoon::atoll {

/// Where blocks begin, per dimension of the product: 0 first, ascending, none beyond the extent.
/// The last block ends with the extent. Equal neighbours make an empty block, which is allowed.
struct BlockCuts {
  std::vector<std::int64_t> rows, columns, inner;
};

/// Whether the product of block (row, inner) of op(a) and block (inner, column) of op(b) counts.
/// Answers alike on all ranks and any time; asked by the ranks that would compute it, once
/// each (of a dealt result: once for each of their blocks of it). What it throws on one rank ends
/// the call on all.
using BlockScreen = std::function<bool(std::int64_t row, std::int64_t column, std::int64_t inner)>;

/// Sums over all ranks.
struct BlockMatmulCount {
  std::int64_t pairs = 0;          ///< pairs of blocks, empty ones left out
  std::int64_t multiplied = 0;     ///< of these, kept by the screen
  std::int64_t fetched_bytes = 0;  ///< of factors, copied; not what was used where it lies
};

/// c = alpha (sum over kept pairs of op(a)_il op(b)_lj) + beta c. Arrays, checks, options and
/// synchronisation are those of matmul; every rank computes the blocks of c that it owns. Also
/// Error(value) for cuts that do not fit and an empty screen. Where a screen has thrown, that rank
/// throws the same and the others Error(state); what is in c is then undefined.
BlockMatmulCount block_matmul(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                              AnyArray& c, const BlockCuts& cuts, const BlockScreen& screen,
                              const MatmulOptions& options = {});

/// The same with the usual screen: a pair counts unless the product of its blocks' Frobenius norms
/// is `threshold` or less. Error(value) for one that is negative or NaN.
BlockMatmulCount block_matmul(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                              AnyArray& c, const BlockCuts& cuts, double threshold,
                              const MatmulOptions& options = {});

/// The Frobenius norms of the blocks of op(a), on every rank, row-major. Collective. Error(value)
/// for cuts that do not fit and arrays without two dimensions. Of a mirrored array every node takes
/// its own, which may differ in the last bits.
std::vector<double> block_norms(const View& a, std::span<const std::int64_t> row_cuts,
                                std::span<const std::int64_t> column_cuts);

}  // namespace lagoon::atoll

// What every product of matrices begins with: its checks and the hash of its arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "atoll/matmul.hpp"

namespace lagoon::atoll::detail {

/// Before entering the call: Error(state) for dead arrays and a read-only result, Error(value) for
/// factors on other ranks.
void require_operands(const View& a, const View& b, const AnyArray& c, std::string_view operation);

// Inside the `validate` callback of enter_collective.
void check_matrix(const View& matrix);
/// A matrix of the result's type, one the BLAS has, and not the result itself.
void check_factor(const View& factor, const AnyArray& c);
void check_product(const Scalar& alpha, const View& a, const View& b, const Scalar& beta,
                   const MutableView& c, const MatmulOptions& options);

std::uint64_t hash_of_cuts(std::span<const std::int64_t> cuts);

}  // namespace lagoon::atoll::detail

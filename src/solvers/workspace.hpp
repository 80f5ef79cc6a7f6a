// Workspace as LAPACK and ScaLAPACK want it: a routine called with lengths of -1 says how much it
// needs, and is called again with that much.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "solvers/kernels.hpp"

namespace lagoon::atoll::detail {

/// A length that a routine asked for, in a number of its element type: a float32 may have been
/// rounded down. Their integers have 32 bits.
template <class T>
int workspace_length(T asked, std::int64_t more = 0) {
  double length = static_cast<double>(std::real(asked));
  if constexpr (std::same_as<Real<T>, float>) length *= 1 + 1e-6;
  length += static_cast<double>(more);
  if (!(length < std::numeric_limits<int>::max()))
    throw Error(ErrorKind::unsupported, "the matrix is too large for 32-bit integers of LAPACK");
  return static_cast<int>(length) + 1;
}

/// What a routine takes beside the workspace of its type.
enum class Besides : std::uint8_t {
  nothing,
  reals,     ///< those of complex types: real workspace and its length
  integers,  ///< the same, and integers and their length
};

/// Calls `routine(work, length[, reals, length][, integers, length])`, first to ask, then to work.
/// `more`: elements beyond what it asks for.
template <BlasElement T, Besides besides, class F>
void with_workspace(F&& routine, std::int64_t more = 0) {
  const auto call = [&](T* work, const int* length, Real<T>* reals, const int* reals_length,
                        int* integers, const int* integers_length) {
    constexpr bool with_reals = besides != Besides::nothing && is_complex_element<T>;
    if constexpr (with_reals && besides == Besides::integers)
      routine(work, length, reals, reals_length, integers, integers_length);
    else if constexpr (with_reals)
      routine(work, length, reals, reals_length);
    else if constexpr (besides == Besides::integers)
      routine(work, length, integers, integers_length);
    else
      routine(work, length);
  };
  const int query = -1;
  // Some routines write two numbers when asked.
  std::array<T, 2> wanted{};
  std::array<Real<T>, 2> wanted_reals{};
  std::array<int, 2> wanted_integers{};
  call(wanted.data(), &query, wanted_reals.data(), &query, wanted_integers.data(), &query);
  const int length = workspace_length(wanted[0], more);
  const int reals_length = workspace_length(wanted_reals[0]);
  const int integers_length = wanted_integers[0] + 1;
  std::vector<T> work(static_cast<std::size_t>(length));
  std::vector<Real<T>> reals(static_cast<std::size_t>(reals_length));
  std::vector<int> integers(static_cast<std::size_t>(integers_length));
  call(work.data(), &length, reals.data(), &reals_length, integers.data(), &integers_length);
}

}  // namespace lagoon::atoll::detail

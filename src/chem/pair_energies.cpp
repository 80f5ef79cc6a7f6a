// Tiles of g are met with their mirror images across the diagonal: one division serves both, and
// what is read across rows is read from the first-level cache.
#include "pair_energies.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

constexpr int tile = 32;
constexpr int lanes = 8;  // separate sums, so that the compiler may use vectors

/// The integrals of one pair of occupied orbitals, and its energies without signs of the virtuals.
struct Pair {
  const double* integrals;
  std::ptrdiff_t row;
  double occupied;  // e_i + e_j
  const double *virtual_left, *virtual_right;
};

struct Sums {
  double squares[lanes] = {}, crossed[lanes] = {};

  static double total(const double (&of)[lanes]) {
    double sum = 0;
    for (const double value : of) sum += value;
    return sum;
  }
};

/// sum g g / d of all a and b.
ATOLL_EACH_PROCESSOR void add_squares(const Pair& pair, int count_a, int count_b, Sums& sums) {
  for (int a = 0; a < count_a; ++a) {
    const double* g = pair.integrals + a * pair.row;
    const double energy = pair.occupied - pair.virtual_left[a];
    int b = 0;
    for (; b + lanes <= count_b; b += lanes)
      for (int lane = 0; lane < lanes; ++lane)
        sums.squares[lane] += g[b + lane] * g[b + lane] / (energy - pair.virtual_right[b + lane]);
    for (; b < count_b; ++b) sums.squares[0] += g[b] * g[b] / (energy - pair.virtual_right[b]);
  }
}

/// A tile below the diagonal, a0 > b0, with the one that it is mirrored to; `weight` is 1 there,
/// and half of it where a0 = b0, so that a tile is its own image.
ATOLL_EACH_PROCESSOR void add_tiles(const Pair& pair, int a0, int a1, int b0, int b1, double weight,
                                    Sums& sums) {
  double image[tile][tile];  // g_ba, row by row of a
  for (int b = b0; b < b1; ++b) {
    const double* g = pair.integrals + b * pair.row;
    for (int a = a0; a < a1; ++a) image[a - a0][b - b0] = g[a];
  }
  const double* virtual_b = pair.virtual_right + b0;
  const int width = b1 - b0;
  for (int a = a0; a < a1; ++a) {
    const double* g = pair.integrals + a * pair.row + b0;
    const double* mirrored = image[a - a0];
    const double energy = pair.occupied - pair.virtual_left[a];
    const auto add = [&](int b, int lane) {
      const double factor = weight / (energy - virtual_b[b]);
      sums.squares[lane] += factor * (g[b] * g[b] + mirrored[b] * mirrored[b]);
      sums.crossed[lane] += factor * (2 * g[b] * mirrored[b]);
    };
    int b = 0;
    for (; b + lanes <= width; b += lanes)
      for (int lane = 0; lane < lanes; ++lane) add(b + lane, lane);
    for (; b < width; ++b) add(b, 0);
  }
}

void add_with_exchange(const Pair& pair, int count, Sums& sums) {
  for (int a0 = 0; a0 < count; a0 += tile) {
    const int a1 = std::min(a0 + tile, count);
    for (int b0 = 0; b0 < a0; b0 += tile) add_tiles(pair, a0, a1, b0, b0 + tile, 1.0, sums);
    add_tiles(pair, a0, a1, a0, a1, 0.5, sums);
  }
}

void check(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw std::invalid_argument(std::string(what) + " are " + std::to_string(found) +
                                ", expected " + std::to_string(expected));
}

}  // namespace

PairEnergies pair_energies(std::span<const double> integrals, const OccupiedBlock& left,
                           const OccupiedBlock& right, std::span<const double> virtual_left,
                           std::span<const double> virtual_right, PairsOf pairs) {
  const std::size_t count_a = virtual_left.size(), count_b = virtual_right.size();
  const std::size_t row = right.energies.size() * count_b;
  check(integrals.size(), left.energies.size() * count_a * row, "integrals");
  if (pairs == PairsOf::one_spin) check(count_b, count_a, "virtual orbitals of the right side");
  PairEnergies energies{0, 0};
  for (std::size_t i = 0; i < left.energies.size(); ++i) {
    for (std::size_t j = 0; j < right.energies.size(); ++j) {
      const int order = left.first + static_cast<int>(i) - right.first - static_cast<int>(j);
      if (pairs == PairsOf::one_spin && order < 0) continue;
      const double weight = pairs == PairsOf::one_spin && order > 0 ? 2.0 : 1.0;
      const Pair pair{integrals.data() + i * count_a * row + j * count_b,
                      static_cast<std::ptrdiff_t>(row), left.energies[i] + right.energies[j],
                      virtual_left.data(), virtual_right.data()};
      Sums sums;
      if (pairs == PairsOf::two_spins)
        add_squares(pair, static_cast<int>(count_a), static_cast<int>(count_b), sums);
      else
        add_with_exchange(pair, static_cast<int>(count_a), sums);
      const double squares = Sums::total(sums.squares), crossed = Sums::total(sums.crossed);
      energies.opposite += weight * squares;
      if (pairs == PairsOf::one_spin) energies.same += weight * (squares - crossed);
    }
  }
  return energies;
}

}  // namespace lagoon::atoll::chem

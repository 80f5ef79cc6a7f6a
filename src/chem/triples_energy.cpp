// Each i >= j >= k stands for its six orders: their W are read once, and one division serves all.
// Lanes are orbitals a, so whatever the order of i, j and k, what is read lies side by side.
#include "triples_energy.hpp"

#include "lanes.hpp"
#include "triples_products.hpp"
#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

/// Where the six orders of three occupied orbitals are, in that of their names.
struct Orders {
  std::ptrdiff_t ijk, jki, kij, jik, ikj, kji;
};

/// r(W) of the six orders.
struct Contrasted {
  Lanes ijk, jki, kij, jik, ikj, kji;
};

template <int vectors>
class EnergyLoop {
 public:
  [[gnu::always_inline]] explicit EnergyLoop(const TriplesTerms& terms) : t_(terms) {}

  [[gnu::always_inline]] void run() {
    const double* e = t_.occupied_energies;
    for (int i = 0; i < t_.occupied; ++i)
      for (int j = 0; j <= i; ++j)
        for (int k = 0; k <= j; ++k) {
          if (i == k) continue;  // r(W) is zero
          // Where two are the same, the six orders are three, each met twice.
          const double weight = i == j || j == k ? 0.5 : 1.0;
          add(i, j, k, weight, e[i] + e[j] + e[k]);
        }
  }

  [[gnu::always_inline]] void store(TriplesSums* sums) const {
    for (int v = 0; v < vectors; ++v)
      for (int lane = 0; lane < width_of_lanes; ++lane)
        sums[v * width_of_lanes + lane] = {connected_[v][lane], disconnected_[v][lane]};
  }

 private:
  [[gnu::always_inline]] void add(int i, int j, int k, double weight, double energy) {
    const Orders at{at3(i, j, k), at3(j, k, i), at3(k, i, j),
                    at3(j, i, k), at3(i, k, j), at3(k, j, i)};
    const Lanes weights = {weight, weight, weight, weight};
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      Contrasted z;
      Lanes squares, rest = {};
      contrast(at, v, z, squares);
      add_of_a(i, j, k, v, z, rest);
      add_of_b(i, j, k, v, z, rest);
      add_of_c(i, j, k, v, z, rest);
      const Lanes factor = weights / (energy - as_lanes(t_.virtual_energies)[v]);
      connected_[v] += factor * squares;
      disconnected_[v] += factor * rest;
    }
  }

  // Results by reference: GCC warns of vectors that functions give back.

  /// r(W), and the sum of W r(W), of the six orders.
  [[gnu::always_inline]] void contrast(const Orders& at, int v, Contrasted& z,
                                       Lanes& squares) const {
    const Lanes* w = as_lanes(t_.w) + v;
    const Lanes ijk = w[at.ijk], jki = w[at.jki], kij = w[at.kij];
    const Lanes jik = w[at.jik], ikj = w[at.ikj], kji = w[at.kji];
    const Lanes even = ijk + jki + kij, odd = jik + ikj + kji;
    const Lanes even_rest = even - 2.0 * odd, odd_rest = odd - 2.0 * even;
    z = {3.0 * ijk + even_rest, 3.0 * jki + even_rest, 3.0 * kij + even_rest,
         3.0 * jik + odd_rest,  3.0 * ikj + odd_rest,  3.0 * kji + odd_rest};
    squares = ijk * z.ijk + jki * z.jki + kij * z.kij + jik * z.jik + ikj * z.ikj + kji * z.kji;
  }

  /// t_ia (jb|kc) r(W)_ijk, of all orders.
  [[gnu::always_inline]] void add_of_a(int i, int j, int k, int v, const Contrasted& z,
                                       Lanes& sum) const {
    const Lanes* t = as_lanes(t_.singles_a) + v;
    const auto g = [&](int left, int right) { return t_.integrals_bc[left * t_.row + right]; };
    sum += t[i * vectors] * (g(j, k) * z.ijk + g(k, j) * z.ikj) +
           t[j * vectors] * (g(i, k) * z.jik + g(k, i) * z.jki) +
           t[k * vectors] * (g(i, j) * z.kij + g(j, i) * z.kji);
  }

  /// t_jb (ia|kc) r(W)_ijk.
  [[gnu::always_inline]] void add_of_b(int i, int j, int k, int v, const Contrasted& z,
                                       Lanes& sum) const {
    const double* t = t_.singles_b;
    const Lanes* g = as_lanes(t_.integrals_ac) + v;
    sum += t[i] * (g[at2(j, k)] * z.jik + g[at2(k, j)] * z.kij) +
           t[j] * (g[at2(i, k)] * z.ijk + g[at2(k, i)] * z.kji) +
           t[k] * (g[at2(i, j)] * z.ikj + g[at2(j, i)] * z.jki);
  }

  /// t_kc (ia|jb) r(W)_ijk.
  [[gnu::always_inline]] void add_of_c(int i, int j, int k, int v, const Contrasted& z,
                                       Lanes& sum) const {
    const double* t = t_.singles_c;
    const Lanes* g = as_lanes(t_.integrals_ab) + v;
    sum += t[i] * (g[at2(j, k)] * z.jki + g[at2(k, j)] * z.kji) +
           t[j] * (g[at2(i, k)] * z.ikj + g[at2(k, i)] * z.kij) +
           t[k] * (g[at2(i, j)] * z.ijk + g[at2(j, i)] * z.jik);
  }

  [[gnu::always_inline]] std::ptrdiff_t at2(int i, int j) const {
    return (i * t_.row + j) * vectors;
  }
  [[gnu::always_inline]] std::ptrdiff_t at3(int i, int j, int k) const {
    const std::ptrdiff_t o = t_.occupied;
    return ((i * o + j) * o + k) * vectors;
  }

  const TriplesTerms t_;
  Lanes connected_[vectors] = {}, disconnected_[vectors] = {};
};

ATOLL_EACH_PROCESSOR void energy_of_two_vectors(const TriplesTerms& terms, TriplesSums* sums) {
  EnergyLoop<2> loop(terms);
  loop.run();
  loop.store(sums);
}

ATOLL_EACH_PROCESSOR void energy_of_one_vector(const TriplesTerms& terms, TriplesSums* sums) {
  EnergyLoop<1> loop(terms);
  loop.run();
  loop.store(sums);
}

}  // namespace

void triples_energy(const TriplesTerms& terms, int lanes, TriplesSums* sums) {
  if (lanes == triples_lanes)
    energy_of_two_vectors(terms, sums);
  else
    energy_of_one_vector(terms, sums);
}

}  // namespace lagoon::atoll::chem

// Lanes are orbitals c: whatever the order of i, j and k, what is read lies side by side.
#include "open_triples_energy.hpp"

#include <algorithm>
#include <cstddef>

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

using Index = std::ptrdiff_t;

constexpr Index eight = 8, four = 4;

/// Where the pairs of j with smaller orbitals begin.
[[gnu::always_inline]] inline Index pairs_of(Index j) { return j * (j - 1) / 2; }

/// Numbers of one i, j, k for each lane.
template <Index width>
using Lane = double[width];

/// Sums of one b and of as many c as go together.
template <Index width>
class Sums {
 public:
  [[gnu::always_inline]] void add(const Lane<width>& w, const Lane<width>& v, double energy,
                                  const double* energies_c) {
    for (Index l = 0; l < width; ++l) {
      const double amplitude = w[l] / (energy - energies_c[l]);
      connected_[l] += w[l] * amplitude;
      disconnected_[l] += v[l] * amplitude;
    }
  }

  [[gnu::always_inline]] void add_to(OpenTriplesSums& sums, Index lanes) const {
    for (Index l = 0; l < std::min(lanes, width); ++l) {
      sums.connected += connected_[l];
      sums.disconnected += disconnected_[l];
    }
  }

 private:
  Lane<width> connected_ = {}, disconnected_ = {};
};

/// result += scale x
template <Index width>
[[gnu::always_inline]] inline void add(double scale, const double* x, Lane<width>& result) {
  for (Index l = 0; l < width; ++l) result[l] += scale * x[l];
}

/// Singles and partners of one kind, b, and lanes of c.
struct Kind {
  Index o, occupied_c, lanes;
  const double *a, *b, *c;
  const double *bc, *ac, *ab;

  [[gnu::always_inline]] Kind(const OpenTriplesTerms& t, Index kind, Index of_b, Index first)
      : o(t.occupied), occupied_c(t.occupied_c), lanes(t.lanes) {
    const Index kind_b = kind * t.count_b + of_b;
    a = t.singles_a + kind * o;
    b = t.singles_b + kind_b * o;
    c = t.singles_c + kind * occupied_c * lanes + first;
    bc = t.partners_bc + kind_b * o * occupied_c * lanes + first;
    ac = t.partners_ac + kind * o * occupied_c * lanes + first;
    ab = t.partners_ab + kind_b * o * o;
  }

  /// Adds `sign` (t_ia P_jk,bc - t_ib P_jk,ac), with k of the spin of c.
  template <Index width>
  [[gnu::always_inline]] void add_mixed(Index i, Index j, Index k, double sign,
                                        Lane<width>& v) const {
    const Index at = (j * occupied_c + k) * lanes;
    add<width>(sign * a[i], bc + at, v);
    add<width>(-sign * b[i], ac + at, v);
  }

  /// Adds `sign` t_kc P_ij,ab.
  template <Index width>
  [[gnu::always_inline]] void add_of_c(Index i, Index j, Index k, double sign,
                                       Lane<width>& v) const {
    add<width>(sign * ab[i * o + j], c + k * lanes, v);
  }
};

template <Index width>
class SameSpinLoop {
 public:
  [[gnu::always_inline]] SameSpinLoop(const OpenTriplesTerms& terms,
                                      const SameSpinProducts& products)
      : t_(terms), x_(products), o_(terms.occupied), pairs_(pairs_of(o_)) {}

  [[gnu::always_inline]] void run(OpenTriplesSums& sums) const {
    for (Index b = 0; b < t_.count_b; ++b) {
      const Index end = x_.same_bc ? std::min<Index>(b, t_.count_c) : t_.count_c;
      for (Index first = 0; first < end; first += width) {
        Sums<width> some;
        add_lanes(b, first, some);
        some.add_to(sums, end - first);
      }
    }
  }

 private:
  [[gnu::always_inline]] void add_lanes(Index b, Index first, Sums<width>& sums) const {
    const Kind singles(t_, 0, b, first), fock(t_, t_.kinds - 1, b, first);
    const double* e = t_.occupied_energies;
    const double energy = -t_.energy_a - t_.energies_b[b];
    for (Index k = 2; k < o_; ++k)
      for (Index j = 1; j < k; ++j)
        for (Index i = 0; i < j; ++i) {
          Lane<width> w = {}, v = {};
          add_product(pairs_of(k) + j, i, b, first, 1, w);
          add_product(pairs_of(k) + i, j, b, first, -1, w);
          add_product(pairs_of(j) + i, k, b, first, 1, w);
          add_singles(singles, i, j, k, v);
          if (t_.kinds == 2) add_singles(fock, i, j, k, v);
          sums.add(w, v, energy + e[i] + e[j] + e[k], t_.energies_c + first);
        }
  }

  /// The sum over cyclic a, b and c for a pair of occupied orbitals and a third.
  [[gnu::always_inline]] void add_product(Index pair, Index third, Index b, Index first,
                                          double sign, Lane<width>& w) const {
    const double* of_a = x_.a + ((pair * t_.count_b + b) * o_ + third) * t_.lanes + first;
    const double* of_b = x_.b + ((b * pairs_ + pair) * o_ + third) * t_.lanes + first;
    const double* of_c = x_.c + ((b * o_ + third) * pairs_ + pair) * t_.lanes + first;
    for (Index l = 0; l < width; ++l) w[l] += sign * (of_a[l] - of_b[l] + of_c[l]);
  }

  [[gnu::always_inline]] void add_singles(const Kind& kind, Index i, Index j, Index k,
                                          Lane<width>& v) const {
    kind.add_mixed<width>(i, j, k, 1, v);
    kind.add_mixed<width>(j, i, k, -1, v);
    kind.add_mixed<width>(k, i, j, 1, v);
    kind.add_of_c<width>(j, k, i, 1, v);
    kind.add_of_c<width>(i, k, j, -1, v);
    kind.add_of_c<width>(i, j, k, 1, v);
  }

  const OpenTriplesTerms t_;
  const SameSpinProducts x_;
  const Index o_, pairs_;
};

template <Index width>
class MixedSpinLoop {
 public:
  [[gnu::always_inline]] MixedSpinLoop(const OpenTriplesTerms& terms,
                                       const MixedSpinProducts& products)
      : t_(terms),
        x_(products),
        o_(terms.occupied),
        occupied_c_(terms.occupied_c),
        pairs_(pairs_of(o_)) {}

  [[gnu::always_inline]] void run(OpenTriplesSums& sums) const {
    for (Index b = 0; b < t_.count_b; ++b)
      for (Index first = 0; first < t_.count_c; first += width) {
        Sums<width> some;
        add_lanes(b, first, some);
        some.add_to(sums, t_.count_c - first);
      }
  }

 private:
  [[gnu::always_inline]] void add_lanes(Index b, Index first, Sums<width>& sums) const {
    const Kind singles(t_, 0, b, first), fock(t_, t_.kinds - 1, b, first);
    const double* e = t_.occupied_energies;
    const double energy = -t_.energy_a - t_.energies_b[b];
    for (Index j = 1; j < o_; ++j)
      for (Index i = 0; i < j; ++i)
        for (Index k = 0; k < occupied_c_; ++k) {
          Lane<width> w = {}, v = {};
          add_product(j, k, i, b, first, 1, w);
          add_product(i, k, j, b, first, -1, w);
          add_product_of_pair(pairs_of(j) + i, k, b, first, w);
          add_singles(singles, i, j, k, v);
          if (t_.kinds == 2) add_singles(fock, i, j, k, v);
          sums.add(w, v, energy + e[i] + e[j] + t_.occupied_energies_c[k], t_.energies_c + first);
        }
  }

  [[gnu::always_inline]] void add_product(Index j, Index k, Index i, Index b, Index first,
                                          double sign, Lane<width>& w) const {
    const Index both = o_ * occupied_c_, jk = j * occupied_c_ + k;
    const double* of_a = x_.a + ((jk * t_.count_b + b) * o_ + i) * t_.lanes + first;
    const double* of_b = x_.b + ((b * both + jk) * o_ + i) * t_.lanes + first;
    const double* of_c = x_.c + ((b * o_ + i) * both + jk) * t_.lanes + first;
    for (Index l = 0; l < width; ++l) w[l] += sign * (of_a[l] - of_b[l] + of_c[l]);
  }

  [[gnu::always_inline]] void add_product_of_pair(Index pair, Index k, Index b, Index first,
                                                  Lane<width>& w) const {
    const double* of_a =
        x_.pairs_a + ((pair * t_.count_b + b) * occupied_c_ + k) * t_.lanes + first;
    const double* of_b = x_.pairs_b + ((b * pairs_ + pair) * occupied_c_ + k) * t_.lanes + first;
    for (Index l = 0; l < width; ++l) w[l] += of_a[l] - of_b[l];
  }

  [[gnu::always_inline]] void add_singles(const Kind& kind, Index i, Index j, Index k,
                                          Lane<width>& v) const {
    kind.add_mixed<width>(i, j, k, 1, v);
    kind.add_mixed<width>(j, i, k, -1, v);
    kind.add_of_c<width>(i, j, k, 1, v);
  }

  const OpenTriplesTerms t_;
  const MixedSpinProducts x_;
  const Index o_, occupied_c_, pairs_;
};

ATOLL_EACH_PROCESSOR void same_spin_of_eight(const OpenTriplesTerms& terms,
                                             const SameSpinProducts& products,
                                             OpenTriplesSums& sums) {
  SameSpinLoop<eight>(terms, products).run(sums);
}

ATOLL_EACH_PROCESSOR void same_spin_of_four(const OpenTriplesTerms& terms,
                                            const SameSpinProducts& products,
                                            OpenTriplesSums& sums) {
  SameSpinLoop<four>(terms, products).run(sums);
}

ATOLL_EACH_PROCESSOR void mixed_spin_of_eight(const OpenTriplesTerms& terms,
                                              const MixedSpinProducts& products,
                                              OpenTriplesSums& sums) {
  MixedSpinLoop<eight>(terms, products).run(sums);
}

ATOLL_EACH_PROCESSOR void mixed_spin_of_four(const OpenTriplesTerms& terms,
                                             const MixedSpinProducts& products,
                                             OpenTriplesSums& sums) {
  MixedSpinLoop<four>(terms, products).run(sums);
}

}  // namespace

OpenTriplesSums open_triples_energy(const OpenTriplesTerms& terms,
                                    const SameSpinProducts& products) {
  OpenTriplesSums sums;
  (terms.lanes == four ? same_spin_of_four : same_spin_of_eight)(terms, products, sums);
  return sums;
}

OpenTriplesSums open_triples_energy(const OpenTriplesTerms& terms,
                                    const MixedSpinProducts& products) {
  OpenTriplesSums sums;
  (terms.lanes == four ? mixed_spin_of_four : mixed_spin_of_eight)(terms, products, sums);
  return sums;
}

}  // namespace lagoon::atoll::chem

// Inner loops run over i < j, with all that they read side by side: hence the transposed copies.
// Sums are kept apart for each i, so that the loops are compiled to vectors.
#include "open_triples_energy.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

using Numbers = std::vector<double>;
using Index = std::ptrdiff_t;

std::size_t as_size(Index count) { return static_cast<std::size_t>(count); }

/// Where the pairs of j with smaller orbitals begin.
Index pairs_of(Index j) { return j * (j - 1) / 2; }

/// One orbital's singles of one kind, and what they are multiplied with.
struct Single {
  const double* single;
  const double* partner;
  double sign;
};

/// The sums of each i.
class Sums {
 public:
  explicit Sums(Index occupied) : connected_(as_size(occupied)), disconnected_(as_size(occupied)) {}

  double* connected() { return connected_.data(); }
  double* disconnected() { return disconnected_.data(); }

  OpenTriplesSums total() const {
    return {std::accumulate(connected_.begin(), connected_.end(), 0.0),
            std::accumulate(disconnected_.begin(), disconnected_.end(), 0.0)};
  }

 private:
  Numbers connected_, disconnected_;
};

void transpose(const double* rows, Index count, Index length, double* result) {
  constexpr Index block = 8;
  for (Index first = 0; first < count; first += block)
    for (Index column = 0; column < length; ++column)
      for (Index row = first; row < std::min(first + block, count); ++row)
        result[column * count + row] = rows[row * length + column];
}

/// Adds to the sums for i < count, where `energy` is that of the other orbitals.
ATOLL_EACH_PROCESSOR void add_energies(Index count, const double* __restrict w,
                                       const double* __restrict v,
                                       const double* __restrict occupied_energies, double energy,
                                       double* __restrict connected,
                                       double* __restrict disconnected) {
  for (Index i = 0; i < count; ++i) {
    const double amplitude = w[i] / (occupied_energies[i] + energy);
    connected[i] += w[i] * amplitude;
    disconnected[i] += v[i] * amplitude;
  }
}

/// result_i = x_i + y_i - z_i
ATOLL_EACH_PROCESSOR void combine(Index count, const double* __restrict x,
                                  const double* __restrict y, const double* __restrict z,
                                  double* __restrict result) {
  for (Index i = 0; i < count; ++i) result[i] = x[i] + y[i] - z[i];
}

/// result_i += scale x_i
ATOLL_EACH_PROCESSOR void add(Index count, double scale, const double* __restrict x,
                              double* __restrict result) {
  for (Index i = 0; i < count; ++i) result[i] += scale * x[i];
}

/// Copies partner_ij, at i * row + offset + j, of the pairs i < j.
void pack_pairs(const double* rows, Index row, Index offset, Index occupied, double* result) {
  for (Index j = 1; j < occupied; ++j)
    for (Index i = 0; i < j; ++i) result[pairs_of(j) + i] = rows[i * row + offset + j];
}

class SameSpinLoop {
 public:
  explicit SameSpinLoop(const SameSpinTriples& terms)
      : t_(terms),
        o_(terms.occupied),
        pairs_(pairs_of(o_)),
        row_(terms.virtuals + 2 * o_),
        by_pair_(as_size(pairs_ * o_)),
        by_orbital_(as_size(pairs_ * o_)),
        packed_(as_size(3 * terms.singles.kinds * pairs_)),
        w_(as_size(o_)),
        v_(as_size(o_)),
        sums_(o_) {}

  OpenTriplesSums run() {
    for (Index b = 0; b < t_.count_b; ++b) {
      const Index end = t_.same_bc ? b : t_.count_c;
      for (Index c = 0; c < end; ++c) {
        gather_products(b, c);
        gather_singles(b, c);
        add_pair(t_.energy_a + t_.energies_b[b] + t_.energies_c[c]);
      }
    }
    return sums_.total();
  }

 private:
  /// The sum over cyclic a, b, c; of pairs j, k and i, both ways.
  void gather_products(Index b, Index c) {
    const Index nb = t_.count_b, nc = t_.count_c;
    for (Index pair = 0; pair < pairs_; ++pair)
      combine(o_, t_.products_a + ((pair * nb + b) * nc + c) * o_,
              t_.products_c + ((c * pairs_ + pair) * nb + b) * o_,
              t_.products_b + ((b * pairs_ + pair) * nc + c) * o_, &by_pair_[as_size(pair * o_)]);
    transpose(by_pair_.data(), pairs_, o_, by_orbital_.data());
  }

  void gather_singles(Index b, Index c) {
    const OpenSingles& s = t_.singles;
    singles_.clear();
    for (Index kind = 0; kind < s.kinds; ++kind) {
      // Amplitudes lie before the integrals, with the opposite sign (triples of one spin).
      const Index offset = t_.virtuals + (kind == 0 ? o_ : 0);
      const double sign = kind == 0 ? 1 : -1;
      const double* singles[] = {s.a + kind * o_, s.b + (kind * t_.count_b + b) * o_,
                                 s.c + (kind * t_.count_c + c) * o_};
      const double* rights[] = {t_.right_bc + (b * t_.count_c + c) * o_ * row_,
                                t_.right_ac + c * o_ * row_, t_.right_ab + b * o_ * row_};
      const double signs[] = {sign, -sign, sign};
      for (std::size_t which = 0; which < 3; ++which) {
        double* packed = &packed_[singles_.size() * as_size(pairs_)];
        pack_pairs(rights[which], row_, offset, o_, packed);
        singles_.push_back({singles[which], packed, signs[which]});
      }
    }
  }

  /// W_ijk = X_jk,i - X_ik,j + X_ij,k of all i < j < k, and V in the same way.
  void add_pair(double energy) {
    for (Index k = 2; k < o_; ++k)
      for (Index j = 1; j < k; ++j) {
        const double *of_j = &by_orbital_[as_size(j * pairs_ + pairs_of(k))],
                     *of_k = &by_orbital_[as_size(k * pairs_ + pairs_of(j))];
        combine(j, &by_pair_[as_size((pairs_of(k) + j) * o_)], of_k, of_j, w_.data());
        std::fill_n(v_.begin(), j, 0.0);
        for (const Single& x : singles_) {
          add(j, x.sign * x.partner[pairs_of(k) + j], x.single, v_.data());
          add(j, -x.sign * x.single[j], x.partner + pairs_of(k), v_.data());
          add(j, x.sign * x.single[k], x.partner + pairs_of(j), v_.data());
        }
        add_energies(j, w_.data(), v_.data(), t_.occupied_energies,
                     t_.occupied_energies[j] + t_.occupied_energies[k] - energy, sums_.connected(),
                     sums_.disconnected());
      }
  }

  const SameSpinTriples& t_;
  const Index o_, pairs_, row_;
  Numbers by_pair_, by_orbital_, packed_, w_, v_;
  std::vector<Single> singles_;
  Sums sums_;
};

class MixedSpinLoop {
 public:
  explicit MixedSpinLoop(const MixedSpinTriples& terms)
      : t_(terms),
        o_(terms.occupied),
        others_(terms.other_occupied),
        pairs_(pairs_of(o_)),
        row_(terms.virtuals + 2 * o_),
        other_row_(terms.other_virtuals + 2 * others_),
        of_pairs_(as_size(pairs_ * others_)),
        of_others_(as_size(pairs_ * others_)),
        mixed_(as_size(o_ * o_)),
        transposed_(as_size(o_ * o_)),
        packed_(as_size(terms.singles.kinds * pairs_)),
        columns_(as_size(2 * terms.singles.kinds * o_)),
        w_(as_size(o_)),
        v_(as_size(o_)),
        sums_(o_) {}

  OpenTriplesSums run() {
    for (Index b = 0; b < t_.count_b; ++b)
      for (Index c = 0; c < t_.count_c; ++c) {
        gather_pairs(b, c);
        const double energy = t_.energy_a + t_.energies_b[b] + t_.energies_c[c];
        for (Index k = 0; k < others_; ++k) {
          gather_mixed(b, c, k);
          gather_singles(b, c, k);
          add_orbital(k, c, t_.other_energies[k] - energy);
        }
      }
    return sums_.total();
  }

 private:
  /// What has i and j as a pair.
  void gather_pairs(Index b, Index c) {
    const Index nb = t_.count_b, nc = t_.count_c;
    for (Index pair = 0; pair < pairs_; ++pair) {
      const double* of_a = t_.pairs_a + ((pair * nc + c) * nb + b) * others_;
      const double* of_b = t_.pairs_b + ((b * pairs_ + pair) * nc + c) * others_;
      double* result = &of_pairs_[as_size(pair * others_)];
      for (Index k = 0; k < others_; ++k) result[k] = of_a[k] - of_b[k];
    }
    transpose(of_pairs_.data(), pairs_, others_, of_others_.data());
    for (Index kind = 0; kind < t_.singles.kinds; ++kind)
      pack_pairs(t_.right_ab + b * o_ * row_, row_, t_.virtuals + (kind == 0 ? o_ : 0), o_,
                 &packed_[as_size(kind * pairs_)]);
  }

  /// What has all i and j, of one k.
  void gather_mixed(Index b, Index c, Index k) {
    const Index nb = t_.count_b, nc = t_.count_c, both = o_ * others_;
    for (Index j = 0; j < o_; ++j) {
      const Index jk = j * others_ + k, kj = k * o_ + j;
      combine(o_, t_.mixed_a + ((jk * nb + b) * nc + c) * o_,
              t_.mixed_c + ((c * both + kj) * nb + b) * o_,
              t_.mixed_b + ((b * both + jk) * nc + c) * o_, &mixed_[as_size(j * o_)]);
    }
    transpose(mixed_.data(), o_, o_, transposed_.data());
  }

  void gather_singles(Index b, Index c, Index k) {
    const OpenSingles& s = t_.singles;
    singles_.clear();
    for (Index kind = 0; kind < s.kinds; ++kind) {
      const Index offset = t_.other_virtuals + (kind == 0 ? others_ : 0) + k;
      const double* of_b = t_.right_bc + (b * t_.count_c + c) * o_ * other_row_ + offset;
      const double* of_a = t_.right_ac + c * o_ * other_row_ + offset;
      double* with_a = &columns_[as_size(2 * kind * o_)];
      double* with_b = with_a + o_;
      for (Index j = 0; j < o_; ++j) {
        with_a[j] = of_b[j * other_row_];
        with_b[j] = of_a[j * other_row_];
      }
      singles_.push_back({s.a + kind * o_, with_a, 1});
      singles_.push_back({s.b + (kind * t_.count_b + b) * o_, with_b, -1});
    }
  }

  /// W_ijk = X_jk,i - X_ik,j + Y_ij,k of all i < j, and V in the same way.
  void add_orbital(Index k, Index c, double energy) {
    const OpenSingles& s = t_.singles;
    for (Index j = 1; j < o_; ++j) {
      combine(j, &mixed_[as_size(j * o_)], &of_others_[as_size(k * pairs_ + pairs_of(j))],
              &transposed_[as_size(j * o_)], w_.data());
      std::fill_n(v_.begin(), j, 0.0);
      for (const Single& x : singles_) {
        add(j, x.sign * x.partner[j], x.single, v_.data());
        add(j, -x.sign * x.single[j], x.partner, v_.data());
      }
      for (Index kind = 0; kind < s.kinds; ++kind)
        add(j, (kind == 0 ? 1 : -1) * s.c[(kind * t_.count_c + c) * others_ + k],
            &packed_[as_size(kind * pairs_ + pairs_of(j))], v_.data());
      add_energies(j, w_.data(), v_.data(), t_.occupied_energies, t_.occupied_energies[j] + energy,
                   sums_.connected(), sums_.disconnected());
    }
  }

  const MixedSpinTriples& t_;
  const Index o_, others_, pairs_, row_, other_row_;
  Numbers of_pairs_, of_others_, mixed_, transposed_, packed_, columns_, w_, v_;
  std::vector<Single> singles_;
  Sums sums_;
};

}  // namespace

OpenTriplesSums open_triples_energy(const SameSpinTriples& terms) {
  if (terms.occupied < 3) return {};
  return SameSpinLoop(terms).run();
}

OpenTriplesSums open_triples_energy(const MixedSpinTriples& terms) {
  if (terms.occupied < 2) return {};
  return MixedSpinLoop(terms).run();
}

}  // namespace lagoon::atoll::chem

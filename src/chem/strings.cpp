// Slater's and Condon's rules, by bits.
#include "strings.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "world/processors.hpp"

namespace lagoon::atoll::chem {

namespace {

String bit(int orbital) { return String{1} << orbital; }

/// The sign of a+_k a_l on a string that has l and not k: electrons between them are passed.
int sign_of(String from, int k, int l) {
  const auto [low, high] = std::minmax(k, l);
  const String between = (bit(high) - 1) & ~((bit(low) << 1) - 1);
  return (std::popcount(from & between) & 1) != 0 ? -1 : 1;
}

/// Calls `f` with each orbital of a string.
template <class F>
void for_each_orbital(String string, F&& f) {
  for (; string != 0; string &= string - 1) f(std::countr_zero(string));
}

/// Numbers of the strings in `from` that differ from `to` in at most `limit` bits.
ATOLL_EACH_PROCESSOR void find_near(String to, std::span<const String> from, int limit,
                                    std::vector<std::int32_t>& found) {
  found.clear();
  for (std::size_t number = 0; number < from.size(); ++number)
    if (std::popcount(to ^ from[number]) <= limit) found.push_back(static_cast<int>(number));
}

/// Matrix elements of one spin and of both.
class SlaterElements {
 public:
  explicit SlaterElements(const MolecularIntegrals& integrals)
      : integrals_(integrals), n_(static_cast<std::size_t>(integrals.orbitals)) {}

  /// Of strings that differ in four bits at most.
  double same_spin(String to, String from) const {
    const String gone = from & ~to, come = to & ~from;
    if (gone == 0) return diagonal(to);
    const int l = std::countr_zero(gone), k = std::countr_zero(come);
    if ((gone & (gone - 1)) == 0) return sign_of(from, k, l) * mean_field(k, l, to & from);
    const int l2 = std::countr_zero(gone & (gone - 1)), k2 = std::countr_zero(come & (come - 1));
    const int sign = sign_of(from, k, l) * sign_of((from ^ bit(l)) | bit(k), k2, l2);
    return sign * (two(k, l, k2, l2) - two(k, l2, k2, l));
  }

  /// Of strings of each spin that differ in two bits at most.
  double opposite_spins(String to_a, String from_a, String to_b, String from_b) const {
    double sum = 0;
    for_each_transition(to_a, from_a, [&](int k, int l, int sign_a) {
      for_each_transition(to_b, from_b, [&](int i, int j, int sign_b) {
        sum += sign_a * sign_b * two(k, l, i, j);
      });
    });
    return sum;
  }

 private:
  double one(int k, int l) const {
    return integrals_.one[static_cast<std::size_t>(k) * n_ + static_cast<std::size_t>(l)];
  }

  double two(int k, int l, int i, int j) const {
    const auto pair = [this](int p, int q) {
      return static_cast<std::size_t>(p) * n_ + static_cast<std::size_t>(q);
    };
    return integrals_.two[pair(k, l) * n_ * n_ + pair(i, j)];
  }

  double mean_field(int k, int l, String others) const {
    double sum = one(k, l);
    for_each_orbital(others, [&](int j) { sum += two(k, l, j, j) - two(k, j, j, l); });
    return sum;
  }

  double diagonal(String string) const {
    double sum = 0;
    for_each_orbital(string, [&](int k) { sum += (one(k, k) + mean_field(k, k, string)) / 2; });
    return sum;
  }

  template <class F>
  static void for_each_transition(String to, String from, F&& f) {
    if (to == from) {
      for_each_orbital(to, [&](int k) { f(k, k, 1); });
      return;
    }
    const int k = std::countr_zero(to & ~from), l = std::countr_zero(from & ~to);
    f(k, l, sign_of(from, k, l));
  }

  MolecularIntegrals integrals_;
  std::size_t n_;
};

}  // namespace

Singles singles(std::span<const String> to, std::span<const String> from, int orbitals) {
  Singles table;
  std::vector<std::int32_t> found;
  for (std::size_t row = 0; row < to.size(); ++row) {
    find_near(to[row], from, 2, found);
    for (const std::int32_t number : found) {
      const String string = from[static_cast<std::size_t>(number)];
      const auto add = [&](int k, int l, int sign) {
        table.to.push_back(static_cast<int>(row));
        table.from.push_back(number);
        table.pair.push_back(k * orbitals + l);
        table.sign.push_back(static_cast<std::int8_t>(sign));
      };
      if (string == to[row]) {
        for_each_orbital(string, [&](int k) { add(k, k, 1); });
      } else {
        const int k = std::countr_zero(to[row] & ~string), l = std::countr_zero(string & ~to[row]);
        add(k, l, sign_of(string, k, l));
      }
    }
  }
  return table;
}

SparseMatrix same_spin(std::span<const String> to, std::span<const String> from,
                       const MolecularIntegrals& integrals) {
  const SlaterElements elements(integrals);
  SparseMatrix matrix;
  matrix.starts.push_back(0);
  std::vector<std::int32_t> found;
  for (const String string : to) {
    find_near(string, from, 4, found);
    for (const std::int32_t number : found) {
      matrix.columns.push_back(number);
      matrix.values.push_back(elements.same_spin(string, from[static_cast<std::size_t>(number)]));
    }
    matrix.starts.push_back(static_cast<std::int64_t>(matrix.columns.size()));
  }
  return matrix;
}

std::vector<double> determinant_matrix(std::span<const String> alpha, std::span<const String> beta,
                                       const MolecularIntegrals& integrals) {
  const SlaterElements elements(integrals);
  const std::size_t count = alpha.size();
  std::vector<double> matrix(count * count, 0.0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      const int bits_a = std::popcount(alpha[i] ^ alpha[j]);
      const int bits_b = std::popcount(beta[i] ^ beta[j]);
      if (bits_a + bits_b > 4) continue;
      double& element = matrix[i * count + j];
      if (bits_b == 0) element += elements.same_spin(alpha[i], alpha[j]);
      if (bits_a == 0) element += elements.same_spin(beta[i], beta[j]);
      if (bits_a <= 2 && bits_b <= 2)
        element += elements.opposite_spins(alpha[i], alpha[j], beta[i], beta[j]);
    }
  return matrix;
}

}  // namespace lagoon::atoll::chem

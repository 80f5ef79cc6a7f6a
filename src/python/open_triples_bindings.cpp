// Python's view of the energies of the (T) correction of open shells. Used by atoll.chem only.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "chem/open_triples_energy.hpp"

using namespace nb::literals;

namespace {

using lagoon::atoll::chem::MixedSpinTriples;
using lagoon::atoll::chem::open_triples_energy;
using lagoon::atoll::chem::OpenSingles;
using lagoon::atoll::chem::OpenTriplesSums;
using lagoon::atoll::chem::SameSpinTriples;

template <int Dimensions>
using Values = nb::ndarray<const double, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Three = std::tuple<Values<4>, Values<4>, Values<4>>;
using Five = std::tuple<Values<4>, Values<4>, Values<4>, Values<4>, Values<4>>;
using Rights = std::tuple<Values<4>, Values<3>, Values<3>>;
using Singles = std::tuple<Values<2>, Values<3>, Values<3>>;
using Energies = std::tuple<double, Values<1>, Values<1>>;

template <class Array>
void expect_shape(const Array& array, std::initializer_list<std::size_t> shape, const char* name) {
  std::string expected, found;
  bool same = true;
  std::size_t axis = 0;
  for (const std::size_t length : shape) {
    same = same && array.shape(axis) == length;
    expected += (axis > 0 ? " x " : "") + std::to_string(length);
    found += (axis > 0 ? " x " : "") + std::to_string(array.shape(axis));
    ++axis;
  }
  if (!same)
    throw std::invalid_argument(std::string(name) + " has shape " + found + ", expected " +
                                expected);
}

std::size_t pairs_of(std::size_t occupied) { return occupied * (occupied - 1) / 2; }

/// The length of rows, less their `occupied` amplitudes and integrals.
int virtuals_of(std::size_t row, std::size_t occupied) {
  if (row <= 2 * occupied)
    throw std::invalid_argument("a row has length " + std::to_string(row) +
                                ", expected more than " + std::to_string(2 * occupied));
  return static_cast<int>(row - 2 * occupied);
}

OpenSingles singles_of(const Singles& singles, std::size_t occupied, std::size_t occupied_c,
                       std::size_t count_b, std::size_t count_c) {
  const auto& a = std::get<0>(singles);
  const auto& b = std::get<1>(singles);
  const auto& c = std::get<2>(singles);
  const std::size_t kinds = a.shape(0);
  if (kinds != 1 && kinds != 2)
    throw std::invalid_argument("singles are of " + std::to_string(kinds) +
                                " kinds, expected 1 or 2");
  expect_shape(a, {kinds, occupied}, "singles of a");
  expect_shape(b, {kinds, count_b, occupied}, "singles of b");
  expect_shape(c, {kinds, count_c, occupied_c}, "singles of c");
  return {static_cast<int>(kinds), a.data(), b.data(), c.data()};
}

template <class Terms>
std::pair<double, double> energy_of(const Terms& terms) {
  const nb::gil_scoped_release release;
  const OpenTriplesSums sums = open_triples_energy(terms);
  return {sums.connected, sums.disconnected};
}

std::pair<double, double> same_spin(const Three& products, const Rights& rights,
                                    const Singles& singles, const Values<1>& occupied_energies,
                                    const Energies& energies, bool same_bc) {
  const std::size_t o = occupied_energies.size();
  const auto& energies_b = std::get<1>(energies);
  const auto& energies_c = std::get<2>(energies);
  const std::size_t pairs = pairs_of(o), b = energies_b.size(), c = energies_c.size();
  const auto& [of_a, of_b, of_c] = products;
  expect_shape(of_a, {pairs, b, c, o}, "products of a");
  expect_shape(of_b, {b, pairs, c, o}, "products of b");
  expect_shape(of_c, {c, pairs, b, o}, "products of c");
  const auto& [bc, ac, ab] = rights;
  const std::size_t row = bc.shape(3);
  expect_shape(bc, {b, c, o, row}, "rights of bc");
  expect_shape(ac, {c, o, row}, "rights of ac");
  expect_shape(ab, {b, o, row}, "rights of ab");
  if (same_bc && c < b)
    throw std::invalid_argument("c has " + std::to_string(c) + " orbitals, expected those of b, " +
                                std::to_string(b));
  return energy_of(SameSpinTriples{static_cast<int>(o), virtuals_of(row, o), static_cast<int>(b),
                                   static_cast<int>(c), same_bc, of_a.data(), of_b.data(),
                                   of_c.data(), bc.data(), ac.data(), ab.data(),
                                   singles_of(singles, o, o, b, c), occupied_energies.data(),
                                   std::get<0>(energies), energies_b.data(), energies_c.data()});
}

std::pair<double, double> mixed_spin(const Five& products, const Rights& rights,
                                     const Singles& singles, const Values<1>& occupied_energies,
                                     const Values<1>& other_energies, const Energies& energies) {
  const std::size_t o = occupied_energies.size(), others = other_energies.size();
  const auto& energies_b = std::get<1>(energies);
  const auto& energies_c = std::get<2>(energies);
  const std::size_t pairs = pairs_of(o), b = energies_b.size(), c = energies_c.size();
  const auto& [mixed_a, mixed_b, pairs_a, pairs_b, mixed_c] = products;
  expect_shape(mixed_a, {o * others, b, c, o}, "mixed products of a");
  expect_shape(mixed_b, {b, o * others, c, o}, "mixed products of b");
  expect_shape(pairs_a, {pairs, c, b, others}, "products of pairs of a");
  expect_shape(pairs_b, {b, pairs, c, others}, "products of pairs of b");
  expect_shape(mixed_c, {c, others * o, b, o}, "mixed products of c");
  const auto& [bc, ac, ab] = rights;
  const std::size_t mixed_row = bc.shape(3), row = ab.shape(2);
  expect_shape(bc, {b, c, o, mixed_row}, "rights of bc");
  expect_shape(ac, {c, o, mixed_row}, "rights of ac");
  expect_shape(ab, {b, o, row}, "rights of ab");
  return energy_of(MixedSpinTriples{static_cast<int>(o),
                                    virtuals_of(row, o),
                                    static_cast<int>(others),
                                    virtuals_of(mixed_row, others),
                                    static_cast<int>(b),
                                    static_cast<int>(c),
                                    mixed_a.data(),
                                    mixed_b.data(),
                                    pairs_a.data(),
                                    pairs_b.data(),
                                    mixed_c.data(),
                                    bc.data(),
                                    ac.data(),
                                    ab.data(),
                                    singles_of(singles, o, others, b, c),
                                    occupied_energies.data(),
                                    other_energies.data(),
                                    std::get<0>(energies),
                                    energies_b.data(),
                                    energies_c.data()});
}

}  // namespace

void bind_open_triples(nb::module_& m) {
  m.def("same_spin_triples", &same_spin, "products"_a, "rights"_a, "singles"_a,
        "occupied_energies"_a, "energies"_a, "same_bc"_a,
        "[T] and what singles add to it, in hartree, of a virtual orbital a, some b and some c of\n"
        "one spin; `same_bc`: of c < b only. Products L[a] R[bc], L[b] R[ac] and L[c] R[ab] with\n"
        "p pairs of occupied orbitals: p, b, c, o; b, p, c, o; and c, p, b, o. Rights of bc, ac,\n"
        "ab: b, c, o, v + 2 o; c, o, v + 2 o; b, o, v + 2 o. Singles of a, b, c: one or two\n"
        "kinds, orbitals (of a: none), o. Energies of a, b, c. Raises ValueError for others.");
  m.def("mixed_spin_triples", &mixed_spin, "products"_a, "rights"_a, "singles"_a,
        "occupied_energies"_a, "other_energies"_a, "energies"_a,
        "As `same_spin_triples`, with c of the other spin, of O occupied and V virtual orbitals.\n"
        "Products: o O, b, c, o; b, o O, c, o; p, c, b, O; b, p, c, O; c, O o, b, o. Rights of\n"
        "bc, ac and ab: b, c, o, V + 2 O; c, o, V + 2 O; b, o, v + 2 o. Singles of c: O each.");
}

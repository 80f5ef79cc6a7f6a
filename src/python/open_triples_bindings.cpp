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

using lagoon::atoll::chem::MixedSpinProducts;
using lagoon::atoll::chem::open_triples_energy;
using lagoon::atoll::chem::OpenTriplesSums;
using lagoon::atoll::chem::OpenTriplesTerms;
using lagoon::atoll::chem::SameSpinProducts;

template <int Dimensions>
using Values = nb::ndarray<const double, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Three = std::tuple<Values<4>, Values<4>, Values<4>>;
using Five = std::tuple<Values<4>, Values<4>, Values<4>, Values<4>, Values<4>>;
using Singles = std::tuple<Values<2>, Values<3>, Values<3>>;
using Partners = std::tuple<Values<5>, Values<4>, Values<4>>;
using OccupiedEnergies = std::tuple<Values<1>, Values<1>>;
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

/// The lengths of axes.
struct Sizes {
  std::size_t o, occupied_c, b, lanes, kinds;

  std::size_t pairs() const { return o * (o - 1) / 2; }
};

Sizes sizes_of(const Singles& singles, const OccupiedEnergies& occupied_energies,
               const Energies& energies, std::size_t count_c) {
  const Sizes n{std::get<0>(occupied_energies).size(), std::get<1>(occupied_energies).size(),
                std::get<1>(energies).size(), std::get<2>(energies).size(),
                std::get<0>(singles).shape(0)};
  if (n.kinds != 1 && n.kinds != 2)
    throw std::invalid_argument("singles are of " + std::to_string(n.kinds) +
                                " kinds, expected 1 or 2");
  if (n.lanes < count_c || (n.lanes != 4 && n.lanes % 8 != 0))
    throw std::invalid_argument("there are " + std::to_string(n.lanes) + " lanes, expected " +
                                std::to_string(count_c) + " or more, 4 or a multiple of 8");
  return n;
}

OpenTriplesTerms terms_of(const Sizes& n, const Singles& singles, const Partners& partners,
                          const OccupiedEnergies& occupied_energies, const Energies& energies,
                          std::size_t count_c) {
  const auto& [singles_a, singles_b, singles_c] = singles;
  expect_shape(singles_a, {n.kinds, n.o}, "singles of a");
  expect_shape(singles_b, {n.kinds, n.b, n.o}, "singles of b");
  expect_shape(singles_c, {n.kinds, n.occupied_c, n.lanes}, "singles of c");
  const auto& [bc, ac, ab] = partners;
  expect_shape(bc, {n.kinds, n.b, n.o, n.occupied_c, n.lanes}, "partners of bc");
  expect_shape(ac, {n.kinds, n.o, n.occupied_c, n.lanes}, "partners of ac");
  expect_shape(ab, {n.kinds, n.b, n.o, n.o}, "partners of ab");
  const auto& [occupied, occupied_c] = occupied_energies;
  const auto& [energy_a, energies_b, energies_c] = energies;
  return {static_cast<int>(n.o),
          static_cast<int>(n.occupied_c),
          static_cast<int>(n.b),
          static_cast<int>(count_c),
          static_cast<int>(n.lanes),
          static_cast<int>(n.kinds),
          singles_a.data(),
          singles_b.data(),
          singles_c.data(),
          bc.data(),
          ac.data(),
          ab.data(),
          occupied.data(),
          occupied_c.data(),
          energy_a,
          energies_b.data(),
          energies_c.data()};
}

template <class Products>
std::pair<double, double> energy_of(const OpenTriplesTerms& terms, const Products& products) {
  const nb::gil_scoped_release release;
  const OpenTriplesSums sums = open_triples_energy(terms, products);
  return {sums.connected, sums.disconnected};
}

std::pair<double, double> same_spin(const Three& products, const Partners& partners,
                                    const Singles& singles,
                                    const OccupiedEnergies& occupied_energies,
                                    const Energies& energies, std::size_t count_c, bool same_bc) {
  const Sizes n = sizes_of(singles, occupied_energies, energies, count_c);
  if (n.occupied_c != n.o)
    throw std::invalid_argument("there are " + std::to_string(n.occupied_c) +
                                " occupied orbitals of c, expected " + std::to_string(n.o));
  const auto& [a, b, c] = products;
  expect_shape(a, {n.pairs(), n.b, n.o, n.lanes}, "products of a");
  expect_shape(b, {n.b, n.pairs(), n.o, n.lanes}, "products of b");
  expect_shape(c, {n.b, n.o, n.pairs(), n.lanes}, "products of c");
  return energy_of(terms_of(n, singles, partners, occupied_energies, energies, count_c),
                   SameSpinProducts{a.data(), b.data(), c.data(), same_bc});
}

std::pair<double, double> mixed_spin(const Five& products, const Partners& partners,
                                     const Singles& singles,
                                     const OccupiedEnergies& occupied_energies,
                                     const Energies& energies, std::size_t count_c) {
  const Sizes n = sizes_of(singles, occupied_energies, energies, count_c);
  const std::size_t both = n.o * n.occupied_c;
  const auto& [a, b, c, pairs_a, pairs_b] = products;
  expect_shape(a, {both, n.b, n.o, n.lanes}, "products of a");
  expect_shape(b, {n.b, both, n.o, n.lanes}, "products of b");
  expect_shape(c, {n.b, n.o, both, n.lanes}, "products of c");
  expect_shape(pairs_a, {n.pairs(), n.b, n.occupied_c, n.lanes}, "products of pairs of a");
  expect_shape(pairs_b, {n.b, n.pairs(), n.occupied_c, n.lanes}, "products of pairs of b");
  return energy_of(terms_of(n, singles, partners, occupied_energies, energies, count_c),
                   MixedSpinProducts{a.data(), b.data(), c.data(), pairs_a.data(), pairs_b.data()});
}

}  // namespace

void bind_open_triples(nb::module_& m) {
  m.def(
      "same_spin_triples", &same_spin, "products"_a, "partners"_a, "singles"_a,
      "occupied_energies"_a, "energies"_a, "count_c"_a, "same_bc"_a,
      "[T] and what singles add to it, in hartree, of a virtual orbital a, some b, and `count_c`\n"
      "orbitals c in n lanes, all of one spin; `same_bc`: of c < b only. Products of a, b and c,\n"
      "with p pairs of occupied orbitals: p, b, o, n; b, p, o, n; b, o, p, n. Partners of bc,\n"
      "ac, ab, of one or two kinds x: x, b, o, o, n; x, o, o, n; x, b, o, o. Singles of a, b,\n"
      "c: x, o; x, b, o; x, o, n. Energies of occupied orbitals, twice; of a, b and c. Raises\n"
      "ValueError for others.");
  m.def("mixed_spin_triples", &mixed_spin, "products"_a, "partners"_a, "singles"_a,
        "occupied_energies"_a, "energies"_a, "count_c"_a,
        "As `same_spin_triples`, with c of the other spin, of O occupied orbitals. Products of a,\n"
        "b, c: o O, b, o, n; b, o O, o, n; b, o, o O, n; of pairs of a and b: p, b, O, n; b, p,\n"
        "O, n. Partners of bc, ac, ab: x, b, o, O, n; x, o, O, n; x, b, o, o. Singles of c:\n"
        "x, O, n.");
}

// Python's view of the second-order energies of pairs (src/chem). Used by atoll.chem only.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <span>
#include <utility>

#include "bindings.hpp"
#include "chem/pair_energies.hpp"

using namespace nb::literals;

namespace {

using lagoon::atoll::chem::PairsOf;

template <int Dimensions>
using Numbers = nb::ndarray<const double, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto as_span(const Array& array) {
  return std::span(array.data(), array.size());
}

std::pair<double, double> pair_energies(const Numbers<2>& integrals, const Numbers<1>& occupied_i,
                                        int first_i, const Numbers<1>& occupied_j, int first_j,
                                        const Numbers<1>& virtual_a, const Numbers<1>& virtual_b,
                                        bool same_spin) {
  const nb::gil_scoped_release release;
  const PairsOf pairs = same_spin ? PairsOf::one_spin : PairsOf::two_spins;
  const auto energies = lagoon::atoll::chem::pair_energies(
      as_span(integrals), {as_span(occupied_i), first_i}, {as_span(occupied_j), first_j},
      as_span(virtual_a), as_span(virtual_b), pairs);
  return {energies.same, energies.opposite};
}

}  // namespace

void bind_pair_energies(nb::module_& m) {
  m.def(
      "pair_energies", &pair_energies, "integrals"_a, "occupied_i"_a, "first_i"_a, "occupied_j"_a,
      "first_j"_a, "virtual_a"_a, "virtual_b"_a, "same_spin"_a,
      "Second-order energies, of the same and of opposite spins, from integrals (ia|jb), a matrix\n"
      "of (ia) x (jb), of blocks of occupied orbitals that begin with `first_i` and `first_j`.\n"
      "Of one spin pairs with i < j are left out, and those with i > j count twice; of two the\n"
      "first number is 0. Raises ValueError for a matrix of another size.");
}

// Python's view of the kernel of the (T) correction (src/chem). Used by atoll.chem only.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <span>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "chem/triples_kernel.hpp"

using namespace nb::literals;

namespace {

using lagoon::atoll::chem::TriplesKernel;
using lagoon::atoll::chem::TriplesTask;
using lagoon::atoll::chem::TriplesTile;

template <int Dimensions>
using Numbers = nb::ndarray<const double, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Tile = std::tuple<Numbers<4>, Numbers<2>, Numbers<1>>;
using Patches = std::tuple<Numbers<4>, Numbers<4>, Numbers<4>, Numbers<4>, Numbers<4>, Numbers<4>>;

template <class Array>
std::span<const double> as_span(const Array& array) {
  return {array.data(), array.size()};
}

TriplesTile tile_of(const Tile& tile) {
  return {as_span(std::get<0>(tile)), as_span(std::get<1>(tile)), as_span(std::get<2>(tile))};
}

std::pair<double, double> energies(TriplesKernel& kernel, const Tile& a, const Tile& b,
                                   const Tile& c, const Patches& patches, bool same_ab,
                                   bool same_bc) {
  const TriplesTask task = std::apply(
      [&](const auto&... patch) {
        return TriplesTask{tile_of(a), tile_of(b), tile_of(c), as_span(patch)..., same_ab, same_bc};
      },
      patches);
  const nb::gil_scoped_release release;
  const auto found = kernel.energies(task);
  return {found.connected, found.disconnected};
}

}  // namespace

void bind_triples(nb::module_& m) {
  nb::class_<TriplesKernel>(m, "TriplesKernel",
                            "Energies of the (T) correction, by triples of tiles of virtual "
                            "orbitals.")
      .def(
          "__init__",
          [](TriplesKernel* self, const Numbers<1>& occupied_energies, int virtuals) {
            new (self) TriplesKernel(as_span(occupied_energies), virtuals);
          },
          "occupied_energies"_a, "virtuals"_a,
          "Takes the energies of the o occupied orbitals (hartree) and the number v of virtual "
          "ones.")
      .def(
          "energies", &energies, "a"_a, "b"_a, "c"_a, "patches"_a, "same_ab"_a, "same_bc"_a,
          "[T] and what singles add to it, in hartree, of virtual orbitals of three tiles. A tile\n"
          "of x orbitals is t_kj^xd beside -(xk|jl), x, o, o, v + o; t_ix, x, o; and energies. "
          "The\n"
          "patches of pairs ab, ba, ac, ca, bc, cb are (yd|xi), t_il^xy and (ix|jy) beside each\n"
          "other, x, y, o, v + 2 o. Of a tile with itself only a >= b and b >= c count. Raises\n"
          "ValueError for parts of another size.")
      .def_static("bytes", &TriplesKernel::bytes, "occupied"_a, "virtuals"_a, "tile"_a,
                  "The memory that it takes for tiles of so many orbitals.")
      .def_prop_ro(
          "seconds",
          [](const TriplesKernel& kernel) {
            const auto& spent = kernel.spent();
            return std::tuple(spent.packing, spent.products, spent.energies);
          },
          "Spent so far on packing operands, on products of matrices, and on energies.")
      .def_prop_ro(
          "triples", [](const TriplesKernel& kernel) { return kernel.spent().triples; },
          "How many a >= b >= c have been done, a = b = c left out.");
}

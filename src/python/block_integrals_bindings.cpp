// Python's view of the integrals of quartets of blocks (src/chem). Used by atoll.chem only.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <span>
#include <tuple>

#include "bindings.hpp"
#include "chem/block_integrals.hpp"

using namespace nb::literals;

namespace {

using lagoon::atoll::chem::BlockIntegrals;
using lagoon::atoll::chem::BlockQuartet;
using lagoon::atoll::chem::Integrals;

template <class T, int Dimensions>
using Input = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Blocks = std::tuple<int, int, int, int>;

template <class Array>
auto as_span(const Array& array) {
  return std::span(array.data(), array.size());
}

}  // namespace

void bind_block_integrals(nb::module_& m) {
  nb::class_<BlockIntegrals>(m, "BlockIntegrals", "All integrals of quartets of shell blocks.")
      .def(
          "__init__",
          [](BlockIntegrals* self, std::uintptr_t function, std::uintptr_t optimizer,
             const Input<int, 2>& atoms, const Input<int, 2>& shells,
             const Input<double, 1>& values, const Input<int, 1>& block_starts) {
            new (self) BlockIntegrals(
                Integrals(function, optimizer, 1, as_span(atoms), as_span(shells), as_span(values)),
                as_span(block_starts));
          },
          "function"_a, "optimizer"_a, "atoms"_a, "shells"_a, "values"_a, "block_starts"_a,
          "As FockKernel, from libcint's int2e_sph.")
      .def(
          "set_bounds",
          [](BlockIntegrals& integrals, const Input<double, 2>& bounds, double tolerance) {
            integrals.set_bounds(as_span(bounds), tolerance);
          },
          "bounds"_a, "tolerance"_a,
          "Takes Schwarz bounds of all shell pairs, shells x shells, and the screening tolerance.")
      .def(
          "compute",
          [](BlockIntegrals& integrals, const Blocks& blocks, const Input<double, 2>& maxima,
             const Result& out) {
            const auto quartet =
                std::apply([](auto... block) { return BlockQuartet{block...}; }, blocks);
            const nb::gil_scoped_release release;
            return integrals.compute(quartet, as_span(maxima), as_span(out));
          },
          "blocks"_a, "maxima"_a, "out"_a,
          "Writes (ij|kl) of the blocks I >= J, K >= L, pair IJ >= pair KL to `out`, i slowest, "
          "and\n"
          "returns the number of shell quartets computed. Left out, as zeros, are those that add\n"
          "less than the tolerance to what exchange makes of `maxima`: largest elements of all\n"
          "shell pairs, shells x shells, symmetric.");
}

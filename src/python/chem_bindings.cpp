// Python's view of the quartet kernels (src/chem). Used by atoll.chem only.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "chem/fock_kernel.hpp"
#include "chem/gradient_kernel.hpp"

using namespace nb::literals;

namespace {

using lagoon::atoll::chem::BlockQuartet;
using lagoon::atoll::chem::CoulombTiles;
using lagoon::atoll::chem::DensityTile;
using lagoon::atoll::chem::ExchangeTiles;
using lagoon::atoll::chem::FockKernel;
using lagoon::atoll::chem::FockTile;
using lagoon::atoll::chem::GradientKernel;
using lagoon::atoll::chem::GradientTiles;
using lagoon::atoll::chem::Integrals;
using lagoon::atoll::chem::Quartets;
using lagoon::atoll::chem::RecordForm;
using lagoon::atoll::chem::Rows;
using lagoon::atoll::chem::ShellBlocks;
using lagoon::atoll::chem::TaskTiles;

template <class T, int Dimensions>
using Input = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>, nb::c_contig>;

// What Python hands over for a task: its blocks, and tiles or None.
using Blocks = std::tuple<int, int, int, int>;
using Coulomb =
    std::optional<std::tuple<const DensityTile*, const DensityTile*, FockTile*, FockTile*>>;
using Exchange =
    std::optional<std::tuple<const DensityTile*, const DensityTile*, const DensityTile*,
                             const DensityTile*, FockTile*, FockTile*, FockTile*, FockTile*>>;

template <class Array>
auto as_span(const Array& array) {
  return std::span(array.data(), array.size());
}

/// A NumPy array that owns `values`.
template <int Dimensions, class T>
Output<T, Dimensions> as_array(std::vector<T>&& values,
                               const std::array<std::size_t, Dimensions>& shape) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T, Dimensions>(owned->data(), Dimensions, shape.data(), owner);
}

std::size_t extent(int n) { return static_cast<std::size_t>(n); }

BlockQuartet quartet_of(const Blocks& blocks) {
  return std::apply([](auto... block) { return BlockQuartet{block...}; }, blocks);
}

TaskTiles tiles_of(const Coulomb& coulomb, const Exchange& exchange) {
  const auto in_braces = [](auto result) {
    return [result](auto... tile) mutable { return result = {tile...}; };
  };
  TaskTiles tiles;
  if (coulomb) tiles.coulomb = std::apply(in_braces(CoulombTiles{}), *coulomb);
  if (exchange) tiles.exchange = std::apply(in_braces(ExchangeTiles{}), *exchange);
  return tiles;
}

Output<double, 2> schwarz_bounds(FockKernel& kernel, int p, int q) {
  std::vector<double> bounds = kernel.schwarz_bounds(p, q);
  return as_array<2>(std::move(bounds),
                     {extent(kernel.blocks().shells(p)), extent(kernel.blocks().shells(q))});
}

Output<double, 3> unpack(const FockKernel& kernel, const FockTile& tile) {
  const ShellBlocks& blocks = kernel.blocks();
  std::vector<double> values(tile.bytes() / sizeof(double));
  tile.unpack(blocks, values);
  return as_array<3>(std::move(values),
                     {extent(tile.matrices()), extent(blocks.functions(tile.p())),
                      extent(blocks.functions(tile.q()))});
}

auto record(FockKernel& kernel, const Blocks& blocks, const Coulomb& coulomb,
            const Exchange& exchange, int begin, std::size_t limit) {
  std::vector<std::byte> bytes;
  FockKernel::Recorded result{};
  {
    const nb::gil_scoped_release release;
    result = kernel.record(quartet_of(blocks), tiles_of(coulomb, exchange), begin, limit, bytes);
  }
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::vector<std::uint8_t> copy(first, first + bytes.size());
  const std::size_t length = copy.size();
  return std::tuple(as_array<1>(std::move(copy), {length}), result.end, result.quartets,
                    result.largest_bound);
}

std::optional<std::int64_t> replay(FockKernel& kernel, const Blocks& blocks, const Coulomb& coulomb,
                                   const Exchange& exchange, int begin, int end,
                                   const Input<std::uint8_t, 1>& bytes, bool verify) {
  const std::span<const std::byte> record = std::as_bytes(as_span(bytes));
  const nb::gil_scoped_release release;
  return kernel.replay(quartet_of(blocks), tiles_of(coulomb, exchange), {begin, end}, record,
                       verify);
}

void bind_gradient(nb::module_& m) {
  using Tiles = std::tuple<const DensityTile*, const DensityTile*, const DensityTile*,
                           const DensityTile*, const DensityTile*, const DensityTile*>;
  using Gradient = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  nb::class_<GradientKernel>(m, "GradientKernel",
                             "Derivatives of the two-electron energy, by quartets of blocks.")
      .def(
          "__init__",
          [](GradientKernel* self, std::uintptr_t function, std::uintptr_t optimizer,
             const Input<int, 2>& atoms, const Input<int, 2>& shells,
             const Input<double, 1>& values, const Input<int, 1>& block_starts) {
            new (self) GradientKernel(
                Integrals(function, optimizer, 3, as_span(atoms), as_span(shells), as_span(values)),
                as_span(block_starts));
          },
          "function"_a, "optimizer"_a, "atoms"_a, "shells"_a, "values"_a, "block_starts"_a,
          "As FockKernel, from libcint's int2e_ip1_sph.")
      .def(
          "set_bounds",
          [](GradientKernel& kernel, const Input<double, 2>& bounds,
             const Input<double, 2>& derivative_bounds, double tolerance) {
            kernel.set_bounds(as_span(bounds), as_span(derivative_bounds), tolerance);
          },
          "bounds"_a, "derivative_bounds"_a, "tolerance"_a,
          "Takes Schwarz bounds of all shell pairs, shells x shells, those of the derivative of "
          "the\n"
          "first, and the screening tolerance (hartree/bohr).")
      .def(
          "density_tile",
          [](const GradientKernel& kernel, int p, int q, const Input<double, 3>& matrices) {
            return DensityTile(kernel.blocks(), p, q, as_span(matrices));
          },
          "p"_a, "q"_a, "matrices"_a,
          "Packs patches of blocks p and q: densities x functions of p x functions of q.")
      .def(
          "contract",
          [](GradientKernel& kernel, const Blocks& blocks, const Tiles& tiles, double coulomb,
             double exchange, const Gradient& gradient) {
            const nb::gil_scoped_release release;
            const auto in_braces = [](auto... tile) { return GradientTiles{tile...}; };
            return kernel.contract(quartet_of(blocks), std::apply(in_braces, tiles),
                                   {coulomb, exchange}, as_span(gradient));
          },
          "blocks"_a, "tiles"_a, "coulomb"_a, "exchange"_a, "gradient"_a,
          "Adds what the block quartet (ij|kl) contributes to the gradient, atoms x 3, and "
          "returns\n"
          "the number of shell quartets that screening has left. `tiles`: of ij and kl the "
          "density\n"
          "of the Coulomb energy, of ik, il, jk and jl those of the exchange energy.");
}

}  // namespace

void bind_chem(nb::module_& m) {
  nb::class_<DensityTile>(m, "DensityTile",
                          "A patch of two blocks of densities in the kernel's order.")
      .def_prop_ro("maximum", &DensityTile::maximum, "Largest absolute value.")
      .def_prop_ro("nbytes", &DensityTile::bytes, "Memory in bytes.");
  nb::class_<FockTile>(m, "FockTile", "A patch of two blocks that the kernel adds to.")
      .def_prop_ro("nbytes", &FockTile::bytes, "Memory in bytes.");

  nb::enum_<Quartets>(m, "Quartets", "Of a task's shell quartets, which to compute.")
      .value("all", Quartets::all)
      .value("recorded", Quartets::recorded, "Those that records hold.")
      .value("others", Quartets::others, "Those that records do not hold.");

  nb::class_<FockKernel>(m, "FockKernel",
                         "Coulomb and exchange contributions of quartets of shell blocks.")
      .def(
          "__init__",
          [](FockKernel* self, std::uintptr_t function, std::uintptr_t optimizer, int components,
             const Input<int, 2>& atoms, const Input<int, 2>& shells,
             const Input<double, 1>& values, const Input<int, 1>& block_starts) {
            new (self) FockKernel(Integrals(function, optimizer, components, as_span(atoms),
                                            as_span(shells), as_span(values)),
                                  as_span(block_starts));
          },
          "function"_a, "optimizer"_a, "components"_a, "atoms"_a, "shells"_a, "values"_a,
          "block_starts"_a,
          "Addresses of libcint's int2e_sph and of its optimizer (0: none; it must outlive the\n"
          "kernel), the numbers a function gives for four basis functions (1; a kernel of\n"
          "int2e_ip1ip2_sph, 9, has Schwarz bounds only), libcint's three tables (copied), and "
          "the\n"
          "first shell of every block with the number of shells at the end. Raises ValueError for\n"
          "tables of a wrong length.")
      .def("schwarz_bounds", &schwarz_bounds, "p"_a, "q"_a,
           "sqrt(max |(ij|ij)|) of every shell of block p with every shell of block q.")
      .def(
          "set_bounds",
          [](FockKernel& kernel, const Input<double, 2>& bounds, double tolerance) {
            kernel.set_bounds(as_span(bounds), tolerance);
          },
          "bounds"_a, "tolerance"_a,
          "Takes the bounds of all shell pairs, shells x shells, and the screening tolerance.")
      .def(
          "set_storage",
          [](FockKernel& kernel, double tolerance, double least_cost, bool panels) {
            kernel.set_storage(
                {tolerance, least_cost, panels ? RecordForm::panels : RecordForm::packed});
          },
          "tolerance"_a, "least_cost"_a, "panels"_a = false,
          "Records hold the quartets whose bound exceeds the tolerance and whose cost (products "
          "of\n"
          "primitives for one of functions) is at least `least_cost`. `panels`: as they are, for\n"
          "memory, instead of packed in few bytes.")
      .def("rows", &FockKernel::rows, "p"_a, "q"_a,
           "How many rows (bra pairs) a task over the bra blocks p >= q has.")
      .def(
          "density_tile",
          [](const FockKernel& kernel, int p, int q, const Input<double, 3>& matrices) {
            return DensityTile(kernel.blocks(), p, q, as_span(matrices));
          },
          "p"_a, "q"_a, "matrices"_a,
          "Packs patches of blocks p and q: densities x functions of p x functions of q.")
      .def(
          "fock_tile",
          [](const FockKernel& kernel, int p, int q, int matrices) {
            return FockTile(kernel.blocks(), p, q, matrices);
          },
          "p"_a, "q"_a, "matrices"_a, "A tile of zeros for blocks p and q of some matrices.")
      .def("unpack", &unpack, "tile"_a,
           "The tile as matrices x functions of its first block x functions of its second.")
      .def(
          "contract",
          [](FockKernel& kernel, const Blocks& blocks, const Coulomb& coulomb,
             const Exchange& exchange, int begin, int end, Quartets which) {
            const nb::gil_scoped_release release;
            return kernel.contract(quartet_of(blocks), tiles_of(coulomb, exchange), {begin, end},
                                   which);
          },
          "blocks"_a, "coulomb"_a.none(), "exchange"_a.none(), "begin"_a, "end"_a,
          "which"_a = Quartets::all,
          "Adds the contributions of rows begin to end of the block quartet (ij|kl) and returns "
          "the\n"
          "number of shell quartets computed. `coulomb`: densities of ij and kl, then the tiles "
          "to\n"
          "add to, or None; `exchange`: of ik, il, jk, jl likewise. Tiles are of (larger, "
          "smaller)\n"
          "blocks. The sums J and K become the Coulomb and exchange matrices as J + J^T and\n"
          "K + K^T.")
      .def("record", &record, "blocks"_a, "coulomb"_a.none(), "exchange"_a.none(), "begin"_a,
           "limit"_a,
           "As `contract`, for the rows from `begin` on until the record has `limit` bytes: "
           "returns\n"
           "the record, the row after the last, the quartets computed, the largest bound in it.")
      .def("replay", &replay, "blocks"_a, "coulomb"_a.none(), "exchange"_a.none(), "begin"_a,
           "end"_a, "record"_a, "verify"_a,
           "As `contract`, from a record of these rows; None, and nothing added, if its bytes are\n"
           "not what was written (`verify`: by the checksum).");
  bind_gradient(m);
}

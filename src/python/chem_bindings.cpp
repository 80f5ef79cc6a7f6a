// Python's view of the Hartree-Fock quartet kernel (src/chem). Used by atoll.chem only.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "chem/fock_kernel.hpp"

using namespace nb::literals;

namespace {

using lagoon::atoll::chem::DensityTile;
using lagoon::atoll::chem::FockKernel;
using lagoon::atoll::chem::FockTile;
using lagoon::atoll::chem::Integrals;
using lagoon::atoll::chem::ShellBlocks;

template <class T, int Dimensions>
using Input = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;

template <class Array>
auto as_span(const Array& array) {
  return std::span(array.data(), array.size());
}

/// A NumPy array that owns `values`.
Matrix as_matrix(std::vector<double>&& values, int rows, int columns) {
  auto* owned = new std::vector<double>(std::move(values));
  const nb::capsule owner(owned,
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Matrix(owned->data(), {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)},
                owner);
}

FockKernel make_kernel(std::uintptr_t function, std::uintptr_t optimizer,
                       const Input<int, 2>& atoms, const Input<int, 2>& shells,
                       const Input<double, 1>& values, const Input<int, 1>& block_starts) {
  return FockKernel(
      Integrals(function, optimizer, as_span(atoms), as_span(shells), as_span(values)),
      as_span(block_starts));
}

Matrix schwarz_bounds(FockKernel& kernel, int p, int q) {
  std::vector<double> bounds = kernel.schwarz_bounds(p, q);
  return as_matrix(std::move(bounds), kernel.blocks().shells(p), kernel.blocks().shells(q));
}

Matrix unpack(const FockKernel& kernel, const FockTile& tile) {
  const ShellBlocks& blocks = kernel.blocks();
  std::vector<double> values(blocks.tile_size(tile.p(), tile.q()));
  tile.unpack(blocks, values);
  return as_matrix(std::move(values), blocks.functions(tile.p()), blocks.functions(tile.q()));
}

}  // namespace

void bind_chem(nb::module_& m) {
  nb::class_<DensityTile>(m, "DensityTile", "A density patch of two blocks in the kernel's order.")
      .def_prop_ro("maximum", &DensityTile::maximum, "Largest absolute value.")
      .def_prop_ro("nbytes", &DensityTile::bytes, "Memory in bytes.");
  nb::class_<FockTile>(m, "FockTile", "A patch of two blocks that the kernel adds to.")
      .def_prop_ro("nbytes", &FockTile::bytes, "Memory in bytes.");

  nb::class_<FockKernel>(m, "FockKernel",
                         "Coulomb and exchange contributions of quartets of shell blocks.")
      .def(
          "__init__",
          [](FockKernel* self, std::uintptr_t function, std::uintptr_t optimizer,
             const Input<int, 2>& atoms, const Input<int, 2>& shells,
             const Input<double, 1>& values, const Input<int, 1>& block_starts) {
            new (self)
                FockKernel(make_kernel(function, optimizer, atoms, shells, values, block_starts));
          },
          "function"_a, "optimizer"_a, "atoms"_a, "shells"_a, "values"_a, "block_starts"_a,
          "Addresses of libcint's int2e_sph and of its optimizer (0: none; it must outlive the\n"
          "kernel), libcint's three tables (copied), and the first shell of every block with the\n"
          "number of shells at the end. Raises ValueError for tables of a wrong length.")
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
          "density_tile",
          [](const FockKernel& kernel, int p, int q, const Input<double, 2>& matrix) {
            return DensityTile(kernel.blocks(), p, q, as_span(matrix));
          },
          "p"_a, "q"_a, "matrix"_a, "Packs the density patch of blocks p and q.")
      .def(
          "fock_tile",
          [](const FockKernel& kernel, int p, int q) { return FockTile(kernel.blocks(), p, q); },
          "p"_a, "q"_a, "A tile of zeros for blocks p and q.")
      .def("unpack", &unpack, "tile"_a, "The tile as a matrix, rows of its first block.")
      .def(
          "contract",
          [](FockKernel& kernel, int i, int j, int k, int l, const DensityTile& d_ij,
             const DensityTile& d_kl, const DensityTile& d_ik, const DensityTile& d_il,
             const DensityTile& d_jk, const DensityTile& d_jl, FockTile& j_ij, FockTile& j_kl,
             FockTile& k_ik, FockTile& k_il, FockTile& k_jk, FockTile& k_jl) {
            const nb::gil_scoped_release release;
            return kernel.contract(i, j, k, l, {&d_ij, &d_kl, &d_ik, &d_il, &d_jk, &d_jl},
                                   {&j_ij, &j_kl, &k_ik, &k_il, &k_jk, &k_jl});
          },
          "i"_a, "j"_a, "k"_a, "l"_a, "d_ij"_a, "d_kl"_a, "d_ik"_a, "d_il"_a, "d_jk"_a, "d_jl"_a,
          "j_ij"_a, "j_kl"_a, "k_ik"_a, "k_il"_a, "k_jk"_a, "k_jl"_a,
          "Adds the contributions of the block quartet (ij|kl) to six tiles and returns the\n"
          "number of shell quartets computed. Tiles are of (larger, smaller) blocks. The sums J\n"
          "and K become the Coulomb and exchange matrices as J + J^T and K + K^T.");
}

// What each file of the Python module `atoll._core` adds to it.
#pragma once

#include <nanobind/nanobind.h>

#include "atoll/namespace.hpp"

namespace nb = nanobind;

namespace lagoon::atoll::python {

/// Layout and Distribution.
void bind_layout(nb::module_& m);
/// Starting, describing and ending the world; Group.
void bind_world(nb::module_& m);
void bind_group(nb::module_& m);
/// The frame of collective calls, for those that are written in Python.
void bind_agreement(nb::module_& m);
/// AnyArray, the requests of its *_async methods, algebra, Counter; views,
/// halos and periodic access come after the array.
void bind_array(nb::module_& m);
void bind_view(nb::module_& m);
void bind_halo(nb::module_& m);
void bind_request(nb::module_& m);
void bind_algebra(nb::module_& m);
void bind_elementwise(nb::module_& m);
void bind_vectors(nb::module_& m);
void bind_matmul(nb::module_& m);
void bind_block_matmul(nb::module_& m);
void bind_matrix(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_counter(nb::module_& m);
void bind_mutexes(nb::module_& m);
/// Merges of mirrored arrays; lazy mirrors.
void bind_mirror(nb::module_& m);
void bind_lazy_mirror(nb::module_& m);
/// Private and shared files; disk arrays.
void bind_files(nb::module_& m);
void bind_disk_array(nb::module_& m);

}  // namespace lagoon::atoll::python

/// The chemistry kernel's part (chem_bindings.cpp).
void bind_chem(nb::module_& m);
/// Integrals of quartets of blocks (block_integrals_bindings.cpp).
void bind_block_integrals(nb::module_& m);
/// Second-order energies of pairs (pair_energies_bindings.cpp).
void bind_pair_energies(nb::module_& m);
/// The (T) correction of coupled cluster (triples_bindings.cpp).
void bind_triples(nb::module_& m);
/// The same of open shells (open_triples_bindings.cpp).
void bind_open_triples(nb::module_& m);
/// Strings of orbitals, and the Hamiltonian over determinants (determinant_bindings.cpp).
void bind_determinants(nb::module_& m);

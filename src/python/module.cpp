// The extension module `atoll._core`: Atoll's public C++ interface for the Python package `atoll`,
// which is what users import.
#include "bindings.hpp"
#include "errors.hpp"
#include "race_bindings.hpp"

NB_MODULE(_core, m) {  // NOLINT(misc-use-internal-linkage)
  namespace python = lagoon::atoll::python;
  m.doc() = "Atoll's C++ core. Use the package `atoll`.";
  m.attr("version") = ATOLL_VERSION;
  // Arrays in a module's globals outlive nanobind at the end of the process; that is no leak.
  nb::set_leak_warnings(false);
  python::register_errors();
  python::bind_layout(m);
  python::bind_group(m);
  python::bind_world(m);
  python::bind_agreement(m);
  python::bind_request(m);
  python::bind_array(m);
  python::bind_view(m);
  python::bind_halo(m);
  python::bind_algebra(m);
  python::bind_elementwise(m);
  python::bind_vectors(m);
  python::bind_matmul(m);
  python::bind_block_matmul(m);
  python::bind_matrix(m);
  python::bind_solvers(m);
  python::bind_counter(m);
  python::bind_mutexes(m);
  python::bind_races(m);
  python::bind_mirror(m);
  python::bind_lazy_mirror(m);
  python::bind_files(m);
  python::bind_disk_array(m);
  bind_chem(m);
  bind_block_integrals(m);
  bind_pair_energies(m);
  bind_triples(m);
  bind_open_triples(m);
  bind_determinants(m);
}

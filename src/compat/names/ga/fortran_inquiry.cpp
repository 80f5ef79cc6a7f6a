// Fortran names: inquiries.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "atoll/error.hpp"
#include "compat/fortran.hpp"
#include "compat/ga/inquiry.hpp"
#include "compat/ga/nodes.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
using compat::text_of;
using compat::TextLength;
using ga::array_of;
constexpr ga::Language fortran = ga::Language::fortran;

namespace {

/// Filled up with blanks, cut where there is no room.
void give_text(std::string_view text, char* out, TextLength length) {
  const std::span<char> room(out, static_cast<std::size_t>(length));
  const std::size_t kept = text.copy(room.data(), room.size());
  std::ranges::fill(room.subspan(kept), ' ');
}

/// Error(value) for an array that is not a matrix: the older calls are for these.
void check_matrix(const char* routine, Integer g_a) {
  guarded(routine, [&] {
    const int n = array_of(g_a).dimensions();
    if (n != 2)
      throw Error(ErrorKind::value, "the array has " + std::to_string(n) + " dimensions, not 2");
  });
}

}  // namespace

extern "C" {

Integer ga_nodeid_(void) {
  return guarded("ga_nodeid", [] { return Integer{ga::my_process()}; });
}
ATOLL_GA_ALSO(nga_nodeid_, ga_nodeid_);
Integer ga_nnodes_(void) {
  return guarded("ga_nnodes", [] { return Integer{ga::process_count()}; });
}
ATOLL_GA_ALSO(nga_nnodes_, ga_nnodes_);

Integer ga_cluster_nnodes_(void) {
  return guarded("ga_cluster_nnodes", [] { return Integer{ga::node_count()}; });
}
ATOLL_GA_ALSO(nga_cluster_nnodes_, ga_cluster_nnodes_);
Integer ga_cluster_nodeid_(void) {
  return guarded("ga_cluster_nodeid", [] { return Integer{ga::my_node()}; });
}
ATOLL_GA_ALSO(nga_cluster_nodeid_, ga_cluster_nodeid_);
Integer ga_cluster_nprocs_(const Integer* node) {
  return guarded("ga_cluster_nprocs", [&] { return Integer{ga::processes_of_node(*node)}; });
}
ATOLL_GA_ALSO(nga_cluster_nprocs_, ga_cluster_nprocs_);
Integer ga_cluster_procid_(const Integer* node, const Integer* which) {
  return guarded("ga_cluster_procid", [&] { return Integer{ga::process_of_node(*node, *which)}; });
}
ATOLL_GA_ALSO(nga_cluster_procid_, ga_cluster_procid_);
Integer ga_cluster_proc_nodeid_(const Integer* process) {
  return guarded("ga_cluster_proc_nodeid", [&] { return Integer{ga::node_of_process(*process)}; });
}
ATOLL_GA_ALSO(nga_cluster_proc_nodeid_, ga_cluster_proc_nodeid_);
void ga_list_nodeid_(Integer* list, const Integer* nprocs) {
  for (Integer p = 0; p < *nprocs; ++p) list[p] = p;
}
ATOLL_GA_ALSO(nga_list_nodeid_, ga_list_nodeid_);

logical ga_valid_handle_(const Integer* g_a) {
  return guarded("ga_valid_handle", [&] { return logical{ga::is_valid(*g_a) ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_valid_handle_, ga_valid_handle_);
ATOLL_GA_ALSO(ga_verify_handle_, ga_valid_handle_);
ATOLL_GA_ALSO(nga_verify_handle_, ga_valid_handle_);

void ga_check_handle_(const Integer* g_a, const char* text, TextLength length) {
  const std::string routine(text_of(text, length));
  guarded(routine.c_str(), [&] { (void)array_of(*g_a); });
}
ATOLL_GA_ALSO(nga_check_handle_, ga_check_handle_);

Integer ga_ndim_(const Integer* g_a) {
  return guarded("ga_ndim", [&] { return Integer{array_of(*g_a).dimensions()}; });
}
ATOLL_GA_ALSO(nga_ndim_, ga_ndim_);
ATOLL_GA_ALSO(ga_get_dimension_, ga_ndim_);
ATOLL_GA_ALSO(nga_get_dimension_, ga_ndim_);

void ga_inquire_name_(const Integer* g_a, char* name, TextLength length) {
  guarded("ga_inquire_name", [&] { give_text(array_of(*g_a).plan.name, name, length); });
}
ATOLL_GA_ALSO(nga_inquire_name_, ga_inquire_name_);
ATOLL_GA_ALSO(ga_get_array_name_, ga_inquire_name_);
ATOLL_GA_ALSO(nga_get_array_name_, ga_inquire_name_);

// True where they are equal: the other way round than in C (measured).
logical ga_compare_distr_(const Integer* g_a, const Integer* g_b) {
  return guarded("ga_compare_distr", [&] {
    return logical{ga::compare_distributions(array_of(*g_a), array_of(*g_b)) == 0 ? 1 : 0};
  });
}
ATOLL_GA_ALSO(nga_compare_distr_, ga_compare_distr_);

void nga_inquire_(const Integer* g_a, Integer* type, Integer* ndim, Integer* dims) {
  ga::inquire<fortran>("nga_inquire", *g_a, type, ndim, dims);
}
void ga_inquire_(const Integer* g_a, Integer* type, Integer* dim1, Integer* dim2) {
  check_matrix("ga_inquire", *g_a);
  Integer ndim = 0;
  Integer dims[ga::most_dimensions] = {};
  ga::inquire<fortran>("ga_inquire", *g_a, type, &ndim, dims);
  *dim1 = dims[0];
  *dim2 = dims[1];
}

void nga_distribution_(const Integer* g_a, const Integer* process, Integer* lo, Integer* hi) {
  ga::distribution<fortran>("nga_distribution", *g_a, *process, lo, hi);
}
void ga_distribution_(const Integer* g_a, const Integer* process, Integer* ilo, Integer* ihi,
                      Integer* jlo, Integer* jhi) {
  check_matrix("ga_distribution", *g_a);
  Integer lo[ga::most_dimensions] = {}, hi[ga::most_dimensions] = {};
  ga::distribution<fortran>("ga_distribution", *g_a, *process, lo, hi);
  *ilo = lo[0];
  *ihi = hi[0];
  *jlo = lo[1];
  *jhi = hi[1];
}

logical nga_locate_(const Integer* g_a, const Integer* subscript, Integer* owner) {
  *owner = ga::locate<fortran>("nga_locate", *g_a, subscript);
  return *owner >= 0 ? 1 : 0;
}
logical ga_locate_(const Integer* g_a, const Integer* i, const Integer* j, Integer* owner) {
  check_matrix("ga_locate", *g_a);
  const Integer subscript[ga::most_dimensions] = {*i, *j};
  *owner = ga::locate<fortran>("ga_locate", *g_a, subscript);
  return *owner >= 0 ? 1 : 0;
}

logical nga_locate_region_(const Integer* g_a, const Integer* lo, const Integer* hi, Integer* map,
                           Integer* processes, Integer* np) {
  *np = ga::locate_region<fortran>("nga_locate_region", *g_a, lo, hi, map, processes);
  return *np > 0 ? 1 : 0;
}

// A row of the map: ilo, ihi, jlo, jhi, process.
logical ga_locate_region_(const Integer* g_a, const Integer* ilo, const Integer* ihi,
                          const Integer* jlo, const Integer* jhi, Integer* map, Integer* np) {
  check_matrix("ga_locate_region", *g_a);
  return guarded("ga_locate_region", [&] {
    const Integer lo[ga::most_dimensions] = {*ilo, *jlo};
    const Integer hi[ga::most_dimensions] = {*ihi, *jhi};
    *np = 0;
    for (const ga::Holding& holding :
         ga::locate_region(array_of(*g_a), ga::patch<fortran>(lo, hi, 2))) {
      Integer from[2], to[2];
      ga::give_patch<fortran>(holding.patch, from, to);
      const Integer row[] = {from[0], to[0], from[1], to[1], holding.process};
      map = std::ranges::copy(row, map).out;
      ++*np;
    }
    return logical{*np > 0 ? 1 : 0};
  });
}

logical nga_locate_nnodes_(const Integer* g_a, const Integer* lo, const Integer* hi, Integer* np) {
  *np = ga::count_of_locations<fortran>("nga_locate_nnodes", *g_a, lo, hi);
  return *np > 0 ? 1 : 0;
}
logical ga_locate_nnodes_(const Integer* g_a, const Integer* ilo, const Integer* ihi,
                          const Integer* jlo, const Integer* jhi, Integer* np) {
  check_matrix("ga_locate_nnodes", *g_a);
  const Integer lo[ga::most_dimensions] = {*ilo, *jlo};
  const Integer hi[ga::most_dimensions] = {*ihi, *jhi};
  *np = ga::count_of_locations<fortran>("ga_locate_nnodes", *g_a, lo, hi);
  return *np > 0 ? 1 : 0;
}

void ga_nblock_(const Integer* g_a, Integer* nblock) {
  ga::block_counts<fortran>("ga_nblock", *g_a, nblock);
}
ATOLL_GA_ALSO(nga_nblock_, ga_nblock_);

void nga_proc_topology_(const Integer* g_a, const Integer* process, Integer* coordinates) {
  guarded("nga_proc_topology", [&] {
    const int one = static_cast<int>(*process);
    ga::give_extents<fortran>(ga::grid_position(array_of(*g_a), one), coordinates);
  });
}
void ga_proc_topology_(const Integer* g_a, const Integer* process, Integer* row, Integer* column) {
  check_matrix("ga_proc_topology", *g_a);
  Integer coordinates[ga::most_dimensions] = {};
  nga_proc_topology_(g_a, process, coordinates);
  *row = coordinates[0];
  *column = coordinates[1];
}

}  // extern "C"

// C names: inquiries.

#include <cstdint>
#include <string>

#include "compat/ga/inquiry.hpp"
#include "compat/ga/nodes.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::array_of;
constexpr ga::Language c_language = ga::Language::c;

extern "C" {

int GA_Nodeid(void) {
  return guarded("GA_Nodeid", [] { return ga::my_process(); });
}
ATOLL_GA_ALSO(NGA_Nodeid, GA_Nodeid);
int GA_Nnodes(void) {
  return guarded("GA_Nnodes", [] { return ga::process_count(); });
}
ATOLL_GA_ALSO(NGA_Nnodes, GA_Nnodes);

int GA_Cluster_nnodes(void) {
  return guarded("GA_Cluster_nnodes", [] { return ga::node_count(); });
}
int GA_Cluster_nodeid(void) {
  return guarded("GA_Cluster_nodeid", [] { return ga::my_node(); });
}
int GA_Cluster_nprocs(int x) {
  return guarded("GA_Cluster_nprocs", [&] { return ga::processes_of_node(x); });
}
int GA_Cluster_procid(int x, int y) {
  return guarded("GA_Cluster_procid", [&] { return ga::process_of_node(x, y); });
}
int GA_Cluster_proc_nodeid(int proc) {
  return guarded("GA_Cluster_proc_nodeid", [&] { return ga::node_of_process(proc); });
}
void GA_List_nodeid(int* list, int nprocs) {
  for (int p = 0; p < nprocs; ++p) list[p] = p;
}
ATOLL_GA_ALSO(NGA_List_nodeid, GA_List_nodeid);

int GA_Valid_handle(int g_a) {
  return guarded("GA_Valid_handle", [&] { return ga::is_valid(g_a) ? 1 : 0; });
}
ATOLL_GA_ALSO(NGA_Valid_handle, GA_Valid_handle);
ATOLL_GA_ALSO(GA_Verify_handle, GA_Valid_handle);
ATOLL_GA_ALSO(NGA_Verify_handle, GA_Valid_handle);

void GA_Check_handle(int g_a, const char* string) {
  guarded(string == nullptr ? "GA_Check_handle" : string, [&] { (void)array_of(g_a); });
}

int GA_Ndim(int g_a) {
  return guarded("GA_Ndim", [&] { return array_of(g_a).dimensions(); });
}
ATOLL_GA_ALSO(NGA_Ndim, GA_Ndim);
ATOLL_GA_ALSO(GA_Get_dimension, GA_Ndim);
ATOLL_GA_ALSO(NGA_Get_dimension, GA_Ndim);

// The program may write into what GA returns here, so it is a copy.
char* GA_Inquire_name(int g_a) {
  return guarded("GA_Inquire_name", [&] {
    thread_local std::string name;
    name = array_of(g_a).plan.name;
    return name.data();
  });
}
ATOLL_GA_ALSO(NGA_Inquire_name, GA_Inquire_name);

int GA_Compare_distr(int g_a, int g_b) {
  return guarded("GA_Compare_distr",
                 [&] { return ga::compare_distributions(array_of(g_a), array_of(g_b)); });
}
ATOLL_GA_ALSO(NGA_Compare_distr, GA_Compare_distr);

ATOLL_GA_BOTH(void, NGA_Inquire, (int g_a, int* type, int* ndim, Int dims[]),
              ga::inquire<c_language>(__func__, g_a, type, ndim, dims));

ATOLL_GA_BOTH(void, NGA_Distribution, (int g_a, int iproc, Int lo[], Int hi[]),
              ga::distribution<c_language>(__func__, g_a, iproc, lo, hi));

ATOLL_GA_BOTH(int, NGA_Locate, (int g_a, Int subscript[]),
              ga::locate<c_language>(__func__, g_a, subscript));
ATOLL_GA_BOTH(int, NGA_Locate_region, (int g_a, Int lo[], Int hi[], Int map[], int procs[]),
              ga::locate_region<c_language>(__func__, g_a, lo, hi, map, procs));
ATOLL_GA_BOTH(int, NGA_Locate_nnodes, (int g_a, Int lo[], Int hi[]),
              ga::count_of_locations<c_language>(__func__, g_a, lo, hi));

void GA_Nblock(int g_a, int* nblock) { ga::block_counts<c_language>("GA_Nblock", g_a, nblock); }
ATOLL_GA_ALSO(NGA_Nblock, GA_Nblock);

// In Fortran's order: GA does not turn it round for C (measured).
void NGA_Proc_topology(int g_a, int proc, int coord[]) {
  guarded("NGA_Proc_topology", [&] {
    ga::give_extents<ga::Language::fortran>(ga::grid_position(array_of(g_a), proc), coord);
  });
}

}  // extern "C"

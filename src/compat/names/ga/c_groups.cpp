// C names: groups of processes, mirrored arrays.
#include <complex>
#include <cstdint>
#include <span>

#include "atoll/error.hpp"
#include "compat/ga/collective.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/mirrored.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/mpi_calls.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"
#include "mpi/face.hpp"

using namespace lagoon::atoll;
using compat::guarded;

namespace {

ga::Groups& groups() { return ga::Runtime::get().groups; }

template <class T>
void reduce_group(const char* routine, int grp, T* x, int n, const char* op) {
  guarded(routine, [&] { ga::reduce(groups().at(grp), element_type_of<T>(), x, n, op); });
}

/// A group's communicator for the program.
compat::ProgramComm lent(const char* routine, auto&& group) {
  return guarded(routine,
                 [&] { return mpi::calls.native_of_comm(ga::lend_communicator(group())); });
}

}  // namespace

extern "C" {

int GA_Pgroup_create(int* list, int count) {
  return guarded("GA_Pgroup_create", [&] {
    return groups().create(std::span<const int>(list, static_cast<std::size_t>(count)));
  });
}
ATOLL_GA_ALSO(NGA_Pgroup_create, GA_Pgroup_create);

int GA_Pgroup_destroy(int grp) {
  return guarded("GA_Pgroup_destroy", [&] { return groups().destroy(grp) ? 1 : 0; });
}
ATOLL_GA_ALSO(NGA_Pgroup_destroy, GA_Pgroup_destroy);

int GA_Pgroup_duplicate(int grp) {
  return guarded("GA_Pgroup_duplicate", [&] { return groups().split(grp, 0); });
}
ATOLL_GA_ALSO(NGA_Pgroup_duplicate, GA_Pgroup_duplicate);

int GA_Pgroup_self(void) {
  return guarded("GA_Pgroup_self", [] { return groups().self(); });
}
ATOLL_GA_ALSO(NGA_Pgroup_self, GA_Pgroup_self);

int GA_Pgroup_split(int grp_id, int num_group) {
  return guarded("GA_Pgroup_split", [&] { return groups().split_evenly(grp_id, num_group); });
}
ATOLL_GA_ALSO(NGA_Pgroup_split, GA_Pgroup_split);

int GA_Pgroup_split_irreg(int grp_id, int color) {
  return guarded("GA_Pgroup_split_irreg", [&] { return groups().split(grp_id, color); });
}
ATOLL_GA_ALSO(NGA_Pgroup_split_irreg, GA_Pgroup_split_irreg);

int GA_Pgroup_get_default(void) {
  return guarded("GA_Pgroup_get_default", [] { return groups().default_handle(); });
}
ATOLL_GA_ALSO(NGA_Pgroup_get_default, GA_Pgroup_get_default);

void GA_Pgroup_set_default(int p_handle) {
  guarded("GA_Pgroup_set_default", [&] { groups().set_default(p_handle); });
}
ATOLL_GA_ALSO(NGA_Pgroup_set_default, GA_Pgroup_set_default);

int GA_Pgroup_get_world(void) { return ga::world_handle; }
ATOLL_GA_ALSO(NGA_Pgroup_get_world, GA_Pgroup_get_world);

int GA_Pgroup_get_mirror(void) { return ga::mirror_handle; }
ATOLL_GA_ALSO(NGA_Pgroup_get_mirror, GA_Pgroup_get_mirror);

int GA_Pgroup_nodeid(int grp_id) {
  return guarded("GA_Pgroup_nodeid", [&] { return groups().rank(grp_id); });
}
ATOLL_GA_ALSO(NGA_Pgroup_nodeid, GA_Pgroup_nodeid);

int GA_Pgroup_nnodes(int grp_id) {
  return guarded("GA_Pgroup_nnodes",
                 [&] { return static_cast<int>(groups().world_ranks(grp_id).size()); });
}
ATOLL_GA_ALSO(NGA_Pgroup_nnodes, GA_Pgroup_nnodes);
ATOLL_GA_ALSO(GA_Get_pgroup_size, GA_Pgroup_nnodes);
ATOLL_GA_ALSO(NGA_Get_pgroup_size, GA_Pgroup_nnodes);

int GA_Pgroup_absolute_id(int pgroup, int pid) {
  return guarded("GA_Pgroup_absolute_id", [&] { return groups().world_rank(pgroup, pid); });
}
ATOLL_GA_ALSO(NGA_Pgroup_absolute_id, GA_Pgroup_absolute_id);

int GA_Get_pgroup(int g_a) {
  return guarded("GA_Get_pgroup", [&] { return ga::array_of(g_a).plan.group; });
}
ATOLL_GA_ALSO(NGA_Get_pgroup, GA_Get_pgroup);

void GA_Pgroup_sync(int grp_id) {
  guarded("GA_Pgroup_sync", [&] { ga::synchronise(groups().at(grp_id)); });
}
ATOLL_GA_ALSO(NGA_Pgroup_sync, GA_Pgroup_sync);

void GA_Pgroup_brdcst(int grp, void* buf, int lenbuf, int root) {
  guarded("GA_Pgroup_brdcst", [&] { ga::broadcast(groups().at(grp), buf, lenbuf, root); });
}

void GA_Pgroup_igop(int grp, int x[], int n, const char* op) {
  reduce_group("GA_Pgroup_igop", grp, x, n, op);
}
ATOLL_GA_ALSO(NGA_Pgroup_igop, GA_Pgroup_igop);
void GA_Pgroup_lgop(int grp, long x[], int n, const char* op) {
  reduce_group("GA_Pgroup_lgop", grp, reinterpret_cast<std::int64_t*>(x), n, op);
}
ATOLL_GA_ALSO(NGA_Pgroup_lgop, GA_Pgroup_lgop);
void GA_Pgroup_llgop(int grp, long long x[], int n, const char* op) {
  reduce_group("GA_Pgroup_llgop", grp, reinterpret_cast<std::int64_t*>(x), n, op);
}
ATOLL_GA_ALSO(NGA_Pgroup_llgop, GA_Pgroup_llgop);
void GA_Pgroup_fgop(int grp, float x[], int n, const char* op) {
  reduce_group("GA_Pgroup_fgop", grp, x, n, op);
}
ATOLL_GA_ALSO(NGA_Pgroup_fgop, GA_Pgroup_fgop);
void GA_Pgroup_dgop(int grp, double x[], int n, const char* op) {
  reduce_group("GA_Pgroup_dgop", grp, x, n, op);
}
ATOLL_GA_ALSO(NGA_Pgroup_dgop, GA_Pgroup_dgop);
void GA_Pgroup_cgop(int grp, SingleComplex x[], int n, const char* op) {
  reduce_group("GA_Pgroup_cgop", grp, reinterpret_cast<std::complex<float>*>(x), n, op);
}
void GA_Pgroup_zgop(int grp, DoubleComplex x[], int n, const char* op) {
  reduce_group("GA_Pgroup_zgop", grp, reinterpret_cast<std::complex<double>*>(x), n, op);
}
ATOLL_GA_ALSO(NGA_Pgroup_zgop, GA_Pgroup_zgop);

compat::ProgramComm GA_MPI_Comm(void) {
  return lent("GA_MPI_Comm", [] { return groups().at(ga::world_handle); });
}
compat::ProgramComm GA_MPI_Comm_pgroup(int pgroup) {
  return lent("GA_MPI_Comm_pgroup", [&] { return groups().at(pgroup); });
}
compat::ProgramComm GA_MPI_Comm_pgroup_default(void) {
  return lent("GA_MPI_Comm_pgroup_default", [] { return groups().default_group(); });
}

int GA_Is_mirrored(int g_a) {
  return guarded("GA_Is_mirrored", [&] { return ga::array_of(g_a).mirrored() ? 1 : 0; });
}
ATOLL_GA_ALSO(NGA_Is_mirrored, GA_Is_mirrored);

void GA_Merge_mirrored(int g_a) {
  guarded("GA_Merge_mirrored", [&] { ga::merge_mirrored(ga::array_of(g_a)); });
}
ATOLL_GA_ALSO(NGA_Merge_mirrored, GA_Merge_mirrored);

ATOLL_GA_BOTH(void, NGA_Merge_distr_patch,
              (int g_a, Int alo[], Int ahi[], int g_b, Int blo[], Int bhi[]),
              guarded(__func__,
                      [&] { ga::merge_patch<ga::Language::c>(g_a, alo, ahi, g_b, blo, bhi); }));

}  // extern "C"

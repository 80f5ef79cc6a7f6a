// Fortran names: groups of processes, mirrored arrays.

#include <vector>

#include "compat/ga/collective.hpp"
#include "compat/ga/language.hpp"
#include "compat/ga/mirrored.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"
#include "mpi/face.hpp"

using namespace lagoon::atoll;
using compat::guarded;

namespace {

ga::Groups& groups() { return ga::Runtime::get().groups; }
int number(const Integer* value) { return static_cast<int>(*value); }

void give_communicator(const Group& group, Integer* communicator) {
  *communicator = mpi::comm_c2f(ga::lend_communicator(group));
}

}  // namespace

extern "C" {

Integer ga_pgroup_create_(const Integer* list, const Integer* count) {
  return guarded("ga_pgroup_create", [&] {
    const std::vector<int> processes(list, list + *count);
    return Integer{groups().create(processes)};
  });
}
ATOLL_GA_ALSO(nga_pgroup_create_, ga_pgroup_create_);

logical ga_pgroup_destroy_(const Integer* grp) {
  return guarded("ga_pgroup_destroy",
                 [&] { return logical{groups().destroy(number(grp)) ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_pgroup_destroy_, ga_pgroup_destroy_);

Integer ga_pgroup_duplicate_(const Integer* grp) {
  return guarded("ga_pgroup_duplicate", [&] { return Integer{groups().split(number(grp), 0)}; });
}
ATOLL_GA_ALSO(nga_pgroup_duplicate_, ga_pgroup_duplicate_);

Integer ga_pgroup_self_(void) {
  return guarded("ga_pgroup_self", [] { return Integer{groups().self()}; });
}
ATOLL_GA_ALSO(nga_pgroup_self_, ga_pgroup_self_);

Integer ga_pgroup_split_(const Integer* grp, const Integer* parts) {
  return guarded("ga_pgroup_split",
                 [&] { return Integer{groups().split_evenly(number(grp), number(parts))}; });
}
ATOLL_GA_ALSO(nga_pgroup_split_, ga_pgroup_split_);

Integer ga_pgroup_split_irreg_(const Integer* grp, const Integer* colour) {
  return guarded("ga_pgroup_split_irreg",
                 [&] { return Integer{groups().split(number(grp), number(colour))}; });
}
ATOLL_GA_ALSO(nga_pgroup_split_irreg_, ga_pgroup_split_irreg_);

Integer ga_pgroup_get_default_(void) {
  return guarded("ga_pgroup_get_default", [] { return Integer{groups().default_handle()}; });
}
ATOLL_GA_ALSO(nga_pgroup_get_default_, ga_pgroup_get_default_);

void ga_pgroup_set_default_(const Integer* grp) {
  guarded("ga_pgroup_set_default", [&] { groups().set_default(number(grp)); });
}
ATOLL_GA_ALSO(nga_pgroup_set_default_, ga_pgroup_set_default_);

Integer ga_pgroup_get_world_(void) { return ga::world_handle; }
ATOLL_GA_ALSO(nga_pgroup_get_world_, ga_pgroup_get_world_);
Integer ga_pgroup_get_mirror_(void) { return ga::mirror_handle; }
ATOLL_GA_ALSO(nga_pgroup_get_mirror_, ga_pgroup_get_mirror_);

Integer ga_pgroup_nodeid_(const Integer* grp) {
  return guarded("ga_pgroup_nodeid", [&] { return Integer{groups().rank(number(grp))}; });
}
ATOLL_GA_ALSO(nga_pgroup_nodeid_, ga_pgroup_nodeid_);

Integer ga_pgroup_nnodes_(const Integer* grp) {
  return guarded("ga_pgroup_nnodes",
                 [&] { return static_cast<Integer>(groups().world_ranks(number(grp)).size()); });
}
ATOLL_GA_ALSO(nga_pgroup_nnodes_, ga_pgroup_nnodes_);
ATOLL_GA_ALSO(ga_get_pgroup_size_, ga_pgroup_nnodes_);
ATOLL_GA_ALSO(nga_get_pgroup_size_, ga_pgroup_nnodes_);

Integer ga_pgroup_absolute_id_(const Integer* grp, const Integer* process) {
  return guarded("ga_pgroup_absolute_id",
                 [&] { return Integer{groups().world_rank(number(grp), number(process))}; });
}
ATOLL_GA_ALSO(nga_pgroup_absolute_id_, ga_pgroup_absolute_id_);

Integer ga_get_pgroup_(const Integer* g_a) {
  return guarded("ga_get_pgroup", [&] { return Integer{ga::array_of(*g_a).plan.group}; });
}
ATOLL_GA_ALSO(nga_get_pgroup_, ga_get_pgroup_);

void ga_pgroup_sync_(const Integer* grp) {
  guarded("ga_pgroup_sync", [&] { ga::synchronise(groups().at(number(grp))); });
}
ATOLL_GA_ALSO(nga_pgroup_sync_, ga_pgroup_sync_);

void ga_mpi_comm_(Integer* communicator) {
  guarded("ga_mpi_comm", [&] { give_communicator(groups().at(ga::world_handle), communicator); });
}
void ga_mpi_comm_pgroup_(Integer* communicator, const Integer* grp) {
  guarded("ga_mpi_comm_pgroup", [&] { give_communicator(groups().at(number(grp)), communicator); });
}
void ga_mpi_comm_pgroup_default_(Integer* communicator) {
  guarded("ga_mpi_comm_pgroup_default",
          [&] { give_communicator(groups().default_group(), communicator); });
}

logical ga_is_mirrored_(const Integer* g_a) {
  return guarded("ga_is_mirrored", [&] { return logical{ga::array_of(*g_a).mirrored() ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_is_mirrored_, ga_is_mirrored_);

void ga_merge_mirrored_(const Integer* g_a) {
  guarded("ga_merge_mirrored", [&] { ga::merge_mirrored(ga::array_of(*g_a)); });
}
ATOLL_GA_ALSO(nga_merge_mirrored_, ga_merge_mirrored_);

void nga_merge_distr_patch_(const Integer* g_a, const Integer* alo, const Integer* ahi,
                            const Integer* g_b, const Integer* blo, const Integer* bhi) {
  guarded("nga_merge_distr_patch",
          [&] { ga::merge_patch<ga::Language::fortran>(*g_a, alo, ahi, *g_b, blo, bhi); });
}

}  // extern "C"

// Fortran names: ghost cells.

#include <cstdint>
#include <optional>
#include <utility>

#include "compat/fortran.hpp"
#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/collective.hpp"
#include "compat/ga/ghosts/ghosts.hpp"
#include "compat/ga/one_sided.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
using compat::text_of;
using compat::TextLength;
using ga::array_of;
constexpr ga::Language fortran = ga::Language::fortran;

namespace {

ga::Plan plan_with_ghosts(Integer type, Integer ndim, const Integer* dims, const Integer* width,
                          std::string_view name, std::optional<Integer> group) {
  ga::Plan plan = ga::plan_of<fortran>(type, ndim, dims, name,
                                       group.value_or(ga::Runtime::get().groups.default_handle()));
  ga::set_ghosts<fortran>(plan, width);
  return plan;
}

logical give_handle(std::optional<int> handle, Integer* g_a) {
  if (handle) *g_a = *handle;
  return handle ? 1 : 0;
}

logical create(const char* routine, Integer type, Integer ndim, const Integer* dims,
               const Integer* width, std::string_view name, const Integer* chunk,
               std::optional<Integer> group, Integer* g_a) {
  return guarded(routine, [&] {
    ga::Plan plan = plan_with_ghosts(type, ndim, dims, width, name, group);
    ga::set_chunk<fortran>(plan, chunk);
    return give_handle(ga::create(std::move(plan)), g_a);
  });
}

logical create_irregular(const char* routine, Integer type, Integer ndim, const Integer* dims,
                         const Integer* width, std::string_view name, const Integer* map,
                         const Integer* nblock, std::optional<Integer> group, Integer* g_a) {
  return guarded(routine, [&] {
    ga::Plan plan = plan_with_ghosts(type, ndim, dims, width, name, group);
    ga::set_irregular<fortran>(plan, nblock, map);
    return give_handle(ga::create(std::move(plan)), g_a);
  });
}

logical updated(const char* routine, const Integer* g_a) {
  return guarded(routine, [&] {
    ga::update_ghosts(array_of(*g_a));
    return logical{1};
  });
}

/// What prepares an update: nothing is to be prepared.
logical prepared(const char* routine, const Integer* g_a) {
  return guarded(routine, [&] {
    (void)array_of(*g_a);
    return logical{1};
  });
}

void release(const char* routine, const Integer* g_a) {
  guarded(routine, [&] { (void)array_of(*g_a); });
}

}  // namespace

extern "C" {

logical ga_has_ghosts_(const Integer* g_a) {
  return guarded("ga_has_ghosts", [&] { return logical{ga::has_ghosts(array_of(*g_a)) ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_has_ghosts_, ga_has_ghosts_);

void ga_set_ghosts_(const Integer* g_a, const Integer* width) {
  guarded("ga_set_ghosts", [&] { ga::set_ghosts<fortran>(ga::plan_to_change(*g_a), width); });
}
ATOLL_GA_ALSO(nga_set_ghosts_, ga_set_ghosts_);

void ga_set_ghost_corner_flag_(const Integer* g_a, const logical* flag) {
  guarded("ga_set_ghost_corner_flag", [&] { array_of(*g_a).plan.ghost_corners = *flag != 0; });
}
ATOLL_GA_ALSO(nga_set_ghost_corner_flag_, ga_set_ghost_corner_flag_);

logical nga_create_ghosts_(const Integer* type, const Integer* ndim, const Integer* dims,
                           const Integer* width, const char* name, const Integer* chunk,
                           Integer* g_a, TextLength length) {
  return create("nga_create_ghosts", *type, *ndim, dims, width, text_of(name, length), chunk,
                std::nullopt, g_a);
}
logical nga_create_ghosts_config_(const Integer* type, const Integer* ndim, const Integer* dims,
                                  const Integer* width, const char* name, const Integer* chunk,
                                  const Integer* p_handle, Integer* g_a, TextLength length) {
  return create("nga_create_ghosts_config", *type, *ndim, dims, width, text_of(name, length), chunk,
                *p_handle, g_a);
}
logical nga_create_ghosts_irreg_(const Integer* type, const Integer* ndim, const Integer* dims,
                                 const Integer* width, const char* name, const Integer* map,
                                 const Integer* nblock, Integer* g_a, TextLength length) {
  return create_irregular("nga_create_ghosts_irreg", *type, *ndim, dims, width,
                          text_of(name, length), map, nblock, std::nullopt, g_a);
}
logical nga_create_ghosts_irreg_config_(const Integer* type, const Integer* ndim,
                                        const Integer* dims, const Integer* width, const char* name,
                                        const Integer* map, const Integer* nblock,
                                        const Integer* p_handle, Integer* g_a, TextLength length) {
  return create_irregular("nga_create_ghosts_irreg_config", *type, *ndim, dims, width,
                          text_of(name, length), map, nblock, *p_handle, g_a);
}

void ga_update_ghosts_(const Integer* g_a) { (void)updated("ga_update_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update_ghosts_, ga_update_ghosts_);
// GA's ways of updating, all to the same end.
void ga_update1_ghosts_(const Integer* g_a) { (void)updated("ga_update1_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update1_ghosts_, ga_update1_ghosts_);
logical ga_update2_ghosts_(const Integer* g_a) { return updated("ga_update2_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update2_ghosts_, ga_update2_ghosts_);
logical ga_update3_ghosts_(const Integer* g_a) { return updated("ga_update3_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update3_ghosts_, ga_update3_ghosts_);
logical ga_update4_ghosts_(const Integer* g_a) { return updated("ga_update4_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update4_ghosts_, ga_update4_ghosts_);
logical ga_update5_ghosts_(const Integer* g_a) { return updated("ga_update5_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update5_ghosts_, ga_update5_ghosts_);
logical ga_update6_ghosts_(const Integer* g_a) { return updated("ga_update6_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update6_ghosts_, ga_update6_ghosts_);
logical ga_update7_ghosts_(const Integer* g_a) { return updated("ga_update7_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update7_ghosts_, ga_update7_ghosts_);
logical ga_update44_ghosts_(const Integer* g_a) { return updated("ga_update44_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update44_ghosts_, ga_update44_ghosts_);
logical ga_update55_ghosts_(const Integer* g_a) { return updated("ga_update55_ghosts", g_a); }
ATOLL_GA_ALSO(nga_update55_ghosts_, ga_update55_ghosts_);

void nga_update_ghosts_nb_(const Integer* g_a, Integer* nbhandle) {
  guarded("nga_update_ghosts_nb",
          [&] { ga::begun(ga::update_ghosts_begin(array_of(*g_a)), nbhandle); });
}
logical nga_update_ghost_dir_(const Integer* g_a, const Integer* dimension, const Integer* idir,
                              const logical* flag) {
  return guarded("nga_update_ghost_dir", [&] {
    ga::GlobalArray& a = array_of(*g_a);
    ga::update_side(a, ga::ghost_update_dimension(a, *dimension), *idir, *flag != 0);
    return logical{1};
  });
}
// They are there when it returns.
void nga_nbget_ghost_dir_(const Integer* g_a, const Integer* mask, Integer* nbhandle) {
  ga::fetch_direction<fortran>("nga_nbget_ghost_dir", *g_a, mask);
  guarded("nga_nbget_ghost_dir", [&] { ga::begun_and_done(nbhandle); });
}

logical ga_set_ghost_info_(const Integer* g_a) { return prepared("ga_set_ghost_info", g_a); }
ATOLL_GA_ALSO(nga_set_ghost_info_, ga_set_ghost_info_);
logical ga_set_update4_info_(const Integer* g_a) { return prepared("ga_set_update4_info", g_a); }
ATOLL_GA_ALSO(nga_set_update4_info_, ga_set_update4_info_);
logical ga_set_update5_info_(const Integer* g_a) { return prepared("ga_set_update5_info", g_a); }
ATOLL_GA_ALSO(nga_set_update5_info_, ga_set_update5_info_);

void ga_ghost_barrier_(void) {
  guarded("ga_ghost_barrier", [] { ga::synchronise(ga::Runtime::get().groups.default_group()); });
}
ATOLL_GA_ALSO(nga_ghost_barrier_, ga_ghost_barrier_);

void nga_access_ghosts_(const Integer* g_a, Integer* dims, intp* index, Integer* ld) {
  guarded("nga_access_ghosts", [&] {
    ga::GlobalArray& a = array_of(*g_a);
    const LocalBlock memory = ga::ghost_memory(a);
    ga::give_extents<fortran>(memory.patch.shape(), dims);
    *index = memory.data == nullptr ? 0 : ga::fortran_index(a, memory.data);
    ga::give_leading<fortran>(memory.strides, ld);
  });
}
void nga_access_ghost_element_(const Integer* g_a, intp* index, const Integer* subscript,
                               Integer* ld) {
  guarded("nga_access_ghost_element", [&] {
    ga::GlobalArray& a = array_of(*g_a);
    const LocalBlock memory = ga::ghost_memory(a);
    const Index at = ga::position<fortran>(subscript, a.dimensions());
    *index = ga::fortran_index(a, ga::ghost_element(a, memory, at));
    ga::give_leading<fortran>(memory.strides, ld);
  });
}
void nga_get_ghost_block_(const Integer* g_a, const Integer* lo, const Integer* hi, void* buf,
                          const Integer* ld) {
  ga::ghost_block<fortran>("nga_get_ghost_block", *g_a, lo, hi, buf, ld);
}

void nga_release_ghosts_(const Integer* g_a) { release("nga_release_ghosts", g_a); }
void nga_release_update_ghosts_(const Integer* g_a) { release("nga_release_update_ghosts", g_a); }
void nga_release_ghost_element_(const Integer* g_a, const Integer* /*index*/) {
  release("nga_release_ghost_element", g_a);
}
void nga_release_update_ghost_element_(const Integer* g_a, const Integer* /*index*/) {
  release("nga_release_update_ghost_element", g_a);
}

}  // extern "C"

// Fortran names: given boundaries, restricted owners, properties.

#include <optional>
#include <utility>
#include <vector>

#include "compat/fortran.hpp"
#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/blocks/properties.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
using compat::text_of;
using compat::TextLength;
using ga::plan_to_change;
constexpr ga::Language fortran = ga::Language::fortran;

namespace {

logical create(const char* routine, Integer type, Integer ndim, const Integer* dims,
               std::string_view name, const Integer* map, const Integer* nblock,
               std::optional<Integer> group, Integer* g_a) {
  return guarded(routine, [&] {
    ga::Plan plan = ga::plan_of<fortran>(
        type, ndim, dims, name, group.value_or(ga::Runtime::get().groups.default_handle()));
    ga::set_irregular<fortran>(plan, nblock, map);
    const std::optional<int> handle = ga::create(std::move(plan));
    if (handle) *g_a = *handle;
    return logical{handle ? 1 : 0};
  });
}

}  // namespace

extern "C" {

logical nga_create_irreg_(const Integer* type, const Integer* ndim, const Integer* dims,
                          const char* name, const Integer* map, const Integer* nblock, Integer* g_a,
                          TextLength length) {
  return create("nga_create_irreg", *type, *ndim, dims, text_of(name, length), map, nblock,
                std::nullopt, g_a);
}
logical nga_create_irreg_config_(const Integer* type, const Integer* ndim, const Integer* dims,
                                 const char* name, const Integer* map, const Integer* nblock,
                                 const Integer* p_handle, Integer* g_a, TextLength length) {
  return create("nga_create_irreg_config", *type, *ndim, dims, text_of(name, length), map, nblock,
                *p_handle, g_a);
}
logical ga_create_irreg_(const Integer* type, const Integer* dim1, const Integer* dim2,
                         const char* name, const Integer* map1, const Integer* nblock1,
                         const Integer* map2, const Integer* nblock2, Integer* g_a,
                         TextLength length) {
  const std::vector<Integer> dims{*dim1, *dim2}, nblock{*nblock1, *nblock2};
  std::vector<Integer> map(map1, map1 + *nblock1);
  map.insert(map.end(), map2, map2 + *nblock2);
  return create("ga_create_irreg", *type, 2, dims.data(), text_of(name, length), map.data(),
                nblock.data(), std::nullopt, g_a);
}

void ga_set_irreg_distr_(const Integer* g_a, const Integer* map, const Integer* nblock) {
  guarded("ga_set_irreg_distr",
          [&] { ga::set_irregular<fortran>(plan_to_change(*g_a), nblock, map); });
}
ATOLL_GA_ALSO(nga_set_irreg_distr_, ga_set_irreg_distr_);
void ga_set_irreg_flag_(const Integer* g_a, const logical* flag) {
  guarded("ga_set_irreg_flag", [&] { ga::set_irregular_flag(plan_to_change(*g_a), *flag != 0); });
}
ATOLL_GA_ALSO(nga_set_irreg_flag_, ga_set_irreg_flag_);

void ga_set_restricted_(const Integer* g_a, const Integer* list, const Integer* size) {
  guarded("ga_set_restricted", [&] { ga::set_restricted(plan_to_change(*g_a), list, *size); });
}
ATOLL_GA_ALSO(nga_set_restricted_, ga_set_restricted_);
void ga_set_restricted_range_(const Integer* g_a, const Integer* lo_proc, const Integer* hi_proc) {
  guarded("ga_set_restricted_range",
          [&] { ga::set_restricted_range(plan_to_change(*g_a), *lo_proc, *hi_proc); });
}
ATOLL_GA_ALSO(nga_set_restricted_range_, ga_set_restricted_range_);

void ga_set_property_(const Integer* g_a, const char* property, TextLength length) {
  guarded("ga_set_property",
          [&] { ga::set_property(ga::array_of(*g_a), text_of(property, length)); });
}
ATOLL_GA_ALSO(nga_set_property_, ga_set_property_);
void ga_unset_property_(const Integer* g_a) {
  guarded("ga_unset_property", [&] { ga::unset_property(ga::array_of(*g_a)); });
}
ATOLL_GA_ALSO(nga_unset_property_, ga_unset_property_);

// Of ga-wapi.h.
void wnga_set_property(Integer g_a, const char* property) {
  guarded("wnga_set_property", [&] { ga::set_property(ga::array_of(g_a), property); });
}
void wnga_unset_property(Integer g_a) { ga_unset_property_(&g_a); }

// A hint where the memory had better lie. All memory is the node's.
void ga_set_memory_dev_(const Integer* g_a, const char* /*device*/, TextLength /*length*/) {
  guarded("ga_set_memory_dev", [&] { (void)plan_to_change(*g_a); });
}
ATOLL_GA_ALSO(nga_set_memory_dev_, ga_set_memory_dev_);

}  // extern "C"

// C names: given boundaries, restricted owners, properties.

#include <cstdint>
#include <optional>
#include <utility>

#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/blocks/properties.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::plan_to_change;
constexpr ga::Language c_language = ga::Language::c;

namespace {

template <class I>
int create(const char* routine, int type, int ndim, const I* dims, const char* name, const I* block,
           const I* map, std::optional<int> group) {
  return guarded(routine, [&] {
    ga::Plan plan =
        ga::plan_of<c_language>(type, ndim, dims, name == nullptr ? "" : name,
                                group.value_or(ga::Runtime::get().groups.default_handle()));
    ga::set_irregular<c_language>(plan, block, map);
    return ga::create(std::move(plan)).value_or(0);
  });
}

template <class I>
void set_irregular(const char* routine, int g_a, const I* map, const I* block) {
  guarded(routine, [&] { ga::set_irregular<c_language>(plan_to_change(g_a), block, map); });
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(int, NGA_Create_irreg,
              (int type, int ndim, Int dims[], const char* name, Int block[], Int map[]),
              create(__func__, type, ndim, dims, name, block, map, std::nullopt));
ATOLL_GA_BOTH(int, NGA_Create_irreg_config,
              (int type, int ndim, Int dims[], const char* name, Int block[], Int map[],
               int p_handle),
              create(__func__, type, ndim, dims, name, block, map, p_handle));

ATOLL_GA_BOTH(void, GA_Set_irreg_distr, (int g_a, Int map[], Int block[]),
              set_irregular(__func__, g_a, map, block));
ATOLL_GA_ALSO(NGA_Set_irreg_distr, GA_Set_irreg_distr);
ATOLL_GA_ALSO(NGA_Set_irreg_distr64, GA_Set_irreg_distr64);
void GA_Set_irreg_flag(int g_a, int flag) {
  guarded("GA_Set_irreg_flag", [&] { ga::set_irregular_flag(plan_to_change(g_a), flag != 0); });
}
ATOLL_GA_ALSO(NGA_Set_irreg_flag, GA_Set_irreg_flag);

void GA_Set_restricted(int g_a, int list[], int size) {
  guarded("GA_Set_restricted", [&] { ga::set_restricted(plan_to_change(g_a), list, size); });
}
ATOLL_GA_ALSO(NGA_Set_restricted, GA_Set_restricted);
void GA_Set_restricted_range(int g_a, int lo_proc, int hi_proc) {
  guarded("GA_Set_restricted_range",
          [&] { ga::set_restricted_range(plan_to_change(g_a), lo_proc, hi_proc); });
}
ATOLL_GA_ALSO(NGA_Set_restricted_range, GA_Set_restricted_range);

void GA_Set_property(int g_a, const char* property) {
  guarded("GA_Set_property", [&] { ga::set_property(ga::array_of(g_a), property); });
}
ATOLL_GA_ALSO(NGA_Set_property, GA_Set_property);
void GA_Unset_property(int g_a) {
  guarded("GA_Unset_property", [&] { ga::unset_property(ga::array_of(g_a)); });
}
ATOLL_GA_ALSO(NGA_Unset_property, GA_Unset_property);

// A hint where the memory had better lie. All memory is the node's.
void GA_Set_memory_dev(int g_a, const char* /*device*/) {
  guarded("GA_Set_memory_dev", [&] { (void)plan_to_change(g_a); });
}
ATOLL_GA_ALSO(NGA_Set_memory_dev, GA_Set_memory_dev);

}  // extern "C"

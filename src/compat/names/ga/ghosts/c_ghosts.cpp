// C names: ghost cells.

#include <cstdint>
#include <optional>
#include <utility>

#include "compat/ga/blocks/blocks.hpp"
#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/ghosts/ghosts.hpp"
#include "compat/ga/one_sided.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::array_of;
constexpr ga::Language c_language = ga::Language::c;

namespace {

template <class I>
ga::Plan plan_with_ghosts(int type, int ndim, const I* dims, const I* width, const char* name,
                          const std::optional<int>& group) {
  ga::Plan plan =
      ga::plan_of<c_language>(type, ndim, dims, name == nullptr ? "" : name,
                              group.value_or(ga::Runtime::get().groups.default_handle()));
  ga::set_ghosts<c_language>(plan, width);
  return plan;
}

template <class I>
int create(const char* routine, int type, int ndim, const I* dims, const I* width, const char* name,
           const I* chunk, std::optional<int> group) {
  return guarded(routine, [&] {
    ga::Plan plan = plan_with_ghosts(type, ndim, dims, width, name, group);
    ga::set_chunk<c_language>(plan, chunk);
    return ga::create(std::move(plan)).value_or(0);
  });
}

template <class I>
int create_irregular(const char* routine, int type, int ndim, const I* dims, const I* width,
                     const char* name, const I* nblock, const I* map, std::optional<int> group) {
  return guarded(routine, [&] {
    ga::Plan plan = plan_with_ghosts(type, ndim, dims, width, name, group);
    ga::set_irregular<c_language>(plan, nblock, map);
    return ga::create(std::move(plan)).value_or(0);
  });
}

template <class I>
void set_ghosts(const char* routine, int g_a, const I* width) {
  guarded(routine, [&] { ga::set_ghosts<c_language>(ga::plan_to_change(g_a), width); });
}

template <class I>
void access(const char* routine, int g_a, I* dims, void* pointer, I* leading) {
  guarded(routine, [&] {
    const LocalBlock memory = ga::ghost_memory(array_of(g_a));
    ga::give_extents<c_language>(memory.patch.shape(), dims);
    ga::give_pointer(memory.data, pointer);
    ga::give_leading<c_language>(memory.strides, leading);
  });
}

template <class I>
void access_element(const char* routine, int g_a, void* pointer, const I* subscript, I* leading) {
  guarded(routine, [&] {
    ga::GlobalArray& a = array_of(g_a);
    const LocalBlock memory = ga::ghost_memory(a);
    const Index at = ga::position<c_language>(subscript, a.dimensions());
    ga::give_pointer(ga::ghost_element(a, memory, at), pointer);
    ga::give_leading<c_language>(memory.strides, leading);
  });
}

// They are there when it returns.
template <class I>
void fetch_direction(const char* routine, int g_a, const I* mask, ga_nbhdl_t* handle) {
  ga::fetch_direction<c_language>(routine, g_a, mask);
  guarded(routine, [&] { ga::begun_and_done(handle); });
}

void release(const char* routine, int g_a) {
  guarded(routine, [&] { (void)array_of(g_a); });
}

}  // namespace

extern "C" {

int GA_Has_ghosts(int g_a) {
  return guarded("GA_Has_ghosts", [&] { return ga::has_ghosts(array_of(g_a)) ? 1 : 0; });
}
ATOLL_GA_ALSO(NGA_Has_ghosts, GA_Has_ghosts);

ATOLL_GA_BOTH(void, GA_Set_ghosts, (int g_a, Int width[]), set_ghosts(__func__, g_a, width));
ATOLL_GA_ALSO(NGA_Set_ghosts, GA_Set_ghosts);
ATOLL_GA_ALSO(NGA_Set_ghosts64, GA_Set_ghosts64);

void GA_Set_ghost_corner_flag(int g_a, int flag) {
  guarded("GA_Set_ghost_corner_flag", [&] { array_of(g_a).plan.ghost_corners = flag != 0; });
}

ATOLL_GA_BOTH(int, NGA_Create_ghosts,
              (int type, int ndim, Int dims[], Int width[], const char* name, Int chunk[]),
              create(__func__, type, ndim, dims, width, name, chunk, std::nullopt));
ATOLL_GA_BOTH(int, NGA_Create_ghosts_config,
              (int type, int ndim, Int dims[], Int width[], const char* name, Int chunk[],
               int p_handle),
              create(__func__, type, ndim, dims, width, name, chunk, p_handle));
ATOLL_GA_BOTH(int, NGA_Create_ghosts_irreg,
              (int type, int ndim, Int dims[], Int width[], const char* name, Int nblock[],
               Int map[]),
              create_irregular(__func__, type, ndim, dims, width, name, nblock, map, std::nullopt));
ATOLL_GA_BOTH(int, NGA_Create_ghosts_irreg_config,
              (int type, int ndim, Int dims[], Int width[], const char* name, Int nblock[],
               Int map[], int p_handle),
              create_irregular(__func__, type, ndim, dims, width, name, nblock, map, p_handle));

void GA_Update_ghosts(int g_a) {
  guarded("GA_Update_ghosts", [&] { ga::update_ghosts(array_of(g_a)); });
}
ATOLL_GA_ALSO(NGA_Update_ghosts, GA_Update_ghosts);

void NGA_Update_ghosts_nb(int g_a, ga_nbhdl_t* nbhandle) {
  guarded("NGA_Update_ghosts_nb",
          [&] { ga::begun(ga::update_ghosts_begin(array_of(g_a)), nbhandle); });
}

int NGA_Update_ghost_dir(int g_a, int dimension, int idir, int flag) {
  return guarded("NGA_Update_ghost_dir", [&] {
    ga::GlobalArray& a = array_of(g_a);
    const int d = ga::ghost_update_dimension(a, std::int64_t{dimension} + 1);
    ga::update_side(a, d, idir, flag != 0);
    return 1;
  });
}

ATOLL_GA_BOTH(void, NGA_NbGet_ghost_dir, (int g_a, Int mask[], ga_nbhdl_t* handle),
              fetch_direction(__func__, g_a, mask, handle));

ATOLL_GA_BOTH(void, NGA_Access_ghosts, (int g_a, Int dims[], void* ptr, Int ld[]),
              access(__func__, g_a, dims, ptr, ld));
ATOLL_GA_BOTH(void, NGA_Access_ghost_element, (int g_a, void* ptr, Int subscript[], Int ld[]),
              access_element(__func__, g_a, ptr, subscript, ld));

ATOLL_GA_BOTH(void, NGA_Get_ghost_block, (int g_a, Int lo[], Int hi[], void* buf, Int ld[]),
              ga::ghost_block<c_language>(__func__, g_a, lo, hi, buf, ld));

void NGA_Release_ghosts(int g_a) { release("NGA_Release_ghosts", g_a); }
void NGA_Release_update_ghosts(int g_a) { release("NGA_Release_update_ghosts", g_a); }
ATOLL_GA_BOTH(void, NGA_Release_ghost_element, (int g_a, Int /*index*/[]), release(__func__, g_a));
ATOLL_GA_BOTH(void, NGA_Release_update_ghost_element, (int g_a, Int /*index*/[]),
              release(__func__, g_a));

}  // extern "C"

// C names: ghost cells.
#include <mpi.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "compat/ga/blocks/blocks.hpp"
#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/ghosts/ghosts.hpp"
#include "compat/ga/names.hpp"
#include "compat/ga/one_sided.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::array_of;
constexpr ga::View c_view = ga::View::c;

namespace {

template <class I>
ga::Plan plan_with_ghosts(int type, int ndim, const I* dims, const I* width, const char* name,
                          const std::optional<int>& group) {
  ga::Plan plan = ga::plan_of<c_view>(type, ndim, dims, name == nullptr ? "" : name,
                                      group.value_or(ga::Runtime::get().groups.default_handle()));
  ga::set_ghosts<c_view>(plan, width);
  return plan;
}

template <class I>
int create(const char* routine, int type, int ndim, const I* dims, const I* width, const char* name,
           const I* chunk, std::optional<int> group) {
  return guarded(routine, [&] {
    ga::Plan plan = plan_with_ghosts(type, ndim, dims, width, name, group);
    ga::set_chunk<c_view>(plan, chunk);
    return ga::create(std::move(plan)).value_or(0);
  });
}

template <class I>
int create_irregular(const char* routine, int type, int ndim, const I* dims, const I* width,
                     const char* name, const I* nblock, const I* map, std::optional<int> group) {
  return guarded(routine, [&] {
    ga::Plan plan = plan_with_ghosts(type, ndim, dims, width, name, group);
    ga::set_irregular<c_view>(plan, nblock, map);
    return ga::create(std::move(plan)).value_or(0);
  });
}

template <class I>
void set_ghosts(const char* routine, int g_a, const I* width) {
  guarded(routine, [&] { ga::set_ghosts<c_view>(ga::plan_to_change(g_a), width); });
}

template <class I>
void access(const char* routine, int g_a, I* dims, void* pointer, I* leading) {
  guarded(routine, [&] {
    const LocalBlock memory = ga::ghost_memory(array_of(g_a));
    ga::give_extents<c_view>(memory.patch.shape(), dims);
    ga::give_pointer(memory.data, pointer);
    ga::give_leading<c_view>(memory.strides, leading);
  });
}

template <class I>
void access_element(const char* routine, int g_a, void* pointer, const I* subscript, I* leading) {
  guarded(routine, [&] {
    ga::GlobalArray& a = array_of(g_a);
    const LocalBlock memory = ga::ghost_memory(a);
    const Index at = ga::position<c_view>(subscript, a.dimensions());
    ga::give_pointer(ga::ghost_element(a, memory, at), pointer);
    ga::give_leading<c_view>(memory.strides, leading);
  });
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

void GA_Set_ghosts(int g_a, int width[]) { set_ghosts("GA_Set_ghosts", g_a, width); }
ATOLL_GA_ALSO(NGA_Set_ghosts, GA_Set_ghosts);
void GA_Set_ghosts64(int g_a, int64_t width[]) { set_ghosts("GA_Set_ghosts64", g_a, width); }
ATOLL_GA_ALSO(NGA_Set_ghosts64, GA_Set_ghosts64);

void GA_Set_ghost_corner_flag(int g_a, int flag) {
  guarded("GA_Set_ghost_corner_flag", [&] { array_of(g_a).plan.ghost_corners = flag != 0; });
}

int NGA_Create_ghosts(int type, int ndim, int dims[], int width[], const char* name, int chunk[]) {
  return create("NGA_Create_ghosts", type, ndim, dims, width, name, chunk, std::nullopt);
}
int NGA_Create_ghosts64(int type, int ndim, int64_t dims[], int64_t width[], const char* name,
                        int64_t chunk[]) {
  return create("NGA_Create_ghosts64", type, ndim, dims, width, name, chunk, std::nullopt);
}
int NGA_Create_ghosts_config(int type, int ndim, int dims[], int width[], const char* name,
                             int chunk[], int p_handle) {
  return create("NGA_Create_ghosts_config", type, ndim, dims, width, name, chunk, p_handle);
}
int NGA_Create_ghosts_config64(int type, int ndim, int64_t dims[], int64_t width[],
                               const char* name, int64_t chunk[], int p_handle) {
  return create("NGA_Create_ghosts_config64", type, ndim, dims, width, name, chunk, p_handle);
}
int NGA_Create_ghosts_irreg(int type, int ndim, int dims[], int width[], const char* name,
                            int nblock[], int map[]) {
  return create_irregular("NGA_Create_ghosts_irreg", type, ndim, dims, width, name, nblock, map,
                          std::nullopt);
}
int NGA_Create_ghosts_irreg64(int type, int ndim, int64_t dims[], int64_t width[], const char* name,
                              int64_t nblock[], int64_t map[]) {
  return create_irregular("NGA_Create_ghosts_irreg64", type, ndim, dims, width, name, nblock, map,
                          std::nullopt);
}
int NGA_Create_ghosts_irreg_config(int type, int ndim, int dims[], int width[], const char* name,
                                   int nblock[], int map[], int p_handle) {
  return create_irregular("NGA_Create_ghosts_irreg_config", type, ndim, dims, width, name, nblock,
                          map, p_handle);
}
int NGA_Create_ghosts_irreg_config64(int type, int ndim, int64_t dims[], int64_t width[],
                                     const char* name, int64_t nblock[], int64_t map[],
                                     int p_handle) {
  return create_irregular("NGA_Create_ghosts_irreg_config64", type, ndim, dims, width, name, nblock,
                          map, p_handle);
}

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

// They are there when it returns: there is nothing left to wait for.
void NGA_NbGet_ghost_dir(int g_a, int mask[], ga_nbhdl_t* handle) {
  ga::fetch_direction<c_view>("NGA_NbGet_ghost_dir", g_a, mask);
  *handle = 0;
}
void NGA_NbGet_ghost_dir64(int g_a, int64_t mask[], ga_nbhdl_t* handle) {
  ga::fetch_direction<c_view>("NGA_NbGet_ghost_dir64", g_a, mask);
  *handle = 0;
}

void NGA_Access_ghosts(int g_a, int dims[], void* ptr, int ld[]) {
  access("NGA_Access_ghosts", g_a, dims, ptr, ld);
}
void NGA_Access_ghosts64(int g_a, int64_t dims[], void* ptr, int64_t ld[]) {
  access("NGA_Access_ghosts64", g_a, dims, ptr, ld);
}
void NGA_Access_ghost_element(int g_a, void* ptr, int subscript[], int ld[]) {
  access_element("NGA_Access_ghost_element", g_a, ptr, subscript, ld);
}
void NGA_Access_ghost_element64(int g_a, void* ptr, int64_t subscript[], int64_t ld[]) {
  access_element("NGA_Access_ghost_element64", g_a, ptr, subscript, ld);
}

void NGA_Get_ghost_block(int g_a, int lo[], int hi[], void* buf, int ld[]) {
  ga::ghost_block<c_view>("NGA_Get_ghost_block", g_a, lo, hi, buf, ld);
}
void NGA_Get_ghost_block64(int g_a, int64_t lo[], int64_t hi[], void* buf, int64_t ld[]) {
  ga::ghost_block<c_view>("NGA_Get_ghost_block64", g_a, lo, hi, buf, ld);
}

void NGA_Release_ghosts(int g_a) { release("NGA_Release_ghosts", g_a); }
void NGA_Release_update_ghosts(int g_a) { release("NGA_Release_update_ghosts", g_a); }
void NGA_Release_ghost_element(int g_a, int /*index*/[]) {
  release("NGA_Release_ghost_element", g_a);
}
void NGA_Release_ghost_element64(int g_a, int64_t /*index*/[]) {
  release("NGA_Release_ghost_element64", g_a);
}
void NGA_Release_update_ghost_element(int g_a, int /*index*/[]) {
  release("NGA_Release_update_ghost_element", g_a);
}
void NGA_Release_update_ghost_element64(int g_a, int64_t /*index*/[]) {
  release("NGA_Release_update_ghost_element64", g_a);
}

}  // extern "C"

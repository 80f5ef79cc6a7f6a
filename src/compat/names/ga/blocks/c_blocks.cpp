// C names: arrays of which processes may have several blocks.

#include <cstdint>

#include "compat/ga/blocks/blocks.hpp"
#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/inquiry.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/ga.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::array_of;
using ga::Cut;
constexpr ga::Language c_language = ga::Language::c;

namespace {

template <class I>
void set_blocks(const char* routine, int g_a, Cut cut, const I* block, const I* proc_grid) {
  guarded(routine,
          [&] { ga::set_blocks<c_language>(ga::plan_to_change(g_a), cut, block, proc_grid); });
}

template <class I>
void set_tiled_irregular(const char* routine, int g_a, const I* map, const I* nblocks,
                         const I* proc_grid) {
  guarded(routine, [&] {
    ga::set_tiled_irregular<c_language>(ga::plan_to_change(g_a), map, nblocks, proc_grid);
  });
}

void release(const char* routine, int g_a) {
  guarded(routine, [&] { (void)array_of(g_a); });
}

}  // namespace

extern "C" {

ATOLL_GA_BOTH(void, GA_Set_block_cyclic, (int g_a, Int dims[]),
              set_blocks<Int>(__func__, g_a, Cut::block_cyclic, dims, nullptr));
ATOLL_GA_ALSO(NGA_Set_block_cyclic, GA_Set_block_cyclic);
ATOLL_GA_BOTH(void, GA_Set_block_cyclic_proc_grid, (int g_a, Int block[], Int proc_grid[]),
              set_blocks(__func__, g_a, Cut::scalapack, block, proc_grid));
ATOLL_GA_ALSO(NGA_Set_block_cyclic_proc_grid, GA_Set_block_cyclic_proc_grid);
ATOLL_GA_BOTH(void, GA_Set_tiled_proc_grid, (int g_a, Int block[], Int proc_grid[]),
              set_blocks(__func__, g_a, Cut::tiled, block, proc_grid));
ATOLL_GA_ALSO(NGA_Set_tiled_proc_grid, GA_Set_tiled_proc_grid);
ATOLL_GA_BOTH(void, GA_Set_tiled_irreg_proc_grid,
              (int g_a, Int mapc[], Int nblocks[], Int proc_grid[]),
              set_tiled_irregular(__func__, g_a, mapc, nblocks, proc_grid));
ATOLL_GA_ALSO(NGA_Set_tiled_irreg_proc_grid, GA_Set_tiled_irreg_proc_grid);
ATOLL_GA_ALSO(NGA_Set_block_cyclic64, GA_Set_block_cyclic64);
ATOLL_GA_ALSO(NGA_Set_block_cyclic_proc_grid64, GA_Set_block_cyclic_proc_grid64);
ATOLL_GA_ALSO(NGA_Set_tiled_proc_grid64, GA_Set_tiled_proc_grid64);
ATOLL_GA_ALSO(NGA_Set_tiled_irreg_proc_grid64, GA_Set_tiled_irreg_proc_grid64);

void GA_Get_block_info(int g_a, int num_blocks[], int block_dims[]) {
  ga::block_info<c_language>("GA_Get_block_info", g_a, num_blocks, block_dims);
}
ATOLL_GA_ALSO(NGA_Get_block_info, GA_Get_block_info);
void GA_Get_proc_grid(int g_a, int dims[]) { ga::give_process_grid("GA_Get_proc_grid", g_a, dims); }
ATOLL_GA_ALSO(NGA_Get_proc_grid, GA_Get_proc_grid);
void GA_Get_proc_index(int g_a, int iproc, int subscript[]) {
  ga::give_process_place<c_language>("GA_Get_proc_index", g_a, iproc, subscript);
}
ATOLL_GA_ALSO(NGA_Get_proc_index, GA_Get_proc_index);
int GA_Total_blocks(int g_a) {
  return guarded("GA_Total_blocks",
                 [&] { return static_cast<int>(ga::total_blocks(array_of(g_a))); });
}
ATOLL_GA_ALSO(NGA_Total_blocks, GA_Total_blocks);
int GA_Uses_proc_grid(int g_a) {
  return guarded("GA_Uses_proc_grid", [&] { return ga::uses_process_grid(array_of(g_a)) ? 1 : 0; });
}
ATOLL_GA_ALSO(NGA_Uses_proc_grid, GA_Uses_proc_grid);
int NGA_Locate_num_blocks(int g_a, int lo[], int hi[]) {
  return ga::count_of_locations<c_language>("NGA_Locate_num_blocks", g_a, lo, hi);
}

ATOLL_GA_BOTH(void, NGA_Access_block, (int g_a, Int idx, void* ptr, Int ld[]),
              ga::access_block(__func__, g_a, idx, ptr, ld));
ATOLL_GA_BOTH(void, NGA_Access_block_grid, (int g_a, Int index[], void* ptr, Int ld[]),
              ga::access_block_at(__func__, g_a, index, ptr, ld));
ATOLL_GA_BOTH(void, NGA_Access_block_segment, (int g_a, int proc, void* ptr, Int* len),
              ga::access_segment(__func__, g_a, proc, ptr, len));

void NGA_Release_block(int g_a, int /*idx*/) { release("NGA_Release_block", g_a); }
void NGA_Release_block_grid(int g_a, int /*index*/[]) { release("NGA_Release_block_grid", g_a); }
void NGA_Release_block_segment(int g_a, int /*idx*/) { release("NGA_Release_block_segment", g_a); }
void NGA_Release_update_block(int g_a, int /*idx*/) { release("NGA_Release_update_block", g_a); }
void NGA_Release_update_block_grid(int g_a, int /*index*/[]) {
  release("NGA_Release_update_block_grid", g_a);
}
void NGA_Release_update_block_segment(int g_a, int /*idx*/) {
  release("NGA_Release_update_block_segment", g_a);
}

}  // extern "C"

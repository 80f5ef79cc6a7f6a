// Fortran names: arrays of which processes may have several blocks.

#include <cstdint>

#include "compat/ga/blocks/blocks.hpp"
#include "compat/ga/blocks/cuts.hpp"
#include "compat/ga/inquiry.hpp"
#include "compat/names/ga/names.hpp"
#include "ga/typesf2c.h"

using namespace lagoon::atoll;
using compat::guarded;
using ga::array_of;
using ga::Cut;
constexpr ga::Language fortran = ga::Language::fortran;

namespace {

void set_blocks(const char* routine, Integer g_a, Cut cut, const Integer* block,
                const Integer* proc_grid) {
  guarded(routine,
          [&] { ga::set_blocks<fortran>(ga::plan_to_change(g_a), cut, block, proc_grid); });
}

void access(const ga::GlobalArray& a, std::int64_t number, intp* index, Integer* ld) {
  const ga::DirectMemory memory = ga::block_memory(a, number);
  *index = ga::fortran_index(a, memory.data);
  ga::give_leading<fortran>(memory.strides, ld);
}

void release(const char* routine, const Integer* g_a) {
  guarded(routine, [&] { (void)array_of(*g_a); });
}

}  // namespace

extern "C" {

void ga_set_block_cyclic_(const Integer* g_a, const Integer* dims) {
  set_blocks("ga_set_block_cyclic", *g_a, Cut::block_cyclic, dims, nullptr);
}
ATOLL_GA_ALSO(nga_set_block_cyclic_, ga_set_block_cyclic_);
void ga_set_block_cyclic_proc_grid_(const Integer* g_a, const Integer* block,
                                    const Integer* proc_grid) {
  set_blocks("ga_set_block_cyclic_proc_grid", *g_a, Cut::scalapack, block, proc_grid);
}
ATOLL_GA_ALSO(nga_set_block_cyclic_proc_grid_, ga_set_block_cyclic_proc_grid_);
void ga_set_tiled_proc_grid_(const Integer* g_a, const Integer* block, const Integer* proc_grid) {
  set_blocks("ga_set_tiled_proc_grid", *g_a, Cut::tiled, block, proc_grid);
}
ATOLL_GA_ALSO(nga_set_tiled_proc_grid_, ga_set_tiled_proc_grid_);
void ga_set_tiled_irreg_proc_grid_(const Integer* g_a, const Integer* mapc, const Integer* nblocks,
                                   const Integer* proc_grid) {
  guarded("ga_set_tiled_irreg_proc_grid", [&] {
    ga::set_tiled_irregular<fortran>(ga::plan_to_change(*g_a), mapc, nblocks, proc_grid);
  });
}
ATOLL_GA_ALSO(nga_set_tiled_irreg_proc_grid_, ga_set_tiled_irreg_proc_grid_);

void ga_get_block_info_(const Integer* g_a, Integer* num_blocks, Integer* block_dims) {
  ga::block_info<fortran>("ga_get_block_info", *g_a, num_blocks, block_dims);
}
ATOLL_GA_ALSO(nga_get_block_info_, ga_get_block_info_);
void ga_get_proc_grid_(const Integer* g_a, Integer* dims) {
  ga::give_process_grid("ga_get_proc_grid", *g_a, dims);
}
ATOLL_GA_ALSO(nga_get_proc_grid_, ga_get_proc_grid_);
void ga_get_proc_index_(const Integer* g_a, const Integer* iproc, Integer* subscript) {
  ga::give_process_place<fortran>("ga_get_proc_index", *g_a, *iproc, subscript);
}
ATOLL_GA_ALSO(nga_get_proc_index_, ga_get_proc_index_);
Integer ga_total_blocks_(const Integer* g_a) {
  return guarded("ga_total_blocks",
                 [&] { return static_cast<Integer>(ga::total_blocks(array_of(*g_a))); });
}
ATOLL_GA_ALSO(nga_total_blocks_, ga_total_blocks_);
logical ga_uses_proc_grid_(const Integer* g_a) {
  return guarded("ga_uses_proc_grid",
                 [&] { return logical{ga::uses_process_grid(array_of(*g_a)) ? 1 : 0}; });
}
ATOLL_GA_ALSO(nga_uses_proc_grid_, ga_uses_proc_grid_);
Integer nga_locate_num_blocks_(const Integer* g_a, const Integer* lo, const Integer* hi) {
  return ga::count_of_locations<fortran>("nga_locate_num_blocks", *g_a, lo, hi);
}

void nga_access_block_(const Integer* g_a, const Integer* idx, intp* index, Integer* ld) {
  guarded("nga_access_block", [&] { access(array_of(*g_a), *idx, index, ld); });
}
void nga_access_block_grid_(const Integer* g_a, const Integer* subscript, intp* index,
                            Integer* ld) {
  guarded("nga_access_block_grid", [&] {
    const ga::GlobalArray& a = array_of(*g_a);
    access(a, ga::number_at(a, ga::extents<fortran>(subscript, a.dimensions())), index, ld);
  });
}
void nga_access_block_segment_(const Integer* g_a, const Integer* proc, intp* index, Integer* len) {
  guarded("nga_access_block_segment", [&] {
    const ga::GlobalArray& a = array_of(*g_a);
    const ga::MemorySegment segment = ga::memory_segment(a, static_cast<int>(*proc));
    *index = segment.elements == 0 ? 0 : ga::fortran_index(a, segment.data);
    *len = static_cast<Integer>(segment.elements);
  });
}

void nga_release_block_(const Integer* g_a, const Integer* /*idx*/) {
  release("nga_release_block", g_a);
}
void nga_release_block_grid_(const Integer* g_a, const Integer* /*index*/) {
  release("nga_release_block_grid", g_a);
}
void nga_release_block_segment_(const Integer* g_a, const Integer* /*proc*/) {
  release("nga_release_block_segment", g_a);
}
void nga_release_update_block_(const Integer* g_a, const Integer* /*idx*/) {
  release("nga_release_update_block", g_a);
}
void nga_release_update_block_grid_(const Integer* g_a, const Integer* /*index*/) {
  release("nga_release_update_block_grid", g_a);
}
void nga_release_update_block_segment_(const Integer* g_a, const Integer* /*proc*/) {
  release("nga_release_update_block_segment", g_a);
}

}  // extern "C"

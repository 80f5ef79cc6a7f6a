/* ARMCI's walk over the segments of a strided patch of local memory, as ARMCI_PutS and its kin take
   it: seg_count[0] bytes are a segment, of which there are seg_count[1] times seg_count[2] and so
   on, stride_arr[0], stride_arr[1] ... bytes from one to the next, the first dimension fastest.
   Whatever goes wrong ends the job, with a message. */
#ifndef ATOLL_GA_ITERATOR_H
#define ATOLL_GA_ITERATOR_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  char* base_ptr;
  int stride_levels;
  int stride_arr[ARMCI_MAX_STRIDE_LEVEL];
  int seg_count[ARMCI_MAX_STRIDE_LEVEL + 1];
  /* Of the walk: how many segments there are, how many are behind, and where it is. */
  int size, pos, itr[ARMCI_MAX_STRIDE_LEVEL];
} stride_info_t;

/* Keeps copies of the arrays; the memory remains the caller's. stride_levels: 0 to
   ARMCI_MAX_STRIDE_LEVEL. */
void armci_stride_info_init(stride_info_t* sinfo, void* base_ptr, int stride_levels,
                            const int* stride_arr, const int* seg_count);
void armci_stride_info_destroy(stride_info_t* sinfo);

/* How many segments there are (both), and the number of the one that the walk is at. */
int armci_stride_info_size(stride_info_t* sinfo);
int armci_stride_info_count(stride_info_t* sinfo);
int armci_stride_info_pos(stride_info_t* sinfo);
/* Whether the walk is at a segment, and on to the next one. */
int armci_stride_info_has_more(stride_info_t* sinfo);
void armci_stride_info_next(stride_info_t* sinfo);
/* Of the segment that the walk is at: its first byte, that as a distance from the base, and how
   many bytes it has. */
void* armci_stride_info_seg_ptr(stride_info_t* sinfo);
int armci_stride_info_seg_off(stride_info_t* sinfo);
int armci_stride_info_seg_size(stride_info_t* sinfo);

#ifdef __cplusplus
}
#endif

#endif

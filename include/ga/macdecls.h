/* MA, the memory allocator of Global Arrays programs, on Atoll: a stack and a heap in one segment of
   each process, addressed by pointers or by indices into a base array of each type.

   Sizes are numbers of elements of a type MT_*. Handles are small numbers from 0. Nothing is
   collective, and one thread at a time may call. What fails says so on standard error (unless
   MA_set_error_print says not to) and returns MA_FALSE or 0; with MA_set_hard_fail it ends the job. */
#ifndef ATOLL_GA_MACDECLS_H
#define ATOLL_GA_MACDECLS_H

#include "macommon.h"
#include "matypes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MT_CHAR MT_C_CHAR
#define MT_INT MT_C_INT
#define MT_LONGINT MT_C_LONGINT
#define MT_LONGLONG MT_C_LONGLONG
#define MT_REAL MT_C_FLOAT
#define MT_DBL MT_C_DBL
#define MT_LDBL MT_C_LDBL
#define MT_SCPL MT_C_SCPL
#define MT_DCPL MT_C_DCPL
#define MT_LDCPL MT_C_LDCPL
#define MT_C_FIRST MT_CHAR
#define MT_C_LAST MT_LDCPL

/* Takes the segment, once: room for that many elements on the stack and on the heap, blocks'
   overhead of one each included. MA_DEFAULT_SPACE, or any other negative number: 64 MiB. Either grows into what the other leaves. */
Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap);
Boolean MA_initialized(void);

/* Stack: last in, first out. chop frees the block and all pushed after it. */
Boolean MA_push_stack(Integer datatype, Integer nelem, const char* name, Integer* memhandle);
Boolean MA_push_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                    MA_AccessIndex* index);
Boolean MA_pop_stack(Integer memhandle);
Boolean MA_chop_stack(Integer memhandle);

/* Heap: any order. A piece is freed at the block's end; all of it frees the block. */
Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char* name, Integer* memhandle);
Boolean MA_alloc_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                     MA_AccessIndex* index);
Boolean MA_free_heap(Integer memhandle);
Boolean MA_free_heap_piece(Integer memhandle, Integer nelem);

/* Where a block's elements are. `pointer` is the address of a pointer. */
Boolean MA_get_index(Integer memhandle, MA_AccessIndex* index);
Boolean MA_get_pointer(Integer memhandle, void* pointer);
Pointer MA_get_mbase(Integer datatype);

/* All blocks: heap from the low addresses up, then the stack from the last pushed; MA_FALSE after the
   last one. None is to be allocated or freed meanwhile. */
Boolean MA_init_memhandle_iterator(Integer* ithandle);
Boolean MA_get_next_memhandle(Integer* ithandle, Integer* memhandle);

/* How many elements one more block could have: in the gap between stack and heap (avail); up to the
   partition, as MA_init was told (heap, stack); up to there, or to the other where that has grown
   across, or in the gap if this one has (check); in the gap (no_partition). Those of the heap count
   its free fragments, too. */
Integer MA_inquire_avail(Integer datatype);
Integer MA_inquire_heap(Integer datatype);
Integer MA_inquire_heap_check_stack(Integer datatype);
Integer MA_inquire_heap_no_partition(Integer datatype);
Integer MA_inquire_stack(Integer datatype);
Integer MA_inquire_stack_check_heap(Integer datatype);
Integer MA_inquire_stack_no_partition(Integer datatype);

/* Elements of the second type that hold what so many of the first do; what a block needs beside
   its elements. */
Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2);
Integer MA_sizeof_overhead(Integer datatype);

/* Elements begin at multiples of 2^value bytes, 0 (as their types want it) to 30. */
Boolean MA_get_numalign(Integer* value);
Boolean MA_set_numalign(Integer value);

/* Switches; each returns what was set before. auto_verify: check all guards in every call that takes,
   frees, finds or inquires. */
Boolean MA_set_auto_verify(Boolean value);
Boolean MA_set_error_print(Boolean value);
Boolean MA_set_hard_fail(Boolean value);
/* Called with the message and 1 before a failure ends the job. */
void MA_set_error_callback(void (*func)(const char*, int));

Boolean MA_verify_allocator_stuff(void);
void MA_summarize_allocated_blocks(void);
void MA_print_stats(Boolean printroutines);
void MA_trace(Boolean value);

/* What indices count from. */
extern char ma_cb_char[];
extern int ma_cb_int[];
extern long ma_cb_long[];
extern long long ma_cb_longlong[];
extern float ma_cb_float[];
extern double ma_cb_dbl[];
extern MA_LongDouble ma_cb_ldbl[];
extern MA_SingleComplex ma_cb_scpl[];
extern MA_DoubleComplex ma_cb_dcpl[];
extern MA_LongDoubleComplex ma_cb_ldcpl[];

#ifdef __cplusplus
}
#endif

#endif

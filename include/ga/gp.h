/* GP, the global pointer arrays of Global Arrays: arrays whose elements are objects of any size, in
   bytes. Which process owns an element says where in the array it lies; the owner builds the object
   in memory of GP_Malloc and assigns it to the element; then all processes read and write it.

   Subscripts and patches count from 0, row-major, both ends are part of a patch. Subscripts of
   several elements lie one behind the other. What goes wrong ends the job, with a message. */
#ifndef ATOLL_GA_GP_H
#define ATOLL_GA_GP_H

#include <stddef.h>
#include <stdlib.h> /* programs take malloc and RAND_MAX from here */

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, after GA_Initialize and before GA_Terminate. Ending takes all arrays and all memory
   of GP_Malloc away. */
extern void GP_Initialize(void);
extern void GP_Terminate(void);
/* As GA_Sync: what was assigned and written before is seen by all afterwards. */
extern void GP_Sync(void);

/* Memory of this process that others can reach; not collective. */
extern void* GP_Malloc(size_t size);
extern void GP_Free(void* ptr);

/* An array of the default group. Then what it is to be like: the dimensions first. */
extern int GP_Create_handle(void);
extern void GP_Set_dimensions(int g_p, int ndim, int* dims);
/* Blocks are not to be smaller; below 1: any size. */
extern void GP_Set_chunk(int g_p, int* chunk);
/* The first indices of `blocks` blocks of a dimension, one dimension after the other. */
extern void GP_Set_irreg_distr(int g_p, int* mapc, int* blocks);
/* Collective. 1; or 0 on all processes where there is no memory for it. No element has an object.
 */
extern int GP_Allocate(int g_p);
/* Collective. The objects' memory stays the program's. 0 where there was no such array. */
extern int GP_Destroy(int g_p);
extern int GP_Get_dimension(int g_p);
/* The patch of a process; `lo` -1 and `hi` -2 where it owns nothing. */
extern void GP_Distribution(int g_p, int proc, int* lo, int* hi);
/* Prints this process's part. */
extern void GP_Debug(int g_p);

/* Of an element that this process owns. `ptr` lies, with `size` bytes, in memory of GP_Malloc; an
   object that the element had is no longer its. */
extern void GP_Assign_local_element(int g_p, int* subscript, void* ptr, int size);
/* Takes the object out of the element; NULL where it had none. */
extern void* GP_Free_local_element(int g_p, int* subscript);
/* Collective: all bytes of all objects become 0. */
extern void GP_Memzero(int g_p);

/* `ptr` points to a pointer, which gets the place of an object on this node, or NULL. */
extern void GP_Access_element(int g_p, int* subscript, void* ptr, int* size);
extern void GP_Release_element(int g_p, int* subscript);
extern void GP_Release_update_element(int g_p, int* subscript);

/* Bytes of all objects together. */
extern void GP_Get_size(int g_p, int* lo, int* hi, int* size);
extern void GP_Gather_size(int g_p, int nv, int* subscript, int* size);
/* Copies the objects to `buf`, one close behind the other; `buf_ptr` and `buf_size`, of ints, get
   where each is and its size, NULL and 0 where there is none; `size` gets the sum. `ld` and `ld_sz`
   are the leading dimensions of `buf_ptr` and `buf_size`. The copies are made and told whatever
   `setbuf` is. */
extern void GP_Get(int g_p, int* lo, int* hi, void* buf, void** buf_ptr, int* ld, void* buf_size,
                   int* ld_sz, int* size, int setbuf);
extern void GP_Gather(int g_p, int nv, int* subscript, void* buf, void** buf_ptr, int* buf_size,
                      int* size, int setbuf);
/* Writes to the objects; `size` gets the sum. With `checksize` the sizes are to be those of the
   objects, else what is smaller leaves the rest of its object as it is. */
extern void GP_Put(int g_p, int* lo, int* hi, void** buf_ptr, int* ld, void* buf_size, int* ld_sz,
                   int* size, int checksize);
extern void GP_Scatter(int g_p, int nv, int* subscript, void** buf_ptr, int* buf_size, int* size,
                       int checksize);

#ifdef __cplusplus
}
#endif

#endif

/* SF, the shared files of Global Arrays programs, on Atoll: one file of all processes, of bytes at
   offsets. Making and destroying are collective over GA's default group, or over all processes where
   GA does not run; all else is not.

   Sizes and offsets are whole numbers in doubles. Functions return 0, or a negative code that
   SF_Errmsg has words for; no failure ends the job. */
#ifndef ATOLL_GA_SF_H
#define ATOLL_GA_SF_H

#include "typesf2c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef double SFsize_t;

/* The file is called fname.N, of a number N that the library, or the caller, chooses. The sizes
   are guesses, and nobody is held to them. */
int SF_Create(char* fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size,
              int* handle);
int SF_Create_suffix(char* fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit,
                     SFsize_t req_size, int* handle, int suffix);
/* The file goes. */
int SF_Destroy(int handle);

/* Of this process: no transfers until it is opened again; and no writes from now on. */
int SF_Close(int handle);
int SF_Open(int handle);
int SF_Rwtor(int handle);

/* The buffer belongs to the request until it was waited for. Others read what was written and waited
   for, once they learn of it by a synchronization or message. */
int SF_Write(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id);
/* Within what has been written; gaps read as zeros. */
int SF_Read(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id);
/* Sets the request to -1, for which there is nothing to wait. */
int SF_Wait(int* req_id);
/* All of them; the code of the first that failed. */
int SF_Waitall(int* list, int num);
/* What this process has written and waited for is on the device. */
int SF_Fsync(int handle);

/* At most 79 characters and an end. */
void SF_Errmsg(int code, char* msg);

#ifdef __cplusplus
}
#endif

#endif

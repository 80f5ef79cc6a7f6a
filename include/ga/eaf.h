/* EAF, the exclusive access files of Global Arrays programs, on Atoll: files of one process, of bytes
   at offsets. Nothing here is collective, and one thread at a time may call.

   Offsets and lengths in files are whole numbers in doubles. Functions return 0, or a negative code
   that EAF_Errmsg has words for; no failure ends the job. */
#ifndef ATOLL_GA_EAF_H
#define ATOLL_GA_EAF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EAF_RW -1
#define EAF_W -2
#define EAF_R -3

typedef double eaf_off_t;

/* EAF_RW: the file may be there; EAF_W: what is there goes, and nothing is read; EAF_R: it is there
   and is not changed. A positive type asks for so many MB of memory and counts as EAF_RW. */
int EAF_Open(const char* fname, int type, int* fd);
/* Waits for what is under way. The file stays. */
int EAF_Close(int fd);
/* Of a closed file; one that is not there is no failure. */
int EAF_Delete(const char* fname);

int EAF_Write(int fd, eaf_off_t offset, const void* buf, size_t bytes);
/* The code of EAF_Eof if the file ends earlier; what there is was read. */
int EAF_Read(int fd, eaf_off_t offset, void* buf, size_t bytes);

/* The buffer belongs to the request until EAF_Wait, which tells how it went and frees the number. */
int EAF_Awrite(int fd, eaf_off_t offset, const void* buf, size_t bytes, int* req_id);
int EAF_Aread(int fd, eaf_off_t offset, void* buf, size_t bytes, int* req_id);
int EAF_Wait(int fd, int id);
/* status: 1 if nothing is to be waited for any more, else 0. */
int EAF_Probe(int id, int* status);

int EAF_Length(int fd, eaf_off_t* length);
/* Cuts the file, or lengthens it by zeros. */
int EAF_Truncate(int fd, eaf_off_t length);
/* Of the file system of a file or folder, also of a file not there yet: kB that may still be
   written, and its type, cut to the fslen >= 8 characters of fstype. */
int EAF_Stat(const char* path, long* avail_kb, char* fstype, int fslen);

/* 0 if the code says that a file ended, else 1. */
int EAF_Eof(int code);
/* At most 79 characters and an end. */
void EAF_Errmsg(int code, char* msg);
/* Calls, bytes, seconds and rates so far, on standard output. */
void EAF_Print_stats(int fd);

#ifdef __cplusplus
}
#endif

#endif

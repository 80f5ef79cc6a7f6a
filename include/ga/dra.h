/* Disk resident arrays of Global Arrays, in C: arrays in files, that all processes write and read
   together. Functions return 0 if all went well; what goes wrong ends the job, with a message. Only
   a file that is not there is told by DRA_Open, by -1. Indices count from 0, row-major, both ends
   are part of a section. */
#ifndef ATOLL_GA_DRA_H
#define ATOLL_GA_DRA_H

#include "chemio.h"
#include "typesf2c.h"

typedef long dra_size_t;

#define DRA_RW ELIO_RW
#define DRA_W ELIO_W
#define DRA_R ELIO_R
/* Waiting for it does nothing. */
#define DRA_REQ_INVALID -333

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments are estimates, -1 where there is none. */
extern int DRA_Init(int max_arrays, double max_array_size, double total_disk_space,
                    double max_memory);
extern int DRA_Terminate(void);

/* A new array of zeros, in place of one that has this file name. `reqdims`: the shape of typical
   sections, -1 where nobody knows. */
extern int NDRA_Create(int type, int ndim, const dra_size_t dims[], const char* name,
                       const char* filename, int mode, const dra_size_t reqdims[], int* d_a);
extern int DRA_Open(const char* filename, int mode, int* d_a);
extern int DRA_Close(int d_a);
extern int DRA_Delete(int d_a);
/* `name` and `filename` take up to 72 and 248 characters, and a zero byte. */
extern int NDRA_Inquire(int d_a, int* type, int* ndim, dra_size_t dims[], char* name,
                        char* filename);

/* Moving begins; until DRA_Wait the section of the global array belongs to it. */
extern int NDRA_Write(int g_a, int d_a, int* request);
extern int NDRA_Read(int g_a, int d_a, int* request);
extern int NDRA_Write_section(logical transp, int g_a, const int glo[], const int ghi[], int d_a,
                              const dra_size_t dlo[], const dra_size_t dhi[], int* request);
extern int NDRA_Read_section(logical transp, int g_a, const int glo[], const int ghi[], int d_a,
                             const dra_size_t dlo[], const dra_size_t dhi[], int* request);
extern int DRA_Wait(int request);
/* `compl_status` is ELIO_DONE or ELIO_OK, which here means: not done yet. Collective. */
extern int DRA_Probe(int request, int* compl_status);
extern void DRA_Flick(void);

extern void DRA_Set_debug(logical flag);
extern void DRA_Set_default_config(int numfiles, int numioprocs);
extern void DRA_Print_internals(int d_a);

#ifdef __cplusplus
}
#endif

#endif

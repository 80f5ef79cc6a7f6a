/* ARMCI: one-sided transfers between the memories of processes, by address. A process number is
   that of all processes, unless a function says that it is a group's. Functions of type int give 0;
   what fails ends the job with a message. */
#ifndef ATOLL_GA_ARMCI_H
#define ATOLL_GA_ARMCI_H

#ifndef ATOLL_WITHOUT_MPI_H /* in the library itself */
#include <mpi.h>
#endif
#include <stddef.h>
#include <stdlib.h> /* programs take malloc and RAND_MAX from here */

#ifdef __cplusplus
extern "C" {
#endif

typedef long armci_size_t;
typedef int ARMCI_Group;
typedef int armci_domain_t;

/* A nonblocking operation. ARMCI_INIT_HANDLE before its first use; contents are the library's. */
typedef struct {
  long number;
  long reserved[3];
} armci_hdl_t;
#define ARMCI_INIT_HANDLE(handle) ((void)((handle)->number = 0))

/* Pairs of addresses, of equally many bytes each. */
typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int ptr_array_len;
  int bytes;
} armci_giov_t;

/* Memory that one process asked for, as others are told of it. */
typedef struct {
  char* armci_addr; /* where transfers find it, in any process */
  char* addr;       /* where the process that asked for it finds it */
  size_t size;      /* bytes */
  int cpid;         /* the process that asked for it */
  long idlist[8];   /* the library's */
} armci_meminfo_t;

#define ARMCI_MAX_STRIDE_LEVEL 8

/* Read-modify-write. */
#define ARMCI_SWAP 10
#define ARMCI_SWAP_LONG 11
#define ARMCI_FETCH_AND_ADD 12
#define ARMCI_FETCH_AND_ADD_LONG 13

/* Accumulate: what is added, and the type of the scale. */
#define ARMCI_ACC_OFF 36
#define ARMCI_ACC_INT (ARMCI_ACC_OFF + 1)
#define ARMCI_ACC_DBL (ARMCI_ACC_OFF + 2)
#define ARMCI_ACC_FLT (ARMCI_ACC_OFF + 3)
#define ARMCI_ACC_CPL (ARMCI_ACC_OFF + 4)
#define ARMCI_ACC_DCP (ARMCI_ACC_OFF + 5)
#define ARMCI_ACC_LNG (ARMCI_ACC_OFF + 6)
#define ARMCI_ACC_RA (ARMCI_ACC_OFF + 7) /* refused */

#define ARMCI_DOMAIN_SMP 0 /* processes that share memory: a node */

int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
#ifdef MPI_VERSION
int ARMCI_Init_mpi_comm(MPI_Comm comm);
#endif
int ARMCI_Initialized(void);
void ARMCI_Finalize(void);
void ARMCI_Cleanup(void);
void ARMCI_Error(const char* msg, int code);

int ARMCI_Malloc(void* ptr_arr[], armci_size_t bytes);
int ARMCI_Malloc_group(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group);
int ARMCI_Malloc_memdev(void* ptr_arr[], armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group,
                              const char* device);
int ARMCI_Free(void* ptr);
int ARMCI_Free_group(void* ptr, ARMCI_Group* group);
int ARMCI_Free_memdev(void* ptr);
void* ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void* ptr);
void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int memflg);
void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset);
void ARMCI_Memctl(armci_meminfo_t* meminfo);
void ARMCI_Set_shm_limit(unsigned long shmemlimit);
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);

int ARMCI_Put(void* src, void* dst, int bytes, int proc);
int ARMCI_Get(void* src, void* dst, int bytes, int proc);
int ARMCI_Acc(int optype, void* scale, void* src, void* dst, int bytes, int proc);
int ARMCI_PutS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
               int count[], int stride_levels, int proc);
int ARMCI_GetS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
               int count[], int stride_levels, int proc);
int ARMCI_AccS(int optype, void* scale, void* src_ptr, int src_stride_arr[], void* dst_ptr,
               int dst_stride_arr[], int count[], int stride_levels, int proc);
int ARMCI_PutV(armci_giov_t darr[], int len, int proc);
int ARMCI_GetV(armci_giov_t darr[], int len, int proc);
int ARMCI_AccV(int op, void* scale, armci_giov_t darr[], int len, int proc);
int ARMCI_Put_flag(void* src, void* dst, int bytes, int* f, int v, int proc);
int ARMCI_PutS_flag(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                    int count[], int stride_levels, int* flag, int val, int proc);
int ARMCI_PutS_flag_dir(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                        int count[], int stride_levels, int* flag, int val, int proc);

int ARMCI_PutValueInt(int src, void* dst, int proc);
int ARMCI_PutValueLong(long src, void* dst, int proc);
int ARMCI_PutValueFloat(float src, void* dst, int proc);
int ARMCI_PutValueDouble(double src, void* dst, int proc);
int ARMCI_GetValueInt(void* src, int proc);
long ARMCI_GetValueLong(void* src, int proc);
float ARMCI_GetValueFloat(void* src, int proc);
double ARMCI_GetValueDouble(void* src, int proc);

/* Without a handle (NULL) an operation is completed by ARMCI_WaitAll, ARMCI_WaitProc and fences. */
int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbPutS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                 int count[], int stride_levels, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbGetS(void* src_ptr, int src_stride_arr[], void* dst_ptr, int dst_stride_arr[],
                 int count[], int stride_levels, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbAccS(int optype, void* scale, void* src_ptr, int src_stride_arr[], void* dst_ptr,
                 int dst_stride_arr[], int count[], int stride_levels, int proc,
                 armci_hdl_t* nb_handle);
int ARMCI_NbPutV(armci_giov_t darr[], int len, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbGetV(armci_giov_t darr[], int len, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbAccV(int op, void* scale, armci_giov_t darr[], int len, int proc,
                 armci_hdl_t* nb_handle);
int ARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* nb_handle);
int ARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* nb_handle);
int ARMCI_Wait(armci_hdl_t* nb_handle);
int ARMCI_Test(armci_hdl_t* nb_handle); /* 0: complete, 1: not yet */
int ARMCI_WaitAll(void);
int ARMCI_WaitProc(int proc);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* nb_handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* nb_handle);

int ARMCI_Rmw(int op, void* ploc, void* prem, int extra, int proc);
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_GroupFence(ARMCI_Group* group);
void ARMCI_Barrier(void);
int ARMCI_Create_mutexes(int num);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);
/* Both give the number of notifications so far, to or from that process. */
int armci_notify(int proc);
int armci_notify_wait(int proc, int* pval);

void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out);
void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out,
                              ARMCI_Group* group_parent);
void ARMCI_Group_free(ARMCI_Group* group);
int ARMCI_Group_rank(ARMCI_Group* group, int* rank); /* -1, and rank -1, for who is no member */
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_get_default(ARMCI_Group* group_out);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_world(ARMCI_Group* group_out);
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank);

int armci_domain_count(armci_domain_t domain);
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_nprocs(armci_domain_t domain, int id); /* id -1: mine */
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);

#ifdef __cplusplus
}
#endif

#endif

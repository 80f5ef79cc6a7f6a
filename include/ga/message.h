/* Messages and reductions of ARMCI programs. Of `op`, which is one of + * max min absmax absmin or,
   absmax and absmin give an absolute value; "or" is for integers, bit by bit. */
#ifndef ATOLL_GA_MESSAGE_H
#define ATOLL_GA_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who takes part, of all processes or of a group: those of my node, the first of each node, all. */
#define SCOPE_NODE 333
#define SCOPE_MASTERS 337
#define SCOPE_ALL 339

/* Types of elements. */
#define ARMCI_INT (-99)
#define ARMCI_LONG (-101)
#define ARMCI_LONG_LONG (-107)
#define ARMCI_FLOAT (-306)
#define ARMCI_DOUBLE (-307)

void armci_msg_init(int* argc, char*** argv);
void armci_msg_finalize(void);
void armci_msg_abort(int code);
int armci_msg_me(void);
int armci_msg_nproc(void);
double armci_timer(void);

/* Lengths are in bytes. */
void armci_msg_snd(int tag, void* buffer, int len, int to);
void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from);
int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen); /* gives the sender */
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group* group);

void armci_msg_bcast(void* buffer, int len, int root);
void armci_msg_brdcst(void* buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void* buffer, int len, int root);
/* `root` is a number of the group. */
void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group);
void armci_msg_clus_brdcst(void* buf, int len);
/* From process `grp_master` of the group to the `grp_clus_nproc` processes that begin with it. */
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group* mastergroup);

void armci_msg_igop(int* x, int n, char* op);
void armci_msg_lgop(long* x, int n, char* op);
void armci_msg_llgop(long long* x, int n, char* op);
void armci_msg_fgop(float* x, int n, char* op);
void armci_msg_dgop(double* x, int n, char* op);
void armci_msg_clus_igop(int* x, int n, char* op);
void armci_msg_clus_lgop(long* x, int n, char* op);
void armci_msg_clus_llgop(long long* x, int n, char* op);
void armci_msg_clus_fgop(float* x, int n, char* op);
void armci_msg_clus_dgop(double* x, int n, char* op);
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);
void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
/* The result is the first process's; the others keep what they had. */
void armci_msg_reduce(void* x, int n, char* op, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);
/* Of the records of `n` bytes that processes contribute, all get the one whose first element is the
   greatest (max) or least (min); of equal ones that of the lowest process. */
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);

/* My place in a binary tree of those who take part; -1 where nobody is. */
void armci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right);

/* ptr_ar[my number] is mine; afterwards all are there. Addresses of ARMCI's memory become such as
   serve in this process. */
void armci_exchange_address(void* ptr_ar[], int n);
void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif

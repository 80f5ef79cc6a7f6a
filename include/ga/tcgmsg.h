/* TCGMSG in C: messages between ranks, global operations, a shared counter. Lengths are in bytes.
   Whatever goes wrong ends the job, with a message. */
#ifndef ATOLL_GA_TCGMSG_H
#define ATOLL_GA_TCGMSG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. They start MPI unless it runs, and pend stops it then. What runs already is left as
   it is. */
void tcg_alt_pbegin(int* argc, char** argv[]);
void tcg_pbegin(int argc, char** argv);
void tcg_pbeginf(void);
void tcg_pbginf(void);
void tcg_pend(void);
/* Whether messages can be sent: 1 or 0. */
long tcg_ready(void);

long tcg_nodeid(void);
long tcg_nnodes(void);

/* With sync 0, tcg_waitcom completes the transfer, and until then the buffer is TCGMSG's; with
   another it is complete on return. A type is at least 0. */
void tcg_snd(long type, const void* buf, long lenbuf, long node, long sync);
/* From any node where nodeselect is -1. lenmes and nodefrom tell what came; with sync 0 nothing has
   yet, they are -1 and nodeselect. A message longer than the buffer is an error. */
void tcg_rcv(long type, void* buf, long lenbuf, long* lenmes, long nodeselect, long* nodefrom,
             long sync);
/* Transfers to and from the node; -1: all, also those from any node. */
void tcg_waitcom(long node);
/* 1 if such a message has come, else 0. node -1: from anybody. */
long tcg_probe(long type, long node);

/* Collective over all ranks; `type` is not looked at. */
void tcg_brdcst(long type, void* buf, long lenbuf, long originator);
/* Element-wise, in place. op begins with + * max min absmax absmin; for integers also with the
   bitwise or, |, and, &, and with the logical ||, &&. */
void tcg_dgop(long type, double* x, long n, const char* op);
void tcg_igop(long type, long* x, long n, const char* op);
/* Waits for all ranks and completes their one-sided operations. */
void tcg_synch(long type);

/* mproc > 0: the next of 0, 1, 2, ... that nobody else gets. mproc < 0: collective, starts again
   at 0 and returns 0. mproc 0: returns 0. */
long tcg_nxtval(long mproc);

/* Bytes of n doubles and integers; doubles that hold n integers, integers that hold n doubles. */
long tcg_mdtob(long n);
long tcg_mitob(long n);
long tcg_mdtoi(long n);
long tcg_mitod(long n);

/* Time on the wall since the start: seconds, and hundredths of them. */
double tcg_time(void);
long tcg_mtime(void);

/* Those of the C library. */
double tcg_drand48(void);
void tcg_srand48(long seed);
long tcg_niceftn(long ival);

/* Collective: gives a copy of node0's file to all ranks whose folder is another one. */
void tcg_pfcopy(long type, long node0, const char* fname);

/* Prints each transfer of this rank while value is not 0. */
void tcg_setdbg(long value);
/* Collective: prints what each rank has sent and received. */
void tcg_stats(void);
/* From now on this rank prints to the file log.<rank>. */
void tcg_llog(void);

/* Both end the job. */
void tcg_error(const char* msg, long code);
void tcg_parerr(long code);

#ifdef __cplusplus
}
#endif

#endif

/* TCGMSG's log of events. The log is that of GA as it is built by default: none is written. What a
   program logs is taken and dropped; the names and keys are there, so that it compiles and links.
 */
#ifndef ATOLL_GA_EVLOG_H
#define ATOLL_GA_EVLOG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs of a key and its value; the last is EVKEY_LAST_ARG, without one. */
void evlog(int farg_key, ...);

/* Keys; in brackets the type of the value, if there is one. */
#define EVKEY_LAST_ARG 0
#define EVKEY_BEGIN 1    /* (char *) */
#define EVKEY_END 2      /* (char *) */
#define EVKEY_EVENT 3    /* (char *) */
#define EVKEY_MSG_LEN 4  /* (int) */
#define EVKEY_MSG_TO 5   /* (int) */
#define EVKEY_MSG_FROM 6 /* (int) */
#define EVKEY_MSG_TYPE 7 /* (int) */
#define EVKEY_MSG_SYNC 8 /* (int) */
#define EVKEY_STR_INT 9  /* (char *), (int) */
#define EVKEY_STR_DBL 10 /* (char *), (double) */
#define EVKEY_STR 11     /* (char *) */
#define EVKEY_ENABLE 12
#define EVKEY_DISABLE 13
#define EVKEY_DUMP 14
#define EVKEY_FILENAME 15 /* (char *) */

#define EVENT_SND "Snd"
#define EVENT_RCV "Rcv"
#define EVENT_PROCESS "Process"

#ifdef __cplusplus
}
#endif

#endif

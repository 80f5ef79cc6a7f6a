/* Bits that a program may add to its message types, 1 to 32767, to tell what a message holds. */
#ifndef ATOLL_GA_MSGTYPESC_H
#define ATOLL_GA_MSGTYPESC_H

#define MSGDBL 65536
#define MSGINT 131072
#define MSGCHR 262144

#endif

/* What is public of ChemIO's elementary files: its constants. */
#ifndef ATOLL_GA_ELIO_H
#define ATOLL_GA_ELIO_H

#include <sys/types.h>

#include "chemio.h"

#endif

/* Installations of Global Arrays have a header of this name, with names for profilers, which Atoll
   has not. What is public is in ga.h. */
#ifndef ATOLL_GA_GA_PAPI_H
#define ATOLL_GA_GA_PAPI_H

#include "ga.h"

#endif

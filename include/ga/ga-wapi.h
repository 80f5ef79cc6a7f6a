/* For build systems that look here whether the library has properties of arrays, and what they
   find: GA_Set_property and GA_Unset_property for Fortran's integers. All else is in ga.h. */
#ifndef ATOLL_GA_GA_WAPI_H
#define ATOLL_GA_GA_WAPI_H

#include "ga.h"

#ifdef __cplusplus
extern "C" {
#endif

void wnga_set_property(Integer g_a, const char* property);
void wnga_unset_property(Integer g_a);

#ifdef __cplusplus
}
#endif

#endif

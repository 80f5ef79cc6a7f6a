/* C names of Fortran's types. Integers are 8 bytes (library atoll_ga); with ATOLL_GA_I4 defined 4
   bytes (library atoll_ga_i4). What both libraries share is compiled with ATOLL_GA_ANY_INTEGER: there
   an Integer has no size, and whoever needs it does not compile. */
#ifndef ATOLL_GA_TYPESF2C_H
#define ATOLL_GA_TYPESF2C_H

#define FATR

#ifdef ATOLL_GA_I4
typedef int Integer;
#elif defined(ATOLL_GA_ANY_INTEGER)
typedef struct AtollGaAnyInteger Integer;
#else
typedef long Integer;
#endif
typedef float Real;
typedef double DoublePrecision;

typedef Integer logical;
typedef Integer Logical;

typedef struct {
  DoublePrecision real;
  DoublePrecision imag;
} DoubleComplex;

typedef struct {
  Real real;
  Real imag;
} SingleComplex;

typedef long intp;

#endif

/* C names of Fortran's types. Integers are 8 bytes (library atoll_ga); with ATOLL_GA_I4 defined 4
   bytes (library atoll_ga_i4). */
#ifndef ATOLL_GA_TYPESF2C_H
#define ATOLL_GA_TYPESF2C_H

#define FATR

#ifdef ATOLL_GA_I4
typedef int Integer;
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

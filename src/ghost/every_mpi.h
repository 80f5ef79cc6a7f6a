// All that a program can call of its MPI: in Open MPI extensions have a header of their own.
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

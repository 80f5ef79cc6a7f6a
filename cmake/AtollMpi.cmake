# Finds MPI for C and C++: the one whose mpicxx comes first in PATH, or of MPI_HOME.
# Never asks for Fortran, whose wrapper may belong to another MPI on the same machine.
#
# The library itself needs none to be built: it finds the MPI of the process when it runs. Tests, benchmarks and
# libatoll_ghost do.

# What a wrapper says of how to compile cannot be taken apart where paths hold blanks.
find_program(ATOLL_MPI_WRAPPER mpicxx HINTS ${MPI_HOME} ENV MPI_HOME PATH_SUFFIXES bin NO_CACHE)
if(NOT MPI_CXX_COMPILER AND ATOLL_MPI_WRAPPER MATCHES " ")
  message(FATAL_ERROR
    "The path of MPI holds a blank (${ATOLL_MPI_WRAPPER}), which MPI's compilers cannot handle: put the "
    "environment, or the MPI, into a folder without one.")
endif()

set(MPI_CXX_SKIP_MPICXX TRUE)  # the C++ bindings that MPI 3.0 removed
find_package(MPI 3.1 COMPONENTS C CXX)
if(NOT MPI_CXX_FOUND AND ATOLL_DEVELOPER)
  message(FATAL_ERROR
    "Atoll's tests and benchmarks need MPI 3.1 or newer, and there is none. Either 'pip install mpich' into the "
    "active virtual environment, or load the cluster's MPI module so that mpicxx is in PATH, or give "
    "-DMPI_HOME=<prefix>; or leave the tests out with -DATOLL_DEVELOPER=OFF.")
elseif(NOT MPI_CXX_FOUND)
  message(STATUS "MPI: none; Atoll finds one when it runs. Not built: libatoll_ghost")
  set(ATOLL_MPI_NAME none)
  set(ATOLL_MPI_LIBRARY_DIR "")
  set(ATOLL_GHOST OFF)
  set(first_mpi_library none)
  set(MPI_CXX_COMPILER "")
  set(MPI_CXX_LIBRARIES "")
  set(MPI_CXX_INCLUDE_DIRS "")
  return()
endif()

# The wrapper's own rpath may be a build environment that is gone when the program runs (pip's).
# CMake adds the library's folder to programs in the build tree by itself.
foreach(target MPI::MPI_C MPI::MPI_CXX)
  set_property(TARGET ${target} PROPERTY INTERFACE_LINK_OPTIONS "")
endforeach()

# The folder of libmpi, for programs that are installed on this machine.
list(GET MPI_CXX_LIBRARIES 0 first_mpi_library)
get_filename_component(ATOLL_MPI_LIBRARY_DIR "${first_mpi_library}" DIRECTORY)

# The family of the MPI, and the command that starts ranks.
find_file(ATOLL_MPI_HEADER mpi.h HINTS ${MPI_CXX_INCLUDE_DIRS} NO_DEFAULT_PATH REQUIRED)
include(AtollMpiFamily)
atoll_mpi_family(ATOLL_MPI_FAMILY ${MPI_CXX_INCLUDE_DIRS})
# The same as MpiFamily of include/atoll/mpi_family.hpp has it.
set(ATOLL_MPI_NAME other)
if(ATOLL_MPI_FAMILY STREQUAL "MPICH")
  set(ATOLL_MPI_NAME mpich)
elseif(ATOLL_MPI_FAMILY STREQUAL "Open MPI")
  set(ATOLL_MPI_NAME open_mpi)
elseif(ATOLL_MPI_FAMILY MATCHES "standard")
  set(ATOLL_MPI_NAME standard)
endif()
message(STATUS "MPI: ${ATOLL_MPI_FAMILY}, ${first_mpi_library}, started by ${MPIEXEC_EXECUTABLE}")

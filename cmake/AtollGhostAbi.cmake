# libatoll_ghost_abi.so: the same library for MPI's standard binary interface (MPI 5), which MPICH and
# Intel MPI have in libmpi_abi.so. Not part of a whole build: `cmake --build BUILD --target atoll_ghost_abi`.

find_file(ATOLL_MPI_ABI_HEADER mpi_abi.h HINTS ${MPI_CXX_INCLUDE_DIRS} NO_DEFAULT_PATH)
find_library(ATOLL_MPI_ABI_LIBRARY NAMES mpi_abi libmpi_abi.so.1 HINTS ${ATOLL_MPI_LIBRARY_DIR}
             NO_DEFAULT_PATH)
mark_as_advanced(ATOLL_MPI_ABI_HEADER ATOLL_MPI_ABI_LIBRARY)
set(abi_there OFF)
if(ATOLL_MPI_ABI_HEADER AND ATOLL_MPI_ABI_LIBRARY)
  set(abi_there ON)
endif()
option(ATOLL_GHOST_ABI "A target for the library of MPI's standard binary interface" ${abi_there})
if(NOT ATOLL_GHOST_ABI)
  return()
elseif(NOT abi_there)
  message(FATAL_ERROR "ATOLL_GHOST_ABI=ON, but ${MPI_CXX_INCLUDE_DIRS} has no mpi_abi.h, or "
                      "${ATOLL_MPI_LIBRARY_DIR} no libmpi_abi.so: expected those of MPICH 5")
endif()

# MPI's own mpi.h is that of the standard with MPI_ABI.
add_library(atoll_mpi_abi INTERFACE)
target_include_directories(atoll_mpi_abi SYSTEM INTERFACE ${MPI_CXX_INCLUDE_DIRS})
target_compile_definitions(atoll_mpi_abi INTERFACE MPI_ABI)
target_link_libraries(atoll_mpi_abi INTERFACE ${ATOLL_MPI_ABI_LIBRARY})

add_ghost(atoll_ghost_abi atoll_mpi_abi ${PROJECT_BINARY_DIR}/ghost_abi
          "${MPI_CXX_INCLUDE_DIRS}" MPI_ABI)

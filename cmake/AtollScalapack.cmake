# ScaLAPACK and ELPA for the solvers: loaded at run time, where they are found for the MPI in use.
# Without ScaLAPACK they run on one rank with LAPACK.
find_package(LAPACK)
if(NOT LAPACK_FOUND)
  message(FATAL_ERROR "Atoll needs LAPACK: on Debian, apt-get install libopenblas-dev; on Fedora, dnf "
                      "install openblas-devel; in a conda environment, conda install openblas and "
                      "CMAKE_PREFIX_PATH=$CONDA_PREFIX; of others, "
                      "set BLA_VENDOR and CMAKE_PREFIX_PATH")
endif()

set(ATOLL_SCALAPACK AUTO CACHE STRING "ScaLAPACK for the solvers: AUTO, OFF, or a shared library")
set(ATOLL_ELPA AUTO CACHE STRING "ELPA for their eigenvalues: AUTO, OFF, or a shared library")

# sets `result` to the names of the MPI libraries that a shared library was linked with.
function(mpi_libraries_of library result)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCHALL "NEEDED[^\n]*\\[libmpi(ch)?\\.so\\.[0-9]+\\]" names "${text}")
  list(TRANSFORM names REPLACE "^.*\\[|\\]$" "")
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# Whether a library that needs `name` runs with the MPI in use: the same library, or another of the
# MPICH family, whose libraries share one binary interface and differ in name.
function(fits_our_mpi name result)
  set(fits FALSE)
  foreach(library IN LISTS MPI_C_LIBRARIES MPI_CXX_LIBRARIES)
    execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE text ERROR_QUIET)
    if(text MATCHES "SONAME[^\n]*\\[([^]]*)\\]")
      set(ours "${CMAKE_MATCH_1}")
    else()  # a linker script, which names the library
      file(STRINGS ${library} text REGEX "libmpi.*\\.so\\.[0-9]+")
      string(REGEX MATCH "libmpi[a-z_]*\\.so\\.[0-9]+" ours "${text}")
    endif()
    if(ours AND (name STREQUAL ours OR
       ("${name} ${ours}" MATCHES "^libmpi(ch)?\\.so\\.12 libmpi(ch)?\\.so\\.12$")))
      set(fits TRUE)
    endif()
  endforeach()
  set(${result} ${fits} PARENT_SCOPE)
endfunction()

# sets `result` to the file of the library that the variable `setting` asks for (AUTO: by one of the
# names given), if it runs with the MPI in use; else to nothing.
function(find_for_our_mpi setting result)
  if(${setting} STREQUAL "AUTO")
    find_library(${setting}_FOUND NAMES ${ARGN} HINTS ${ATOLL_MPI_LIBRARY_DIR})
    set(library "${${setting}_FOUND}")
  else()
    set(library "${${setting}}")
  endif()
  set(${result} "" PARENT_SCOPE)
  if(NOT library OR NOT library MATCHES "\\.so")
    return()
  endif()
  mpi_libraries_of(${library} needed)
  # Of a library that was named we believe that it fits.
  if(NOT needed AND ${setting} STREQUAL "AUTO")
    message(STATUS "${library} does not say which MPI it needs")
    return()
  endif()
  foreach(name IN LISTS needed)
    fits_our_mpi(${name} fits)
    if(NOT fits)
      message(STATUS "${library} needs ${name}, not the MPI in use")
      return()
    endif()
  endforeach()
  # The name with the version, which a machine without its development package has, too.
  file(REAL_PATH ${library} real)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "SONAME[^\n]*\\[([^]]*)\\]")
    get_filename_component(directory ${real} DIRECTORY)
    set(real ${directory}/${CMAKE_MATCH_1})
  endif()
  set(${result} ${real} PARENT_SCOPE)
endfunction()

# choose_library(setting NAME...): sets ${setting}_LIBRARY, what the solvers load, or nothing.
function(choose_library setting)
  set(library "")
  if(${setting})
    find_for_our_mpi(${setting} library ${ARGN})
    if(NOT library AND NOT ${setting} STREQUAL "AUTO")
      message(FATAL_ERROR
              "${setting}=${${setting}} is no shared library for ${first_mpi_library}")
    endif()
  endif()
  set(${setting}_LIBRARY "${library}" CACHE INTERNAL "what the solvers load")
endfunction()

string(TOLOWER "${ATOLL_MPI_FAMILY}" family)
string(REPLACE " " "" family "${family}")
choose_library(ATOLL_SCALAPACK scalapack-${family} scalapack)
choose_library(ATOLL_ELPA elpa elpa_openmp)
if(ATOLL_SCALAPACK_LIBRARY)
  message(STATUS "ScaLAPACK: ${ATOLL_SCALAPACK_LIBRARY}, loaded when needed")
else()
  message(STATUS "ScaLAPACK: none, solvers run on one rank")
endif()

# ELPA speaks Fortran's MPI, whose library has to be of the same version as ours.
set(ATOLL_ELPA_MPI_FORTRAN "")
if(ATOLL_ELPA_LIBRARY)
  message(STATUS "ELPA: ${ATOLL_ELPA_LIBRARY}, loaded when needed")
  execute_process(COMMAND ${CMAKE_READELF} -d ${ATOLL_ELPA_LIBRARY} OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCH "libmpi(_mpifh|fort)\\.so\\.[0-9]+" ATOLL_ELPA_MPI_FORTRAN "${text}")
endif()

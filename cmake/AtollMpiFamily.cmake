# atoll_mpi_family(RESULT FOLDER...): sets RESULT to the family of the MPI whose mpi.h the C++ compiler reads
# with these folders to include from: "MPICH" (and what shares its binary interface), "Open MPI",
# "MPI's standard binary interface" or "another MPI"; to nothing where it reads none.
# As include/atoll/mpi_header.hpp has it.
function(atoll_mpi_family result)
  list(TRANSFORM ARGN PREPEND "-I" OUTPUT_VARIABLE includes)
  set(source ${CMAKE_BINARY_DIR}/CMakeFiles/atoll_mpi_family.cpp)
  file(WRITE ${source} "#include <mpi.h>\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${includes} -E -dM ${source}
                  OUTPUT_VARIABLE macros ERROR_QUIET RESULT_VARIABLE status)
  set(family "")
  if(status EQUAL 0)
    set(family "another MPI")
    if(macros MATCHES "#define OMPI_MAJOR_VERSION ")
      set(family "Open MPI")
    elseif(macros MATCHES "#define (MPICH_NAME|I_MPI_VERSION) ")
      set(family "MPICH")
    elseif(macros MATCHES "#define MPI_ABI_VERSION ")
      set(family "MPI's standard binary interface")
    endif()
  endif()
  set(${result} "${family}" PARENT_SCOPE)
endfunction()

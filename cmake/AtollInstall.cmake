# What `cmake --install` puts where: the library, its headers, find_package and pkg-config files.

install(TARGETS atoll EXPORT atollTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/atoll DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT atollTargets NAMESPACE atoll:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/atoll)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/atollConfig.cmake.in ${PROJECT_BINARY_DIR}/atollConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/atoll)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/atollConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/atollConfig.cmake ${PROJECT_BINARY_DIR}/atollConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/atoll)

list(JOIN MPI_CXX_LIBRARIES " " atoll_pc_mpi_libraries)
list(JOIN LAPACK_LIBRARIES " " atoll_pc_lapack_libraries)
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-isystem " OUTPUT_VARIABLE atoll_pc_mpi_includes)
list(JOIN atoll_pc_mpi_includes " " atoll_pc_mpi_includes)
configure_file(${CMAKE_CURRENT_LIST_DIR}/atoll.pc.in ${PROJECT_BINARY_DIR}/atoll.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/atoll.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

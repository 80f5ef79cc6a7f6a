# libatoll_simulation.so: loaded before all others by `atoll simulate` (docs/simulation.md), it stands in the place
# of MPI, of the clock, and of whatever threads wait for. Nothing else is linked with it.
file(GLOB_RECURSE simulation_sources CONFIGURE_DEPENDS src/simulation/*.cpp)
add_library(atoll_simulation SHARED ${simulation_sources})
atoll_compile(atoll_simulation)
target_include_directories(atoll_simulation PRIVATE src include)
target_link_libraries(atoll_simulation PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(atoll_simulation PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/simulation/exports.map -Wl,-z,defs)
set_target_properties(atoll_simulation PROPERTIES
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/simulation/exports.map)
if(DEFINED SKBUILD)  # beside libatoll_ghost.so
  install(TARGETS atoll_simulation LIBRARY DESTINATION ${SKBUILD_DATA_DIR}/lib
          COMPONENT python EXCLUDE_FROM_ALL)
endif()
install(TARGETS atoll_simulation LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

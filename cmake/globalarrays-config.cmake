# find_package(globalarrays): GlobalArrays::ga, Atoll's library for 8-byte Fortran integers, and
# GlobalArrays::ga_i4.
include(CMakeFindDependencyMacro)
find_dependency(atoll)
add_library(GlobalArrays::ga ALIAS atoll::atoll_ga)
if(TARGET atoll::atoll_ga_i4)
  add_library(GlobalArrays::ga_i4 ALIAS atoll::atoll_ga_i4)
endif()

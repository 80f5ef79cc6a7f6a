# The libraries that programs written for Global Arrays link: atoll_ga, whose Fortran integers have
# 8 bytes, and atoll_ga_i4, where they have 4. Their headers are in include/ga.

file(GLOB ga_sources CONFIGURE_DEPENDS src/compat/*.cpp src/compat/*/*.cpp
     src/compat/*/*/*.cpp)

# add_ga_library(NAME [DEFINITION...])
function(add_ga_library name)
  add_library(${name} ${ga_sources})
  atoll_compile(${name})
  target_compile_definitions(${name} PUBLIC ${ARGN})
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/ga>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC atoll)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

add_ga_library(atoll_ga)
add_ga_library(atoll_ga_i4 ATOLL_GA_I4)

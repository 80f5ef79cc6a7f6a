# atoll_compile(target): the compile flags that all of Atoll's own code shares.

set(sanitizers address undefined thread address,undefined)
if(ATOLL_SANITIZE AND NOT ATOLL_SANITIZE IN_LIST sanitizers)
  message(FATAL_ERROR "ATOLL_SANITIZE=${ATOLL_SANITIZE} is unknown; use address, undefined, thread or address,undefined.")
endif()
if(ATOLL_SANITIZE)
  # For the whole build, GoogleTest included: mixing is what makes sanitizers report falsely.
  add_compile_options(-fsanitize=${ATOLL_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ATOLL_SANITIZE})
  if(ATOLL_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  if(ATOLL_SANITIZE STREQUAL "address,undefined")
    # The address sanitizer catches these by itself; checking them twice costs a third of the build.
    add_compile_options(-fno-sanitize=null,object-size)
  endif()
  # At the -O1 of sanitized builds Clang makes no vectors of the loops that may be made of them.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-Wno-pass-failed>)
  # Clang says what it sanitizes in another way; GCC's is what the sources ask for.
  if(ATOLL_SANITIZE MATCHES "address")
    add_compile_definitions($<$<CXX_COMPILER_ID:Clang,AppleClang>:__SANITIZE_ADDRESS__>)
  elseif(ATOLL_SANITIZE STREQUAL "thread")
    add_compile_definitions($<$<CXX_COMPILER_ID:Clang,AppleClang>:__SANITIZE_THREAD__>)
  endif()
  if(ATOLL_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC warns that it does not follow fences. Ours order stores for other processes, which the
    # sanitizer does not see at all; between threads of one process we use atomics and mutexes.
    add_compile_options(-Wno-tsan)
  endif()
endif()

# Six tenths of the processor time to build all of it, more for a change: for builds that are made once.
set(ATOLL_PACKS 0 CACHE STRING
  "Compile up to so many source files as one, where they share no names of their own; 0: each by itself")
if(ATOLL_PACKS)
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
endif()

# GCC clears and copies what has some 100 to 500 bytes, as patches and requests have, by string
# instructions, which take 10 ns to begin; vectors take 2.
include(CheckCXXCompilerFlag)
set(by_vectors vector_loop:512:noalign,libcall:-1:noalign)
set(atoll_small_copies -mmemset-strategy=${by_vectors} -mmemcpy-strategy=${by_vectors})
check_cxx_compiler_flag("${atoll_small_copies}" ATOLL_COPIES_SMALL_BY_VECTORS)

# pack_sources(TARGET): see ATOLL_PACKS.
function(pack_sources target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^[^$]*\\.cpp$")
  list(LENGTH sources count)
  if(count LESS 2)
    return()
  endif()
  # libatoll_ghost.so takes the objects of the lower layers, and nothing that needs BLAS.
  set(upper ${sources})
  list(FILTER upper EXCLUDE REGEX "src/(mpi|world|transport|array)/")
  set(lower ${sources})
  list(FILTER lower INCLUDE REGEX "src/(mpi|world|transport|array)/")
  foreach(layers IN ITEMS lower upper)
    if(NOT ${layers})
      continue()
    endif()
    execute_process(
      COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/packs.py ${ATOLL_PACKS} ${${layers}}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE packed COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" packed "${packed}")
    foreach(line IN LISTS packed)
      string(REGEX MATCH "^([0-9]+)=(.*)$" line "${line}")
      set(source ${CMAKE_MATCH_2})
      set(group ${target}_${layers}_${CMAKE_MATCH_1})
      get_property(packed_already SOURCE ${source} PROPERTY UNITY_GROUP SET)
      if(NOT packed_already)  # of two targets: as for the first one
        set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${group})
      endif()
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A local name may hide one of a header that only another file reads; builds without packs warn.
  # What is in no other file may derive from what is in this one only, which GCC cannot tell of an included file.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# Compilers that are not tried each day warn of what nobody has seen: that must not keep a newcomer from building.
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15))
  set(known_compiler ON)
else()
  set(known_compiler OFF)
endif()
option(ATOLL_WARNINGS_ARE_ERRORS "With ATOLL_DEVELOPER: a warning ends the build" ${known_compiler})

function(atoll_compile target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  # No fused multiply-add behind our back: results are to equal NumPy's to the last bit.
  target_compile_options(${target} PRIVATE -ffp-contract=off
    $<$<AND:$<BOOL:${ATOLL_COPIES_SMALL_BY_VECTORS}>,$<COMPILE_LANGUAGE:CXX>>:${atoll_small_copies}>)
  if(ATOLL_DEVELOPER)
    target_compile_options(${target} PRIVATE
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${ATOLL_WARNINGS_ARE_ERRORS}>:-Werror>
      # GCC 12 reports impossible overlaps inside std::string concatenation (GCC bug 105651).
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
  endif()
  if(ATOLL_PACKS)
    pack_sources(${target})
  endif()
endfunction()

# atoll_precompile(TARGET [HEADER...]): the headers that nearly every file reads, read once; HEADERs are
# those of our own. Only for developers: a package is built from what each file includes itself.
function(atoll_precompile target)
  if(ATOLL_DEVELOPER)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <complex> <cstdint> <cstring> <functional> <map> <memory> <optional>
      <span> <string> <string_view> <vector> ${ARGN})
    # GCC 12 forgets that what it read from there are the system's headers, and warns of impossible sizes
    # inside them.
    target_compile_options(${target} PRIVATE
      "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds;-Wno-stringop-overflow>")
  endif()
endfunction()

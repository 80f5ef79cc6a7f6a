# Finds or builds GoogleTest, as the target GTest::gtest.
# With a sanitizer it is built here with the same flags; otherwise an installed one does.

if(NOT ATOLL_SANITIZE)
  find_package(GTest QUIET)
  if(GTest_FOUND)
    return()
  endif()
endif()

find_path(ATOLL_GOOGLETEST_SOURCE googletest/include/gtest/gtest.h
  PATHS ${PROJECT_SOURCE_DIR}/.deps/usr/src/googletest /usr/src/googletest NO_DEFAULT_PATH
  DOC "The GoogleTest source tree")
if(NOT ATOLL_GOOGLETEST_SOURCE)
  message(FATAL_ERROR
    "The C++ tests need GoogleTest and found none. Run scripts/get-googletest.sh (no root needed), "
    "or install it (Debian: googletest), or give -DATOLL_GOOGLETEST_SOURCE=<its source tree>, "
    "or leave the tests out with -DBUILD_TESTING=OFF.")
endif()
set(BUILD_GMOCK OFF CACHE INTERNAL "")
set(INSTALL_GTEST OFF CACHE INTERNAL "")
set(atoll_saved_shared ${BUILD_SHARED_LIBS})
set(BUILD_SHARED_LIBS OFF)
add_subdirectory(${ATOLL_GOOGLETEST_SOURCE} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
set(BUILD_SHARED_LIBS ${atoll_saved_shared})
if(NOT TARGET GTest::gtest)
  add_library(GTest::gtest ALIAS gtest)
endif()

# The BLAS that products of matrices use: any that CMake finds (BLA_VENDOR chooses), with 32-bit
# integers and Fortran's names.
find_package(BLAS)
if(NOT BLAS_FOUND)
  message(FATAL_ERROR "Atoll needs a BLAS: on Debian, apt-get install libopenblas-dev; of others, "
                      "set BLA_VENDOR and CMAKE_PREFIX_PATH")
endif()

# The BLAS that products of matrices use: any that CMake finds (BLA_VENDOR chooses), with 32-bit
# integers and Fortran's names.
find_package(BLAS)
if(NOT BLAS_FOUND)
  message(FATAL_ERROR "Atoll needs a BLAS: on Debian, apt-get install libopenblas-dev; on Fedora, dnf "
                      "install openblas-devel; in a conda environment, conda install openblas and "
                      "CMAKE_PREFIX_PATH=$CONDA_PREFIX; of others, "
                      "set BLA_VENDOR and CMAKE_PREFIX_PATH")
endif()

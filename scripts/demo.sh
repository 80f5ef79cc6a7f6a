#!/usr/bin/env bash
# The main job on a bare machine: sets Atoll up in .venv and computes the Hartree-Fock energy of a
# water molecule with two processes. Arguments, if any, replace those of `atoll`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need_tools
make_environment .venv libmpi.so.12 build chem
check_launcher .venv libmpi.so.12
say "building Atoll and installing it into .venv: some 3 minutes with two cores, at the first time"
# Without the libraries for programs written for Global Arrays, which take as long again.
install_atoll .venv build/wheel --config-settings cmake.define.ATOLL_GA=OFF \
  --config-settings cmake.define.ATOLL_PACKS=8

if (($# == 0)); then
  set -- energy examples/water.xyz --basis cc-pvdz
fi
command=(.venv/bin/mpiexec -n 2 .venv/bin/atoll "$@")
say "running: ${command[*]}"
exec "${command[@]}"

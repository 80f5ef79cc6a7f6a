#!/usr/bin/env bash
# Builds and tests.
#
#   bash scripts/test.sh                    what a newcomer runs: one MPI, every family of tests, 15 minutes
#   bash scripts/test.sh quick              after a small change: the C++ tests of the layers that it concerns, 3 minutes
#   bash scripts/test.sh ci                 what continuous integration runs: a core, the README's first command in a
#                                           bare system, and one of four slices of the rest in turn, 45 minutes
#   bash scripts/test.sh all                all of it: both MPIs, hosts, kill, packaging, lint and sanitizers,
#                                           40 minutes, on slow machines twice that
#   bash scripts/test.sh release            all of it, and the tests of other projects, an hour more: writes docs/conformance.md
#   bash scripts/test.sh lint               one group: newcomer, mpich, openmpi, cluster, lint, sanitize, core, slice1
#   bash scripts/test.sh cpp_mpich tidy     stages by name (scripts/stages.sh)
#   bash scripts/test.sh simulate 8         schedules by seeds (docs/simulation.md), for eight hours
#
# A test that fails is run again alone, three times; one that passes then is named under FLAKY at the end and in
# build/flaky.txt, and fails nothing. A stage that fails does not stop the others. Logs: build/logs/. The last line
# says how many tests passed and failed; a stage without tests of its own (a build, a linter) counts as one.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if [[ ${1:-} == simulate && ${2:-} =~ ^[0-9]+$ ]]; then
  export SIMULATE_HOURS=$2
  set -- simulate
fi
source scripts/summary.sh
source scripts/stages.sh
source scripts/again.sh

if [[ ${1:-} == --inside ]]; then
  "stage_$2"
  exit
fi

# run_stage NAME: runs one stage; its output goes to a log, its status, time and processor time to a
# file beside it.
run_stage() {
  local name=$1 start=$SECONDS status=0 used TIMEFORMAT='%U %S' priority=0
  # What may run beside tests leaves the cores to them.
  if [[ $name =~ ^(build_|tidy|pristine) ]]; then priority=10; fi
  used=$({ time nice -n $priority timeout --kill-after=10 "${limits[$name]:-$default_limit}" \
    bash scripts/test.sh --inside "$name" > "build/logs/$name.log" 2>&1; } 2>&1) || status=$?
  used=$(awk '{printf "%.0f", $1 + $2}' <<< "$used")
  echo "$status $((SECONDS - start)) $used" > "build/logs/$name.status"
}

# report_stage NAME: prints how a stage went and adds to the sums.
report_stage() {
  local name=$1 log=build/logs/$1.log status seconds used passed failed test skipped
  read -r status seconds used < "build/logs/$name.status"
  skipped=$(sed -n 's/^atoll: skipped: //p' "$log")
  if ((status == 0)) && [[ $skipped ]]; then
    printf '%-17s skipped %4d s %5d s  %s\n' "$name" "$seconds" "$used" "$skipped"
    return
  fi
  read -r passed failed < <(counts "$log")
  if ((status != 0 && failed == 0)); then failed=1; fi
  if ((status == 0 && passed == 0)); then passed=1; fi
  total_passed=$((total_passed + passed))
  if ((status == 0)); then
    printf '%-17s ok      %4d s %5d s  %d passed\n' "$name" "$seconds" "$used" "$passed"
    return
  fi
  printf '%-17s FAILED  %4d s %5d s  %d passed, %d failed; the end of %s:\n' \
    "$name" "$seconds" "$used" "$passed" "$failed" "$log"
  if ((status == 124 || status == 137)); then echo "    (stopped after its time limit)"; fi
  test=$(last_test "$log")
  if [[ $test ]]; then echo "    it was at $test"; fi
  tail -n 40 "$log" | sed 's/^/    /'
  if passes_again "$name"; then
    echo "    FLAKY: what failed has passed three times alone"
    remember_flaky "$name"
    total_passed=$((total_passed + failed))
  else
    failed_stages+=("$name") total_failed=$((total_failed + failed))
  fi
}

need_tools
wanted=()
words=("${@:-newcomer}")
if [[ ${words[*]} == ci ]]; then
  words=(core "$(slice_of_commit)")
  say "the core and ${words[1]} of 4, by the number of commits"
fi
for word in "${words[@]}"; do
  for entry in ${stages[$word]:-$word}; do  # split at blanks
    for name in ${entry//+/ }; do
      [[ $(type -t "stage_$name") == function ]] ||
        fail "no stage or group is called '$name'; groups: ${!stages[*]}"
    done
    wanted+=("$entry")
  done
done

if [[ ${wanted[*]} == *cluster_* ]]; then
  offer_cluster_tools
  offer_slurm
fi
if [[ ${wanted[*]} == *every_mpi* ]]; then
  offer_mpis
fi
if [[ ${wanted[*]} == *build_* ]]; then
  offer_scalapack
  offer_uring
  offer_fortran
fi
if [[ ${wanted[*]} =~ build_(openmpi|asan_ubsan|tsan) ]]; then
  offer_clang
fi

case ${*:-newcomer} in  # what runs at which ranks x nodes
  newcomer) print_design first ;;
  ci) print_design first rest openmpi asan_ubsan tsan ;;
  all | release) print_design mpich openmpi asan_ubsan tsan ;;
esac
mkdir -p build/logs
rm -f build/flaky.txt
printf '%-17s %12s %7s\n' stage time processor
total_passed=0 total_failed=0 failed_stages=()
for entry in "${wanted[@]}"; do
  if [[ -t 1 ]]; then printf '%s ...\r' "$entry"; fi
  for name in ${entry//+/ }; do
    run_stage "$name" &
  done
  wait
  for name in ${entry//+/ }; do
    report_stage "$name"
  done
done
ran=(${wanted[*]//+/ })
slowest "${ran[@]/#/build/logs/}"
printf 'total time %d min %02d s\n' $((SECONDS / 60)) $((SECONDS % 60))
if [[ -e build/flaky.txt ]]; then
  echo "FLAKY, each a defect to mend (build/flaky.txt; what they said is in build/logs/):"
  sed 's/^/    /' build/flaky.txt
fi
if ((${#failed_stages[@]} > 0)); then
  for name in "${failed_stages[@]}"; do  # once more, since of much output often only the end is read
    echo "$name, first signs of failure:"
    signs "build/logs/$name.log" | cut -c 1-300 | sed 's/^/    /'
  done
  printf 'failed: %s\n' "${failed_stages[*]}"
fi
printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
((total_failed == 0))

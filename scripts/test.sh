#!/usr/bin/env bash
# Builds and tests everything: both MPIs, C++ and Python, packaging, lint and sanitizers.
#
#   bash scripts/test.sh                    all of it
#   bash scripts/test.sh lint               one group: mpich, openmpi, lint, sanitize
#   bash scripts/test.sh cpp_mpich tidy     stages by name (scripts/stages.sh)
#
# A stage that fails does not stop the others. Logs: build/logs/. The last line says how many tests
# passed and failed; a stage without tests of its own (a build, a linter) counts as one.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/summary.sh
source scripts/stages.sh

if [[ ${1:-} == --inside ]]; then
  "stage_$2"
  exit
fi

# run_stage NAME: runs one stage and adds to the sums.
run_stage() {
  local name=$1 log=build/logs/$1.log start=$SECONDS status=0 passed failed
  local limit=${limits[$name]:-$default_limit}
  printf '%-15s ' "$name"
  timeout --kill-after=10 "$limit" bash scripts/test.sh --inside "$name" > "$log" 2>&1 || status=$?
  read -r passed failed < <(counts "$log")
  if ((status != 0 && failed == 0)); then failed=1; fi
  if ((status == 0 && passed == 0)); then passed=1; fi
  total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed))
  if ((status == 0)); then
    printf 'ok      %4d s  %d passed\n' $((SECONDS - start)) "$passed"
    return
  fi
  failed_stages+=("$name")
  printf 'FAILED  %4d s  %d passed, %d failed; the end of %s:\n' \
    $((SECONDS - start)) "$passed" "$failed" "$log"
  if ((status == 124 || status == 137)); then echo "    (stopped after $limit s)"; fi
  tail -n 40 "$log" | sed 's/^/    /'
}

need_tools
wanted=()
for word in "${@:-all}"; do
  for name in ${stages[$word]:-$word}; do  # split at blanks
    [[ $(type -t "stage_$name") == function ]] ||
      fail "no stage or group is called '$name'; groups: ${!stages[*]}"
    wanted+=("$name")
  done
done

mkdir -p build/logs
total_passed=0 total_failed=0 failed_stages=()
for name in "${wanted[@]}"; do
  run_stage "$name"
done
printf 'total time %d min %02d s\n' $((SECONDS / 60)) $((SECONDS % 60))
if ((${#failed_stages[@]} > 0)); then
  printf 'failed: %s\n' "${failed_stages[*]}"
fi
printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
((total_failed == 0))

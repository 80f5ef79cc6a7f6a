# Reads the results out of a log, for scripts/test.sh.
# shellcheck shell=bash

# counts LOG: "passed failed", summed over the results of GoogleTest and pytest in a log.
counts() {
  awk '
    match($0, /\[  PASSED  \] [0-9]+ test/) { passed += number(substr($0, RSTART, RLENGTH)) }
    match($0, /\[  FAILED  \] [0-9]+ test.*listed below/) { failed += number(substr($0, RSTART, RLENGTH)) }
    / in [0-9.]+s/ && / (passed|failed|errors?)[, ]/ {
      for (i = 2; i <= NF; ++i) {
        if ($i ~ /^passed/) passed += $(i - 1)
        if ($i ~ /^(failed|errors?)/) failed += $(i - 1)
      }
    }
    function number(text) { gsub(/[^0-9]/, "", text); return text }
    END { print passed + 0, failed + 0 }' "$1"
}

# last_test LOG: the test at which a log stops, or that failed last: a hang has a name then. Nothing
# where all ended well.
last_test() {
  awk '
    { gsub(/\033\[[0-9;]*m/, "") }
    match($0, /watchdog: .* took over/) { named = substr($0, RSTART + 10, RLENGTH - 20) }
    match($0, /FAILED on rank .*: tests\//) {
      named = substr($0, RSTART + RLENGTH - 6); sub(/ \([a-z]+\)$/, "", named)
    }
    # GoogleTest and `pytest -v` say which test begins; what comes in between may be of other ranks.
    match($0, /\[ RUN      \] [^ ]+/) { running = substr($0, RSTART + 13, RLENGTH - 13) }
    /\[       OK \]|\[  FAILED  \]|\[  SKIPPED \]/ { running = "" }
    match($0, /^tests\/[^ ]+\.py::.*/) { running = $0; sub(/ +(Timeout .*)?$/, "", running) }
    /(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)/ { if (running ~ /^tests/) running = "" }
    END { print named != "" ? named : running }' "$1"
}

# signs LOG: the first lines that say what went wrong. A log may end far behind them: ctest and make
# go on after a failure.
signs() {
  grep -aE -m 12 'Sanitizer: |runtime error: |^[^ ]* *[^ ]*error: |\[  FAILED  \]|: Failure$|watchdog: |EXIT STRING|\*\*\*(Failed|Timeout|Exception)|^(FAILED|ERROR) tests/' "$1" || true
}

# slowest LOG...: the ten tests that took longest in these (names without .log), over all shapes, and the ten files that
# took longest to compile.
slowest() {
  local builds=(build/*/.ninja_log)
  echo "slowest tests (seconds over all runs):"
  sed -nE 's/^([0-9]+: )?\[       OK \] (.*) \(([0-9]+) ms\)$/\3 \2/p' "${@/%/.log}" |
    awk '{sum[$2] += $1} END {for (test in sum) printf "%7.1f  %s\n", sum[test] / 1000, test}' |
    sort -rn | sed -n 1,10p
  if [[ -e ${builds[0]} ]]; then
    echo "slowest files to compile (seconds):"
    awk '!/^#/ && /\.o\t/ {printf "%7.1f  %s: %s\n", ($2 - $1) / 1000, FILENAME, $4}' "${builds[@]}" |
      sed -E 's#build/([^/]*)/.ninja_log#\1#; s#(tests/)?CMakeFiles/[^ ]*\.dir/##' | sort -rn | sed -n 1,10p
  fi
}

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

# A test that fails is run again alone, three times (docs/testing.md). If it passes thrice the run goes on and names
# it as flaky, at the end and in build/flaky.txt: a defect to mend, but no reason to throw the rest away.
# shellcheck shell=bash

# select_tests PATH...: what pytest is to run of these: all, or, when tests run again, those of the file TEST_AGAIN
# that lie there.
select_tests() {
  local path
  if [[ -z ${TEST_AGAIN:-} ]]; then
    printf '%s\n' "$@"
    return
  fi
  for path in "$@"; do
    awk -v path="$path" 'index($0, path "/") == 1 || index($0, path "::") == 1' "$TEST_AGAIN"
  done
}

# unended_tests LOG: tests of GoogleTest that began and did not end, in each of the runs that CTest has numbered.
unended_tests() {
  awk '
    match($0, /^[0-9]+: \[ RUN      \] [^ ]+/) { split(substr($0, 1, RLENGTH), word, / +/); running[word[1]] = word[5] }
    /^[0-9]+: \[       OK \]|^[0-9]+: \[  (FAILED|SKIPPED)  ?\]/ { running[$1] = "" }
    END { for (run in running) if (running[run] != "") print running[run] }' "$1"
}

# failed_tests LOG: the names of the tests that failed, one a line, and of those at which a run ended early.
failed_tests() {
  {
    grep -aoP '^(FAILED|ERROR) \Ktests/\S+\.py::\w+(::\w+)*(\[.*?\])?(?= - |$)' "$1"
    grep -aoP 'FAILED on rank .*?: \Ktests/.*(?= \(\w+\)$)' "$1"
    grep -aoP '\[  FAILED  \] \K[\w/]+\.[\w/]+' "$1"
    grep -aoP 'tests: \K[\w/]+\.[\w/]+(?= failed fatally on | was skipped on some)|watchdog: \K.*(?= took over )' "$1"
    unended_tests "$1"
    last_test "$1"
  } | sed '/^$/d' | sort -u || true
}

# ends_early STAGE: whether a test of this stage that fails may end a run, so that those behind it did not run.
ends_early() { [[ $1 =~ cpp|python|chem|san ]]; }

most_again=10  # more tests than that fail for a reason

# passes_again STAGE: whether what failed there passes three times alone, and the rest, where it did not run, too.
passes_again() {
  local stage=$1 log=build/logs/$1.log list=build/logs/$1.failed number
  failed_tests "$log" > "$list"
  number=$(wc -l < "$list")
  if ((number == 0 || number > most_again)); then return 1; fi
  for number in 1 2 3; do
    TEST_AGAIN=$list run_again "$stage" "$number" || return 1
    # Names that nothing selects would pass, too.
    [[ $(counts "build/logs/$stage.again-$number.log") != "0 "* ]] || return 1
  done
  if ends_early "$stage"; then run_again "$stage" whole || return 1; fi
}

# run_again STAGE NAME: the log of this run ends with NAME.
run_again() {
  timeout --kill-after=10 "${limits[$1]:-$default_limit}" bash scripts/test.sh --inside "$1" \
    > "build/logs/$1.again-$2.log" 2>&1
}

# remember_flaky STAGE: for the end of the run, and for who looks later.
remember_flaky() { sed "s/^/$1: /" "build/logs/$1.failed" >> build/flaky.txt; }

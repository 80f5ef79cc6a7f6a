#!/usr/bin/env bash
# Judges Atoll by other projects' tests, and writes docs/conformance.md.
#
#   bash scripts/conformance.sh             all suites, of what is installed in .venv and built in build/mpich
#   bash scripts/conformance.sh mpich ga    these alone; the rows of the others stay as they are
#   bash scripts/conformance.sh mpich -- --resume    what stands behind -- is for scripts/conformance_mpich.py
#
# What a suite says is in build/logs/conformance_SUITE.log. The status is 1 where a test that passes without Atoll
# fails with it and stands in no tests/conformance/SUITE.tsv. Nothing of the suites is kept but in .deps and build.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

suites=(mpich mpi4py ga pyscf)
declare -A titles=([mpich]="MPICH's test/mpi/rma" [mpi4py]="mpi4py's tests of windows" [ga]="Global Arrays' tests"
  [pyscf]="PySCF")
page=docs/conformance.md
export TEST_BUILD=${TEST_BUILD:-build/mpich} OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# rows_of SUITE: runs it where it is wanted; its rows, else those that the page has.
rows_of() {
  local suite=$1 log=build/logs/conformance_$1.log rows
  if [[ " ${wanted[*]} " != *" $suite "* ]]; then
    grep "^| ${titles[$suite]}" "$page" 2> /dev/null || true
    return
  fi
  .venv/bin/python "scripts/conformance_$suite.py" "${options[@]}" > "$log" 2>&1 || failed+=("$suite")
  rows=$(grep '^| ' "$log") || rows="| ${titles[$suite]} | - | - | - | - | not run: $log |"
  echo "$rows"
}

write_page() {
  cat << 'END'
# Conformance

What tests that others wrote say of Atoll. The table, and a part of it:

```console
$ grep -c "^| MPICH's test/mpi/rma, " docs/conformance.md
4
```

"Passes plain" is without Atoll: with MPI alone, with Global Arrays itself, with PySCF. "Passes here" counts which of
those pass with Atoll in that place, with the reasons of the others. Made by `bash scripts/conformance.sh`, which
fetches the suites, builds and runs them; of each only names of tests and reasons are kept (`tests/conformance`).

| suite | version | tests | passes plain | passes here | reasons |
|---|---|---|---|---|---|
END
  cat "$1"
  cat << 'END'

"Not over" is a test that did not end within 300 s (`ATOLL_CONFORMANCE_SECONDS`), "not run" one that was left out
when the run was cut off.

- **MPICH**: `test/mpi/rma` of Debian's source package, built with the wheel of MPICH and run under `atoll ghost` by
  a thread and by ghost ranks, on one node and on two virtual ones. Of the tests over generated datatypes each program
  runs with one of twelve sizes (`scripts/conformance_mpich.py --all` runs all).
- **mpi4py**: the tests of windows of its source distribution, on two ranks, with windows of `MPI_Win_create` and
  once more of `MPI_Win_allocate`; a sample of its types and arrays.
- **Global Arrays**: what its `make check` runs, from Debian's source package, compiled against `ga-config` of Atoll
  and, for the plain column, with GA itself (two-sided MPI), four ranks.
- **PySCF**: files of its own tests, their imports changed to `atoll.chem`. Neither wheels nor source distributions
  hold them: without its repository the row says so.
END
}

wanted=()
while (($# > 0)) && [[ $1 != -- ]]; do
  wanted+=("$1")
  shift
done
options=("${@:2}")
if ((${#wanted[@]} == 0)); then wanted=("${suites[@]}"); fi
for suite in "${wanted[@]}"; do
  [[ ${titles[$suite]:-} ]] || fail "conformance.sh '$suite': expected some of ${suites[*]}"
done
[[ -x .venv/bin/python ]] || fail "no .venv: bash scripts/test.sh build_mpich makes it"
command -v m4 > /dev/null || offer "some of Global Arrays' tests will not be built" m4
offer_fortran
mkdir -p build/logs
failed=()
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for suite in "${suites[@]}"; do
  rows_of "$suite" >> "$rows"
done
write_page "$rows" > "$page.new"
mv "$page.new" "$page"
.venv/bin/python scripts/prose.py --write "$page"
cat "$rows"
((${#failed[@]} == 0)) || fail "not as without Atoll: ${failed[*]} (build/logs/conformance_*.log)"

#!/usr/bin/env bash
# Which branches of the core the C++ tests take, by folder, and the files that have most untaken ones:
#
#   bash scripts/coverage.sh                    C++ at 1x1, 2x1 and 3x2, and the ways between nodes
#   bash scripts/coverage.sh src/disk           the lines of one folder that no test has run, besides
#
# Branches are those that the source has; where a call may throw is none. Needs Clang and llvm (docs/testing.md).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/stages.sh
source scripts/again.sh

folders=(src/transport src/array/mirror src/disk src/world)
build=build/coverage
[[ -x .venv/bin/python ]] || fail "no .venv: bash scripts/test.sh build_mpich makes it"
clang=$(command -v clang++) || fail "no clang++; $(how_to_install clang llvm)"
tools=$(dirname "$(readlink -f "$clang")")
[[ -x $tools/llvm-cov ]] || fail "no llvm-cov beside clang++; $(how_to_install llvm)"

run_tests() {
  CC=clang CXX=clang++ build_preset coverage
  design[cpp_coverage]="1x1 2x1 3x2" ways[coverage]=${ways[mpich]}
  # Each process merges its counts into one of eight files.
  LLVM_PROFILE_FILE=$PWD/$build/counts-%8m.profraw run_cpp .venv "$build" coverage
}

# print_branches FOLDER...: a row a folder, and the files with most branches that were not taken.
print_branches() {
  "$tools/llvm-cov" export -summary-only -instr-profile="$build/counts" "$build/tests/atoll_tests" 2> /dev/null |
    .venv/bin/python -c '
import json
import sys

files = json.load(sys.stdin)["data"][0]["files"]
for folder in sys.argv[1:]:
    rows = [f["summary"] for f in files if f"/{folder}/" in f["filename"]]
    cells = [folder, str(len(rows))]
    for kind in ("functions", "lines", "branches"):
        count, covered = (sum(row[kind][key] for row in rows) for key in ("count", "covered"))
        cells.append(f"{covered} of {count}, {100 * covered / count:.1f} %")
    print("| " + " | ".join(cells) + " |")
shown = [f for f in files if any(f"/{folder}/" in f["filename"] for folder in sys.argv[1:])]
worst = sorted(shown, key=lambda f: -f["summary"]["branches"]["notcovered"])
print("Most branches untaken:")
for file in worst[:12]:
    branches, name = file["summary"]["branches"], file["filename"].split("/src/")[-1]
    print("  {:4d} of {:4d}  {}".format(branches["notcovered"], branches["count"], name))
' "$@"
}

mkdir -p build/logs
rm -f "$build"/counts-*.profraw
run_tests > build/logs/coverage.log 2>&1 || say "some tests failed; build/logs/coverage.log has which"
"$tools/llvm-profdata" merge -sparse "$build"/counts-*.profraw -o "$build/counts"
echo "| folder | files | functions | lines | branches |"
echo "|---|---|---|---|---|"
print_branches "${folders[@]}"
if (($# > 0)); then
  "$tools/llvm-cov" show -instr-profile="$build/counts" -show-branches=count "$build/tests/atoll_tests" "$@" |
    grep -E '^/|\| +0\||: 0\]' || true
fi

#!/usr/bin/env bash
# Builds Atoll and runs all benchmarks, each figure beside its limit. Arguments go to bench/run.py;
# with "hosts" as the first one the rest go to bench/hosts.py, for those between two hosts (root).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/stages.sh

need_tools
say "building; the log is build/logs/build_mpich.log"
mkdir -p build/logs
stage_build_mpich > build/logs/build_mpich.log 2>&1 ||
  fail "the build failed: $(tail -n 5 build/logs/build_mpich.log)"
script=run
if [[ ${1-} == hosts ]]; then
  script=hosts
  shift
fi
PATH=$PWD/.venv/bin:$PATH exec .venv/bin/python "bench/$script.py" \
  --program build/mpich/bench/atoll_bench "$@"

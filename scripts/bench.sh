#!/usr/bin/env bash
# Builds Atoll and runs all benchmarks, each figure beside its limit. Arguments go to bench/run.py.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/stages.sh

need_tools
say "building; the log is build/logs/build_mpich.log"
mkdir -p build/logs
stage_build_mpich > build/logs/build_mpich.log 2>&1 ||
  fail "the build failed: $(tail -n 5 build/logs/build_mpich.log)"
PATH=$PWD/.venv/bin:$PATH exec .venv/bin/python bench/run.py \
  --program build/mpich/bench/atoll_bench "$@"

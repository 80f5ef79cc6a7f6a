#!/usr/bin/env bash
# Rewrites all C++ and Python files in the house format (.clang-format, pyproject.toml).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
need_tools
[[ -x .venv/bin/clang-format && -x .venv/bin/ruff ]] ||
  fail "no .venv with the lint tools yet: run scripts/test.sh lint first"
cpp_files | xargs .venv/bin/clang-format -i
.venv/bin/ruff format --quiet .
.venv/bin/ruff check --quiet --fix .

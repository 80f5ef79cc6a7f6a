#!/usr/bin/env bash
# Puts the GoogleTest source tree into .deps/ from Debian's package, without root. CMake finds it
# there. Nothing happens where the tree is already there or installed in /usr/src, nor on other systems
# where GoogleTest is installed as a package: sanitized builds alone need its sources.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ -d /usr/src/googletest/googletest || -d .deps/usr/src/googletest/googletest ]]; then
  exit 0
fi
if ! command -v apt-get > /dev/null || ! command -v dpkg > /dev/null; then
  # As CMake's find_package(GTest) finds it.
  for folder in {"${CONDA_PREFIX:-/usr}",/usr,/usr/local}/{lib64,lib,lib/*-linux-gnu}/cmake/GTest; do
    if [[ -e $folder/GTestConfig.cmake ]]; then exit 0; fi
  done
  fail "the C++ tests need GoogleTest: install its package (Fedora: sudo dnf install gtest-devel; conda:" \
    "conda install gtest) or its source tree in /usr/src/googletest"
fi

say "fetching GoogleTest into .deps"
fetch_package googletest .
dpkg -x .deps/googletest_*.deb .deps

#!/usr/bin/env bash
# Puts the GoogleTest source tree into .deps/ from Debian's package, without root. CMake finds it
# there. Nothing happens where the tree is already there or installed in /usr/src.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ -d /usr/src/googletest/googletest || -d .deps/usr/src/googletest/googletest ]]; then
  exit 0
fi
command -v apt-get > /dev/null && command -v dpkg > /dev/null ||
  fail "the C++ tests need GoogleTest: install its source tree in /usr/src/googletest"

say "fetching GoogleTest into .deps"
fetch_package googletest .
dpkg -x .deps/googletest_*.deb .deps

#!/usr/bin/env bash
# Puts the GoogleTest source tree into .deps/ from Debian's package, without root. CMake finds it
# there. Nothing happens where the tree is already there or installed in /usr/src.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ -d /usr/src/googletest/googletest || -d .deps/usr/src/googletest/googletest ]]; then
  exit 0
fi
command -v apt-get > /dev/null && command -v dpkg > /dev/null ||
  fail "the C++ tests need GoogleTest: install its source tree in /usr/src/googletest"

# apt with lists of its own: those of the system may be absent, and only root may fetch them.
state=$PWD/.deps/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
apt=(apt-get -qq -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache"
  -o APT::Sandbox::User=root)
say "fetching GoogleTest into .deps"
"${apt[@]}" update
(cd .deps && "${apt[@]}" download googletest)
dpkg -x .deps/googletest_*.deb .deps
rm -rf "$state"

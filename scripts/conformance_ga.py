"""Judges Atoll's interface of Global Arrays by Global Arrays' own tests.

    .venv/bin/python scripts/conformance_ga.py [--only 'test*'] [--ways '*2-nodes'] [--no-plain]

The programs that GA's `make check` runs are read from its Makefile.am, built with the ga-config
that belongs to Atoll (GA_CONFIG, else the one beside this Python), and run on one node and on two
virtual ones, with four ranks as GA runs them. The same programs linked with GA itself, which CMake
builds here, say what passes plain. What does so has to pass everywhere, or to stand in
tests/conformance/ga.tsv with a reason: else the status is 1. The last lines are rows of
docs/conformance.md.

Programs in Fortran start MPI by GA's own TCGMSG, as its build with -DTCGMSG has it: the wheels of
MPI have no Fortran.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import conformance
from conformance import NOT_OVER, PASSED, Package, Way

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Package("ga", ("5.9.2-2", "5.9.2-1"))
TITLE = "Global Arrays' tests"
RANKS = 4
HELPERS = (
    "global/testing/util.c",
    "global/testing/ffflush.F",
    "global/testing/testblas.F",
    "gaf2c/drand.c",
)
"""What programs share; of an archive each takes what it lacks."""
FOUND_BY_CONFIGURE = (
    *(f"-DHAVE_{name}_H=1" for name in ("STDIO", "STDLIB", "STRING", "MATH", "UNISTD", "ASSERT",
                                        "ERRNO", "SYS_TYPES", "SYS_STAT", "FCNTL", "LIMITS")),
    "-DHAVE_F77_FLUSH=1", "-DF77_FLUSH=flush",
)  # fmt: skip
OF_FORTRAN = (
    "-DF77_FUNC_(a,b)=a##_", "-DF77_FUNC(a,b)=a##_", "-DENABLE_F77=1", "-DSIZEOF_F77_INTEGER=8",
    "-DSIZEOF_VOIDP=8", "-DF2C_HIDDEN_STRING_LENGTH_AFTER_ARGS=1",
)  # fmt: skip
FOLDERS = ("global/testing", "LinAlg/lapack+blas")
HEADERS = ("global/src", "ma", "comex/src-armci", "pario/dra", "pario/elio", "pario/sf",
           "pario/eaf", "tcgmsg")  # fmt: skip
"""Where GA's own are."""
SHIM = """\
#include <mpi.h>
#include <stddef.h>
void pbeginf_(void) { MPI_Init(NULL, NULL); }
void pend_(void) { MPI_Finalize(); }
double tcgtime_(void) { return MPI_Wtime(); }
void tcg_pbegin(int argc, char** argv) { MPI_Init(&argc, &argv); }
void tcg_pend(void) { MPI_Finalize(); }
double tcg_time(void) { return MPI_Wtime(); }
"""
"""TCGMSG for GA itself, of which its CMake builds none."""


@dataclass(frozen=True)
class Library:
    """A library of Global Arrays: how to compile and how to link, and where programs go."""

    name: str
    programs: Path
    compile: tuple[str, ...]
    fortran: tuple[str, ...]
    link: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """A test by its path: its sources, on how many ranks it runs, and whether it is to fail."""

    path: str
    sources: tuple[str, ...]
    ranks: int
    to_fail: bool


def programs_in(folder: Path) -> list[Program]:
    """Read which programs `make check` runs, and of what they are made."""
    text = (folder / "Makefile.am").read_text(encoding="utf-8").replace("\\\n", " ")
    sources: dict[str, list[str]] = {}
    for name, words in re.findall(r"^(?:nodist_)?(\w+)_SOURCES\s*\+?=(.*)$", text, re.M):
        sources.setdefault(name, []).extend(
            word for word in words.split() if re.search(r"\.[cF]$", word)
        )
    to_fail = set(re.findall(r"^\w+_XFAIL \+= (\S+)\$\(EXEEXT\)", text, re.M))
    found = {}
    pattern = r"^(MA|GLOBAL|PARIO)_(SERIAL|PARALLEL|THREADED)_TESTS \+= (\S+)\$\(EXEEXT\)"
    for _, kind, path in re.findall(pattern, text, re.M):
        its = tuple(sources.get(re.sub(r"\W", "_", path), [f"{path}.c"]))
        found[path] = Program(path, its, 1 if kind == "SERIAL" else RANKS, path in to_fail)
    return list(found.values())


def atoll(build: Path) -> Library | None:
    """Give Atoll's library as ga-config tells of it; None: there is none."""
    config = os.environ.get("GA_CONFIG") or Path(sys.executable).parent / "ga-config"
    if not Path(config).exists():
        return None

    def said(*options: str) -> tuple[str, ...]:
        done = subprocess.run([config, *options], check=True, capture_output=True, text=True)
        return tuple(shlex.split(done.stdout))

    return Library(
        "Atoll", build / "atoll", (*said("--cppflags"), "-DHAVE_BLAS=1", "-DHAVE_LAPACK=1"),
        said("--fflags"), said("--ldflags", "--libs", "--flibs"),
    )  # fmt: skip


def ga_itself(folder: Path, build: Path, log: Path) -> Library | None:
    """Build GA with the MPI beside this Python; None: it cannot be built here."""
    beside = Path(sys.executable).parents[1]
    place = build / "ga"
    place.mkdir(parents=True, exist_ok=True)
    archives = [place / name for name in ("libga.a", "comex/libarmci.a", "comex/libcomex.a")]
    told = partial(conformance.built, "GA itself", folder=folder, log=log)
    if not all(path.exists() for path in archives):
        wheel = {  # its Fortran, which is not there, is asked for and not used
            "MPI_C_COMPILER": beside / "bin/mpicc", "MPI_Fortran_LIB_NAMES": "mpi",
            "MPI_Fortran_WORKS": "TRUE", "MPI_mpi_LIBRARY": beside / "lib/libmpi.so",
            "MPI_Fortran_F77_HEADER_DIR": beside / "include",
            "MPI_Fortran_MODULE_DIR": beside / "include",
        }  # fmt: skip
        chosen = {
            "CMAKE_BUILD_TYPE": "Release", "CMAKE_C_FLAGS": "-w",
            "CMAKE_Fortran_FLAGS": "-w -fallow-argument-mismatch", "ENABLE_TESTS": "OFF",
            "ENABLE_BLAS": "OFF", "ENABLE_SCALAPACK": "OFF", "ENABLE_CXX": "OFF",
            "ENABLE_FORTRAN": "ON", "ENABLE_I8": "ON",
        }  # fmt: skip
        options = [f"-D{name}={value}" for name, value in {**wheel, **chosen}.items()]
        jobs = str(len(os.sched_getaffinity(0)))
        if not told(["cmake", "-S", folder, "-B", place, *options]) or not told(
            ["cmake", "--build", place, "-j", jobs]
        ):
            return None
    shim = place / "shim.c"
    shim.write_text(SHIM)
    if not told([beside / "bin/mpicc", "-c", shim, "-o", place / "shim.o"]):
        return None
    include = [place / each for each in ("gaf2c", "ma", "global/src", ".")]
    include += [folder / each for each in HEADERS]
    link = [str(place / "shim.o"), "-Wl,--start-group", *map(str, archives), "-Wl,--end-group",
            f"-L{beside / 'lib'}", f"-Wl,-rpath,{beside / 'lib'}", "-lmpi", "-lgfortran", "-lm",
            "-lpthread"]  # fmt: skip
    fortran = ("-fdefault-integer-8", "-fallow-argument-mismatch", "-funconstrained-commons")
    places = (*(f"-I{each}" for each in include), f"-I{beside / 'include'}")
    return Library("GA", build / "plain", places, fortran, tuple(link))


class Builder:
    """Builds programs with one of the libraries; what it says goes to a file for each."""

    def __init__(self, folder: Path, library: Library) -> None:
        self._folder, self._library = folder, library
        library.programs.mkdir(parents=True, exist_ok=True)
        for helper in HELPERS:
            self.compile(helper)
        archive = library.programs / "libhelpers.a"
        objects = [self._made(helper) for helper in HELPERS]
        subprocess.run(["ar", "rcs", archive, *filter(Path.exists, objects)], check=True)

    def _made(self, source: str) -> Path:
        return self._library.programs / f"{source.replace('/', '_')}.o"

    def compile(self, source: str) -> bool:
        """Compile a source, which several programs may share; one that m4 makes is made first."""
        path, library = self._folder / source, self._library
        if not path.exists() and path.with_suffix(".m4").exists():
            if shutil.which("m4") is None:
                print(f"atoll: no m4: {source} is not built")
                return False
            with path.open("wb") as file:
                model = path.with_suffix(".m4")
                subprocess.run(["m4", model.name], cwd=path.parent, stdout=file, check=True)
        fortran = path.suffix == ".F"
        command: list[object] = ["gfortran" if fortran else "cc", "-w", "-O1"]
        command += [*library.compile, *(library.fortran if fortran else ())]
        command += [*FOUND_BY_CONFIGURE, f"-I{path.parent}"]
        command += [f"-I{self._folder / each}" for each in FOLDERS]
        if fortran:
            command += ["-DTCGMSG", "-cpp"]
        else:  # a header for Fortran's names in C is not installed
            command += [*OF_FORTRAN, "-DMSG_COMMS_MPI=1", "-idirafter", self._folder / "global/src"]
        made = self._made(source)
        return conformance.built(
            source, [*command, "-c", path, "-o", made], path.parent, made.with_suffix(".log")
        )

    def target(self, program: Program) -> Path:
        """Tell where a program goes."""
        return self._library.programs / program.path.replace("/", "_")

    def link(self, program: Program) -> Path | None:
        """Link a program whose sources are compiled; None: it cannot be."""
        target = self.target(program)
        command: list[object] = ["cc", *map(self._made, program.sources)]
        command += [self._library.programs / "libhelpers.a", *self._library.link, "-o", target]
        good = conformance.built(
            program.path, command, self._folder, target.with_suffix(".link.log")
        )
        return target if good else None


_of_disk_arrays = threading.Lock()


@contextlib.contextmanager
def in_its_turn(program: Program) -> Iterator[None]:
    """Let tests of disk arrays, which have one name for all, /tmp/da.try, run one by one."""
    if not program.path.startswith("pario/dra"):
        yield
        return
    with _of_disk_arrays:
        for left in Path("/tmp").glob("da*.try"):  # by one that was killed; Atoll's are folders
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield


def verdict(status: int | None, out: str, err: str) -> str:
    """Judge by the status, as GA's `make check` does."""
    del out, err
    if status is None:
        return NOT_OVER
    return PASSED if status == 0 else f"status {status}"


def main() -> int:
    """Judge; 0 also where there are no tests to be had."""
    from ghost_runs import Shape, ended

    parser = conformance.options(__doc__)
    parser.add_argument("--no-plain", action="store_true", help="do not build GA itself")
    arguments = parser.parse_args()
    folder = conformance.sources(PACKAGE)
    if folder is None:
        return conformance.not_run(TITLE, PACKAGE.upstream, "Debian's source is not to be had")
    build = conformance.ROOT / "build" / "conformance"
    here = atoll(build)
    if here is None:
        return conformance.not_run(TITLE, PACKAGE.upstream, "no ga-config beside Python")
    log = build / "ga.log"
    plain = None if arguments.no_plain else ga_itself(folder, build, log)
    programs = [one for one in programs_in(folder) if conformance.chosen(one.path, arguments.only)]
    numbers = itertools.count()

    def run(
        made: dict[str, Path | None], nodes: int, program: Program
    ) -> tuple[int | None, str, str]:
        path = made[program.path]
        if path is None:
            return 127, "", "not built"
        place = build / "runs" / str(next(numbers))  # for its files
        place.mkdir(parents=True)
        shape = Shape(program.ranks)
        settings = conformance.PATIENT | {
            "ATOLL_NODES": str(min(nodes, program.ranks)), "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        with in_its_turn(program):
            status, out, err = ended(shape, [path], conformance.SECONDS, folder=place, **settings)
        shutil.rmtree(place)
        if program.to_fail and status is not None:
            status = 0 if status else 1
        return status, out, err

    def made_with(library: Library) -> dict[str, Path | None]:
        if not arguments.resume:
            shutil.rmtree(library.programs, ignore_errors=True)  # they may be of an older Atoll
        builder = Builder(folder, library)
        there = {one.path: builder.target(one) for one in programs if builder.target(one).exists()}
        missing = [one for one in programs if one.path not in there]
        sources = sorted({source for one in missing for source in one.sources})
        with ThreadPoolExecutor(arguments.jobs) as pool:
            good = dict(zip(sources, pool.map(builder.compile, sources), strict=True))
            ready = [one for one in missing if one.sources and all(map(good.get, one.sources))]
            linked = zip(ready, pool.map(builder.link, ready), strict=True)
            made = {one.path: path for one, path in linked}
        return dict.fromkeys([one.path for one in programs]) | there | made

    shutil.rmtree(build / "runs", ignore_errors=True)
    named = {program.path: (program,) for program in programs}
    made = made_with(here)
    ways = [Way("1-node", partial(run, made, 1)), Way("2-nodes", partial(run, made, 2))]
    judge = partial(conformance.outcomes_of, "ga", verdict=verdict, arguments=arguments)
    truth = judge(Way("plain", partial(run, made_with(plain), 1)), named) if plain else None
    outcomes = [
        judge(way, conformance.those_that_pass(named, truth))
        for way in ways
        if conformance.chosen(way.name, arguments.ways)
    ]
    return conformance.report("ga", TITLE, PACKAGE.upstream, truth, outcomes)


if __name__ == "__main__":
    sys.exit(main())

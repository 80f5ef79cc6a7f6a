"""Judges `atoll ghost` by MPICH's own tests of one-sided operations.

    .venv/bin/python scripts/conformance_mpich.py [--only 'flush*'] [--ways 'ranks*'] [--all]

The programs of `test/mpi/rma` are built by the mpicc beside this Python and run as their testlist
says: with that MPI alone, and with libatoll_ghost.so with a thread and with ghost ranks, on one
node and on two virtual ones. What passes alone has to pass everywhere, or to stand in
tests/conformance/mpich.tsv with a reason: else the status is 1. The last lines are rows of
docs/conformance.md. TEST_BUILD names a build whose library takes the place of the installed one.

Of the tests over generated datatypes (testlist.dtp), nine tenths of which differ in sizes alone,
each program runs once, with a type of two others and a count of 17; --all runs them all.
"""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import conformance
from conformance import NOT_OVER, PASSED, Package, Way

PACKAGE = Package("mpich", ("4.0.2-3",))
PART = "test/mpi"
TITLE = "MPICH's test/mpi/rma"
WITHOUT = ("fortran", "cxx", "spawn", "romio", "dependency-tracking", "shared")
SAMPLE = "MPI_INT:4+MPI_DOUBLE:8 -count=17 "


class Test(NamedTuple):
    """A line of a testlist."""

    program: str
    ranks: int
    arguments: tuple[str, ...]
    environment: dict[str, str]

    @property
    def name(self) -> str:
        """Give what tells it from the others."""
        return " ".join([self.program, str(self.ranks), *self.arguments])


def tests_in(testlist: Path) -> list[Test]:
    """Read a testlist."""
    tests = []
    for line in testlist.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        said = [word.partition("=") for word in words[2:]]
        arguments = tuple(value for key, _, value in said if key == "arg")
        settings = dict(value.split("=", 1) for key, _, value in said if key == "env")
        tests.append(Test(words[0], int(words[1]), arguments, settings))
    return tests


def build(folder: Path) -> bool:
    """Configure and make the programs, if that is not done yet."""
    done = folder / "done"
    if done.exists():
        return True
    log = conformance.ROOT / "build" / "conformance" / "mpich.log"
    beside = Path(sys.executable).parent
    mpicc = beside / "mpicc"
    told = partial(conformance.built, "MPICH's tests", log=log)
    words = [f"--disable-{each}" for each in WITHOUT]
    words += [f"CC={mpicc}", f"MPICC={mpicc}", f"--with-mpi={beside.parent}", "--with-pm=no"]
    if not told(["./configure", *words], folder):
        return False
    make = ["make", f"-j{len(os.sched_getaffinity(0))}"]
    for goal in (["util", "libmtest_single.la"], ["dtpools"], ["rma", "all"]):
        if not told([*make, "-C", *goal], folder):
            return False
    done.touch()
    return True


def verdict(status: int | None, out: str, err: str) -> str:
    """Judge as MPICH's runtests does: by the status, and by the one thing that stdout may say."""
    del err
    if status is None:
        return NOT_OVER
    if status != 0:
        return f"status {status}"
    return PASSED if re.fullmatch(r"\s*(No Errors|Test Passed)\s*", out) else "other words"


def main() -> int:
    """Judge; 0 also where there are no tests to be had."""
    from ghost_runs import Shape, ended

    parser = conformance.options(__doc__)
    parser.add_argument("--all", action="store_true", help="all tests over generated datatypes")
    arguments = parser.parse_args()
    folder = conformance.sources(PACKAGE, PART)
    if folder is None:
        return conformance.not_run(TITLE, PACKAGE.upstream, "Debian's source is not to be had")
    if not build(folder):
        return 1
    place = folder / "rma"
    generated = tests_in(place / "testlist.dtp")
    if not arguments.all:
        generated = [test for test in generated if SAMPLE in test.name]
    tests = {test.name: test for test in [*tests_in(place / "testlist"), *generated]}
    tests = {name: test for name, test in tests.items() if conformance.chosen(name, arguments.only)}

    def run(mode: str | None, nodes: int, test: Test) -> tuple[int | None, str, str]:
        at = min(nodes, test.ranks)
        ghosts = 1 if mode == "ranks" else 0
        shape = Shape(test.ranks + ghosts * at, mode, at, ghosts)
        words = [place / test.program, *test.arguments]
        settings = conformance.PATIENT | test.environment
        return ended(shape, words, conformance.SECONDS, folder=place, **settings)

    ways = [
        Way(name, partial(run, mode, nodes))
        for name, mode, nodes in conformance.WAYS_OF_GHOST
        if conformance.chosen(name, arguments.ways)
    ]
    named = {name: (test,) for name, test in tests.items()}
    judge = partial(conformance.outcomes_of, "mpich", verdict=verdict, arguments=arguments)
    plain = judge(Way("plain", partial(run, None, 1)), named)
    here = [judge(way, conformance.those_that_pass(named, plain)) for way in ways]
    return conformance.report("mpich", TITLE, PACKAGE.upstream, plain, here)


if __name__ == "__main__":
    sys.exit(main())

"""Judges `atoll ghost` by mpi4py's own tests of windows.

    .venv/bin/python scripts/conformance_mpi4py.py [--ways 'ranks*'] [--every 73 17]

scripts/get_mpi4py_tests.py fetches them and tests/ghost/mpi4py_suite.py runs them on two ranks:
with that MPI alone, and with libatoll_ghost.so with a thread and with a ghost rank, on one node and
on two virtual ones. They lie on windows of MPI_Win_create, and once more on those of
MPI_Win_allocate. What passes alone on both ranks has to pass everywhere, or to stand in
tests/conformance/mpi4py.tsv with a reason: else the status is 1. The last lines are rows of
docs/conformance.md.

Where a test takes each kind of array and each type, it takes every 73rd of them with the first
windows, and every 17th with the others; --every says otherwise (1 1 takes all: hours).
"""

from __future__ import annotations

import importlib.metadata
import sys
import tempfile
from pathlib import Path

import conformance
import get_mpi4py_tests
from conformance import PASSED, Outcomes

SUITE = conformance.ROOT / "tests" / "ghost" / "mpi4py_suite.py"
TITLE = "mpi4py's tests of windows"
SECONDS = 10 * conformance.SECONDS
"""All of them are one run."""


def in_this_way(way: str, mode: str | None, nodes: int, settings: list[str]) -> Outcomes:
    """Run the tests in a way; each has passed where it has on both ranks."""
    from ghost_runs import Shape, ended

    ghosts = 1 if mode == "ranks" else 0
    shape = Shape(2 + ghosts * nodes, mode, nodes, ghosts)
    outcomes = Outcomes(way)
    with tempfile.TemporaryDirectory(prefix="atoll-mpi4py-") as name:
        words = [sys.executable, SUITE, get_mpi4py_tests.tests_folder(), name, *settings]
        status, _, err = ended(shape, words, SECONDS, **conformance.PATIENT)
        files = sorted(Path(name).iterdir())
        for line in (line for file in files for line in file.read_text().splitlines()):
            test, _, word = line.rpartition("\t")
            if outcomes.by_test.get(test, PASSED) == PASSED:
                outcomes.by_test[test] = word
    if status != 0 or len(files) != 2:
        print(f"{way}: status {status}, {len(files)} of 2 ranks wrote outcomes\n{err[-3000:]}")
    print(f"{way}: {len(outcomes.by_test)} tests", flush=True)
    return outcomes


def main() -> int:
    """Judge; 0 also where there are no tests to be had."""
    parser = conformance.options(__doc__)
    parser.add_argument("--every", nargs=2, type=int, default=[73, 17], metavar="N")
    arguments = parser.parse_args()
    version = importlib.metadata.version("mpi4py")
    get_mpi4py_tests.main()
    if not get_mpi4py_tests.tests_folder().is_dir():
        return conformance.not_run(TITLE, version, "its source distribution is not to be had")
    create, allocate = arguments.every
    settings = [f"create={create}", f"allocate={allocate}"]
    plain = in_this_way("plain", None, 1, settings)
    here = [
        in_this_way(way, mode, nodes, settings)
        for way, mode, nodes in conformance.WAYS_OF_GHOST
        if conformance.chosen(way, arguments.ways)
    ]
    return conformance.report("mpi4py", TITLE, version, plain, here)


if __name__ == "__main__":
    sys.exit(main())

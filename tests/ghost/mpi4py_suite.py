"""Runs mpi4py's own tests of windows on one rank of several, and writes down how each ended.

    mpiexec -n 2 python mpi4py_suite.py TESTS OUTCOMES create=EVERY allocate=EVERY

TESTS is the folder of the tests, OUTCOMES one for a file of each rank. `create` are the tests as
they are: those of one-sided operations lie on windows of MPI_Win_create. With `allocate` these have
windows of MPI_Win_allocate in their place. Where a test takes each kind of array and each type, it
takes every EVERYth of them; 1 takes all.
"""

import importlib
import itertools
import sys
import unittest
from pathlib import Path

from mpi4py import MPI

OPERATIONS = ("test_rma", "test_rma_nb")
MODULES = (*OPERATIONS, "test_win")


def allocate(test):
    """In the place of a test's setUp."""
    test.mpi_memory = None
    test.WIN = MPI.Win.Allocate(100 * MPI.DOUBLE.size, 1, test.INFO, test.COMM)
    memory = test.WIN.tomemory()
    memory[:] = bytes(len(memory))
    test.COMM.Barrier()


class Outcomes(unittest.TextTestResult):
    """Keeps the name of each test with how it ended."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.lines = []

    def startTest(self, test):  # noqa: N802
        super().startTest(test)
        self.before = len(self.skipped), len(self.failures) + len(self.errors)

    def stopTest(self, test):  # noqa: N802
        super().stopTest(test)
        skipped, bad = self.before
        outcome = "skipped" if len(self.skipped) > skipped else "passed"
        if len(self.failures) + len(self.errors) > bad:
            outcome = "failed"
        self.lines.append(f"{test.id()}\t{outcome}")


def run(windows, every, runner):
    """All tests as they are (create), or those of operations on memory of MPI's (allocate)."""
    names = MODULES if windows == "create" else OPERATIONS
    modules = [importlib.import_module(name) for name in names]
    if windows == "allocate":
        for module in modules:
            module.BaseTestRMA.setUp = allocate
    arrayimpl.loop = lambda: itertools.islice(every_loop(), 0, None, every)
    suite = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromModule, modules))
    return [f"{windows} {line}" for line in runner.run(suite).lines]


def main(outcomes, *settings):
    runner = unittest.TextTestRunner(resultclass=Outcomes, verbosity=2)
    lines = []
    for windows, every in (setting.split("=") for setting in settings):
        lines += run(windows, int(every), runner)
    outcome = Path(outcomes) / f"rank{MPI.COMM_WORLD.rank}"
    outcome.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import arrayimpl

    every_loop = arrayimpl.loop
    main(*sys.argv[2:])

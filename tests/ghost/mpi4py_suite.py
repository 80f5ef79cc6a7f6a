"""Runs mpi4py's own tests of windows on one rank of several, and writes down how each ended.

    mpiexec -n 2 python mpi4py_suite.py TESTS OUTCOMES create|allocate PATTERN...

TESTS is the folder of the tests, OUTCOMES one for a file of each rank. Tests of one-sided operations
lie on windows of MPI_Win_create; with `allocate` they have windows of MPI_Win_allocate in their place.
"""

import importlib
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

    def keep(self, test, outcome):
        self.lines.append(f"{test.id()}\t{outcome}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.keep(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.keep(test, "skipped")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.keep(test, "failed")

    def addError(self, test, err):
        super().addError(test, err)
        self.keep(test, "failed")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.keep(test, "failed")


def main(tests, outcomes, windows, *patterns):
    sys.path.insert(0, tests)
    loader = unittest.TestLoader()
    loader.testNamePatterns = list(patterns) or None
    modules = [importlib.import_module(name) for name in MODULES]
    if windows == "allocate":
        modules = [module for module in modules if module.__name__ in OPERATIONS]
        for module in modules:
            module.BaseTestRMA.setUp = allocate
    suite = unittest.TestSuite(map(loader.loadTestsFromModule, modules))
    result = unittest.TextTestRunner(resultclass=Outcomes, verbosity=2).run(suite)
    rank = MPI.COMM_WORLD.rank
    (Path(outcomes) / f"rank{rank}").write_text("\n".join(result.lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

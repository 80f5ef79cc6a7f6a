"""The chemistry tests run under mpiexec as tests/python do: every rank the same tests, rank 0
prints, a failure anywhere ends the run. Molecules and references that several files share.
"""

import os
import shutil
import sys
import time
from pathlib import Path

import atoll
import numpy as np
import pytest
from atoll import _core
from atoll.chem import Molecule
from mpi_runs import OPEN_MPI, finished


@pytest.hookimpl(trylast=True)  # pytest makes its reporter in this hook too
def pytest_configure(config):
    if atoll.rank() != 0:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        reporter._tw._file = open(os.devnull, "w")  # noqa: SIM115 - for as long as pytest runs


def pytest_runtest_logreport(report):
    if not report.failed or atoll.size() == 1:
        return
    where = f"rank {atoll.rank()} of {atoll.size()}, nodes: {atoll.nodes()}"
    text = f"\nFAILED on {where}: {report.nodeid} ({report.when})\n{report.longreprtext}\n"
    os.write(sys.__stderr__.fileno(), text.encode())
    time.sleep(2)  # let other ranks that fail in the same way say so
    _core.abort(f"test failed: {report.nodeid}", 1)


@pytest.fixture
def world():
    group = atoll.world()
    yield group
    group.sync()


# What a launcher around these tests tells them must not reach the processes they start.
LAUNCHERS = ("PMI", "HYD", "MPI_LOCAL", "OMPI_", "PRTE_", "ATOLL_")


@pytest.fixture
def plain_environment():
    """The environment without what mpiexec and the test's own settings put there."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(LAUNCHERS)}
    return kept | OPEN_MPI


def _xyz(atoms: str) -> str:
    lines = [line.strip() for line in atoms.split(";")]
    return "\n".join([str(len(lines)), "", *lines]) + "\n"


@pytest.fixture
def molecule():
    """Make a molecule from 'O 0 0 0; H 0 0 1; ...', a basis and a charge."""

    def make(atoms: str, basis: str, charge: int = 0) -> Molecule:
        return Molecule.from_xyz(_xyz(atoms), basis, charge)

    return make


@pytest.fixture
def symmetric_matrix():
    """Make a random symmetric matrix, the same on every rank."""

    def make(n: int, seed: int = 0) -> np.ndarray:
        matrix = np.random.default_rng(seed).normal(size=(n, n))
        return matrix + matrix.T

    return make


WATER = """3
water
O   0.000000   0.000000   0.117790
H   0.000000   0.755453  -0.471161
H   0.000000  -0.755453  -0.471161
"""


@pytest.fixture
def atoll_command(plain_environment):
    def run(*words, ranks=0, **settings):
        """Run `atoll WORDS` as one process without a launcher (ranks=0) or under mpiexec."""
        launcher = []
        if ranks:
            beside_python = Path(sys.executable).with_name("mpiexec")
            found = beside_python if beside_python.exists() else shutil.which("mpiexec")
            launcher = [str(found), "-n", str(ranks)]
        command = [*launcher, sys.executable, "-m", "atoll", *words]
        return finished(command, {**plain_environment, **settings})

    return run


@pytest.fixture
def water(tmp_path):
    file = tmp_path / "water.xyz"
    file.write_text(WATER)
    return file

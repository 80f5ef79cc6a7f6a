"""Programs in C and Fortran that know nothing of Atoll, built by MPI's compiler, and their runs.

A run is started with the library of `libatoll_ghost.so` loaded or without it: the programs pass
either way, so what they say without it is the truth.
"""

from __future__ import annotations

import os
import subprocess

import pytest
from atoll.ghost.launch import started_by
from ghost_runs import QUIET, Shape, beside_python, built
from mpi_runs import OPEN_MPI, communicate, piped

FOREIGN = ("PMI", "PMIX", "HYDRA", "MPI", "OMPI", "PRTE", "ATOLL", "GHOST", "LD_PRELOAD")


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Build a program of the folder by its name; give its path."""
    folder = tmp_path_factory.mktemp("programs")
    return lambda name: built(name, folder)


@pytest.fixture(scope="session")
def run():
    """Run a program, by its words, in a shape; give status, stdout and stderr.

    Another launcher than that beside Python, and other variables, may be named.
    """

    def run(
        shape: Shape,
        *words: object,
        seconds: float = 300.0,
        mpiexec: str | None = None,
        **others: str,
    ) -> tuple[int, str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        launcher = [mpiexec or beside_python("mpiexec"), "-n", str(shape.processes)]
        command, environment = started_by(
            launcher, shape.settings(), kept | OPEN_MPI | QUIET | others
        )
        with piped([*command, *words], environment) as process:
            try:
                out, err = communicate(process, seconds)
            except subprocess.TimeoutExpired:
                process.terminate()  # the launcher, which ends its ranks
                out, err = process.communicate()
                pytest.fail(f"{words} not over after {seconds} s:\n{out[-3000:]}{err[-3000:]}")
        return process.returncode, out, err

    return run

"""Programs in C and Fortran that know nothing of Atoll, built by MPI's compiler, and their runs.

A run is started with the library of `libatoll_ghost.so` loaded or without it: the programs pass
either way, so what they say without it is the truth.
"""

from __future__ import annotations

import pytest
from ghost_runs import Shape, built, ended


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
        status, out, err = ended(shape, words, seconds, mpiexec=mpiexec, **others)
        if status is None:
            pytest.fail(f"{words} not over after {seconds} s:\n{out[-3000:]}{err[-3000:]}")
        return status, out, err

    return run

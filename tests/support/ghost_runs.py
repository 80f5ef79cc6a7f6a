"""What the tests of libatoll_ghost.so share: shapes of runs, and where the library is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from atoll.ghost.launch import find_library, started_by
from mpi_runs import OPEN_MPI, communicate, piped

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "ghost" / "programs"
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")
FOREIGN = ("PMI", "PMIX", "HYDRA", "MPI", "OMPI", "PRTE", "ATOLL", "GHOST", "LD_PRELOAD")
# Open MPI's windows over UCX say, in each window's making, that they cannot be.
QUIET = {"OMPI_MCA_osc": "^ucx"}
# Programs of several files; the others have checks.c beside them, or nothing.
PARTS = {
    "rma": "main checks elements layouts operations datatypes gaps "
    "epochs windows atomicity sequences",
    "view": "view",
    "ending": "ending",
}


@dataclass(frozen=True)
class Shape:
    """So many processes, of them so many ghosts a node, on virtual nodes. No mode: no library.

    `abi`: the library of MPI's standard binary interface.
    """

    processes: int
    mode: str | None = None
    nodes: int = 1
    ghosts: int = 0
    abi: bool = False

    @property
    def ranks(self) -> int:
        return self.processes - self.nodes * self.ghosts

    def __str__(self) -> str:
        ghosts = f"-{self.ghosts}-ghosts" if self.ghosts else ""
        return f"{self.ranks}-ranks-{self.nodes}-nodes-{self.mode or 'plain'}{ghosts}"

    def settings(self) -> dict[str, str]:
        """Variables of the program alone."""
        if self.mode is None:
            return {}
        chosen = {"ATOLL_GHOST": self.mode, "ATOLL_NODES": str(self.nodes)}
        if self.ghosts:
            chosen["ATOLL_GHOST_RANKS"] = str(self.ghosts)
        return chosen | {"LD_PRELOAD": str(library(self.abi)), "GHOST_TEST_STRICT": "1"}


def library(abi: bool = False) -> Path:
    """Give the library of the build under test, else the installed one."""
    build = os.environ.get("TEST_BUILD")
    name = "libatoll_ghost_abi.so" if abi else "libatoll_ghost.so"
    built = ROOT / build / name if build else None
    if abi and not (built and built.is_file()):
        pytest.skip(f"no {name} in TEST_BUILD: cmake --build BUILD --target atoll_ghost_abi")
    try:
        return find_library(built if built and built.is_file() else None)
    except FileNotFoundError as error:
        pytest.skip(str(error))


def beside_python(name: str) -> str:
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"no {name}")
    return found


def built(name: str, folder: Path, compiler: str = "mpicc") -> Path:
    """Build a program of tests/ghost/programs into a folder, if it is not there yet."""
    made = folder / name
    if not made.exists():
        parts = PARTS.get(name, f"{name} checks").split()
        sources = [str(PROGRAMS / f"{part}.c") for part in parts]
        options = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", *WARNINGS, "-pthread"]
        subprocess.run([beside_python(compiler), *options, *sources, "-o", str(made)], check=True)
    return made


def ended(
    shape: Shape,
    words: Iterable[object],
    seconds: float,
    *,
    folder: Path | None = None,
    mpiexec: str | None = None,
    **others: str,
) -> tuple[int | None, str, str]:
    """Run a program, by its words, in a shape; give status, stdout and stderr.

    The status is None where it was not over after so many seconds.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
    launcher = [mpiexec or beside_python("mpiexec"), "-n", str(shape.processes)]
    settings = shape.settings()
    command, environment = started_by(launcher, settings, kept | OPEN_MPI | QUIET | others)
    with piped([*command, *words], environment, folder) as process:
        try:
            out, err = communicate(process, seconds)
        except subprocess.TimeoutExpired:
            process.terminate()  # the launcher, which ends its ranks
            return None, *process.communicate()
    return process.returncode, out, err

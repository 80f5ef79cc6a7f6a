"""Which program starts ranks of the MPI library that Atoll runs with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from atoll import _core
from atoll.ghost.launch import launcher_in_words

# Names of launchers, and how those that start each MPI's programs call themselves.
_NAMES = ("mpiexec", "mpirun", "mpiexec.hydra", "mpiexec.mpich", "mpiexec.openmpi")
_FITTING = {"open mpi": ("Open MPI",), "mpich": ("Hydra", "Intel MPI")}


class LaunchError(ValueError):
    """Nothing can be started like this; the text is one line for the person who asked for it."""


class Launcher(NamedTuple):
    """A program that starts ranks."""

    path: str
    words: str  # what it is: "Hydra 5.0.2", "Open MPI 5.0.11", "Intel MPI 2021.9", "srun"


class Library(NamedTuple):
    """The MPI library that this process has loaded."""

    family: str  # a key of `_FITTING`
    words: str  # "MPICH 5.0.2"
    path: str


def library() -> Library:
    """Ask the MPI library that Atoll runs with for its name; MPI need not run."""
    return Library(*_core.mpi_library())


def find_launcher(mpi: Library) -> Launcher:
    """Find the launcher that belongs to an MPI: the one installed with it, else one in PATH.

    Raises:
        LaunchError: there is none; with those of other MPIs that are there.

    """
    others = []
    for path in _candidates(mpi):
        words = launcher_in_words(path)
        if words.startswith(_FITTING[mpi.family]):
            return Launcher(path, words)
        others.append(f"{path} is {words}" if words != Path(path).name else f"{path} is unknown")
    found = f" ({', '.join(others)})" if others else ""
    raise LaunchError(
        f"no launcher of {mpi.words} beside {mpi.path} nor in PATH{found}: expected mpiexec"
    )


def _prefixes(library: Path) -> list[Path]:
    """Give the folders that a library may have been installed into: up to what holds its `lib`."""
    parents = list(library.parents)
    of_lib = [at for at, folder in enumerate(parents) if folder.name.startswith("lib")]
    return [folder for folder in parents[: max(of_lib, default=0) + 2] if folder.name]


def _candidates(mpi: Library) -> list[str]:
    folders = [folder / "bin" for folder in _prefixes(Path(mpi.path))] if mpi.path else []
    beside = [folder / name for folder in folders for name in _NAMES]
    found = [str(path) for path in beside if path.is_file() and os.access(path, os.X_OK)]
    found += [path for name in _NAMES if (path := shutil.which(name))]
    return list(dict.fromkeys(found))

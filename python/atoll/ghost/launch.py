"""Where `libatoll_ghost.so` is, and how launchers give it to the ranks alone."""

from __future__ import annotations

import functools
import importlib.metadata
import re
import subprocess
import sysconfig
from pathlib import Path

LIBRARY = "libatoll_ghost.so"
# How launchers are told to set a variable for the ranks alone, by what their --version says. Others
# hand their own environment on.
_FLAGS = {
    "open mpi": "-x",
    "openrte": "-x",
    "prte": "-x",
    "hydra": "-genv",
    "intel(r) mpi": "-genv",
}


def find_library(given: Path | None = None) -> Path:
    """Return `given`, or where the package was installed."""
    if given is not None:
        candidates = [given]
    else:
        try:
            files = importlib.metadata.files("atoll") or []
        except importlib.metadata.PackageNotFoundError:
            files = []
        candidates = [Path(str(file.locate())) for file in files if file.name == LIBRARY]
        candidates.append(Path(sysconfig.get_path("data")) / "lib" / LIBRARY)
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve()
    raise FileNotFoundError(f"{candidates[-1]} is not there; --library names another place")


@functools.cache
def _said_by(launcher: str) -> str:
    """Ask an MPI's launcher for its version. Of what is no such launcher nothing is known."""
    if not Path(launcher).name.startswith(("mpiexec", "mpirun", "orterun", "prterun")):
        return ""
    answer = subprocess.run(
        [launcher, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    return answer.stdout + answer.stderr


def launcher_in_words(launcher: str) -> str:
    """Name a launcher and its version: "Hydra 5.0.2", "Open MPI 5.0.11"; else its file's name."""
    said = _said_by(launcher)
    if "hydra" in said.lower() and (version := re.search(r"Version:\s*(\S+)", said)):
        return f"Hydra {version[1]}"
    if found := re.search(r"\((Open MPI|OpenRTE)\)\s+(\S+)", said):
        return f"Open MPI {found[2]}"
    return Path(launcher).name


def started_by(
    command: list[str], settings: dict[str, str], environment: dict[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Return a command and an environment by which the program has these variables."""
    said = _said_by(command[0]).lower()
    flag = next((flag for name, flag in _FLAGS.items() if name in said), None)
    if flag is None:
        return command, {**environment, **settings}
    added: list[str] = []
    for name, value in settings.items():
        added += [flag, f"{name}={value}"] if flag == "-x" else [flag, name, value]
    return [command[0], *added, *command[1:]], environment

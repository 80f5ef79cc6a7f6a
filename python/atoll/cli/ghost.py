"""`atoll ghost mpiexec -n 8 ./program`: progress for MPI programs that know nothing of Atoll."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

FAILED = 2
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


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "ghost",
        help="run any MPI program with progress of its one-sided operations",
        description="Start an MPI program that was not written for Atoll, so that its one-sided "
        "operations complete while their targets compute. The exit status is the program's.",
        epilog="examples:\n  atoll ghost mpiexec -n 8 ./program\n"
        "  atoll ghost --ranks 1 mpiexec -n 9 ./program    of 9 ranks a node 1 is a ghost\n"
        "  atoll ghost --check mpiexec -n 8 ./program      tell at the end what windows it made",
        usage="%(prog)s [--mode ranks|thread|off] [--ranks N] [--check] mpiexec ... PROGRAM ...",
    )
    parser.add_argument(
        "--mode",
        choices=("ranks", "thread", "off"),
        help="who makes progress: the last ranks of every node, which the program does not see; a "
        "thread (what is done where MPI allows it); nobody",
    )
    parser.add_argument(
        "--ranks", type=_positive, metavar="N", help="so many ghost ranks a node: --mode ranks"
    )
    parser.add_argument("--check", action="store_true", help="tell at the end of the windows")
    parser.add_argument("--library", type=Path, metavar="PATH", help=f"where {LIBRARY} is")
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="mpiexec ...", help="what starts the program"
    )
    parser.set_defaults(alone=_run)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number from 1 on")
    return int(text)


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


def _flag(launcher: str) -> str | None:
    """How this launcher is told to set a variable for the ranks alone, if it can be."""
    if not Path(launcher).name.startswith(("mpiexec", "mpirun", "orterun", "prterun")):
        return None
    answer = subprocess.run(
        [launcher, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    version = (answer.stdout + answer.stderr).lower()
    return next((flag for name, flag in _FLAGS.items() if name in version), None)


def started_by(
    command: list[str], settings: dict[str, str], environment: dict[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Return a command and an environment by which the program has these variables."""
    flag = _flag(command[0])
    if flag is None:
        return command, {**environment, **settings}
    added: list[str] = []
    for name, value in settings.items():
        added += [flag, f"{name}={value}"] if flag == "-x" else [flag, name, value]
    return [command[0], *added, *command[1:]], environment


def _run(options: argparse.Namespace) -> int:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    try:
        if not command:
            raise ValueError("what is to be started? Expected: mpiexec ... PROGRAM ...")
        if options.ranks and options.mode in ("thread", "off"):
            raise ValueError(f"--ranks {options.ranks}: expected --mode ranks, not {options.mode}")
        launcher = shutil.which(command[0])
        if launcher is None:
            raise ValueError(f"'{command[0]}': expected a program that starts MPI's, in PATH")
        library = str(find_library(options.library))
        others = os.environ.get("LD_PRELOAD")
        # Tools that others preload come first, and find the library behind MPI's PMPI_ names.
        settings = {"LD_PRELOAD": f"{others}:{library}" if others else library}
        if options.mode or options.ranks:
            settings["ATOLL_GHOST"] = options.mode or "ranks"
        if options.ranks:
            settings["ATOLL_GHOST_RANKS"] = str(options.ranks)
        if options.check:
            settings["ATOLL_GHOST_CHECK"] = "1"
        words, environment = started_by([launcher, *command[1:]], settings, dict(os.environ))
        sys.stdout.flush()
        os.execve(launcher, words, environment)
    except (OSError, ValueError) as error:
        print(f"atoll ghost: {error}", file=sys.stderr)
        return FAILED

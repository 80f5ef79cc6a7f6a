"""`atoll ghost mpiexec -n 8 ./program`: progress for MPI programs that know nothing of Atoll."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from atoll.ghost.choice import chosen_mode, file_of_choices, write_choice
from atoll.ghost.launch import LIBRARY, find_library, launcher_in_words, started_by
from atoll.ghost.measure import measure

FAILED = 2
_CHOSEN = {
    "ranks": "of each node one rank is a ghost, as --measure found best",
    "off": "nobody makes progress, as --measure found best",
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
        "  atoll ghost --check mpiexec -n 8 ./program      tell at the end what windows it made\n"
        "  atoll ghost --measure mpiexec -n 8              find the best way on this machine",
        usage="%(prog)s [--mode ranks|thread|off] [--ranks N] [--check] mpiexec ... PROGRAM ...\n"
        "       %(prog)s --measure mpiexec ...",
    )
    parser.add_argument(
        "--mode",
        choices=("ranks", "thread", "off"),
        help="who makes progress: the last ranks of every node, which the program does not see; a "
        "thread (what is done by itself where MPI allows it); nobody",
    )
    parser.add_argument(
        "--ranks", type=_positive, metavar="N", help="so many ghost ranks a node: --mode ranks"
    )
    parser.add_argument("--check", action="store_true", help="tell at the end of the windows")
    parser.add_argument(
        "--measure",
        action="store_true",
        help="run no program: measure a thread against ghost ranks for some 15 seconds, and do "
        "from now on what was better where --mode is not given",
    )
    parser.add_argument("--library", type=Path, metavar="PATH", help=f"where {LIBRARY} is")
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="mpiexec ...", help="what starts the program"
    )
    parser.set_defaults(alone=_run)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number from 1 on")
    return int(text)


def _settings_of(options: argparse.Namespace, launcher: str) -> dict[str, str]:
    """Return what the ranks are to have in their environment."""
    library = str(find_library(options.library))
    others = os.environ.get("LD_PRELOAD")
    # Tools that others preload come first, and find the library behind MPI's PMPI_ names.
    settings = {"LD_PRELOAD": f"{others}:{library}" if others else library}
    mode = options.mode or ("ranks" if options.ranks else None)
    if mode is None and not os.environ.keys() & {"ATOLL_GHOST", "ATOLL_GHOST_RANKS"}:
        file = file_of_choices()
        mode = chosen_mode(file, launcher_in_words(launcher))
        if mode in ("ranks", "off"):  # what a program may notice
            print(f"atoll ghost: {_CHOSEN[mode]} ({file}; --mode for another)", file=sys.stderr)
    if mode:
        settings["ATOLL_GHOST"] = mode
    if options.ranks:
        settings["ATOLL_GHOST_RANKS"] = str(options.ranks)
    if options.check:
        settings["ATOLL_GHOST_CHECK"] = "1"
    return settings


def _measure(options: argparse.Namespace, command: list[str]) -> int:
    if options.mode or options.ranks or options.check:
        raise ValueError("--measure: expected no --mode, --ranks or --check beside it")
    choice = measure(command, find_library(options.library), lambda line: print(line, flush=True))
    file = file_of_choices()
    write_choice(file, choice)
    print(f"{choice.mode} is what atoll ghost does from now on without --mode, on")
    print(f"{choice.machine} with {choice.launcher} ({file})")
    return 0


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
        if options.measure:
            return _measure(options, [launcher, *command[1:]])
        settings = _settings_of(options, launcher)
        words, environment = started_by([launcher, *command[1:]], settings, dict(os.environ))
        sys.stdout.flush()
        os.execve(launcher, words, environment)
    except (OSError, ValueError) as error:
        print(f"atoll ghost: {error}", file=sys.stderr)
        return FAILED

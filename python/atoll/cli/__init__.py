"""The `atoll` command line: `atoll energy FILE.xyz --basis NAME`, `atoll info`, and others.

Runs as one process or under mpiexec. Exit status: 0 done, 1 not converged, 2 wrong input.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import textwrap
from typing import TYPE_CHECKING, Any, NoReturn

import atoll
from atoll import _core, _exit
from atoll.cli import (
    cluster,
    completion,
    config,
    disk,
    energy,
    frequencies,
    ghost,
    gradient,
    info,
    optimize,
    profile,
    run,
    simulate,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

WRONG_INPUT = 2
READER_GONE = 141  # what a shell says of a program that SIGPIPE has ended


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line in one line; examples in the help stay as they are."""

    def __init__(self, *, description: str | None = None, **options: Any) -> None:
        options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(description=textwrap.fill(description or "", 78), **options)

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog="atoll",
        description="Arrays spread over many processes and nodes: what one does with them without "
        "writing a program.",
        epilog="examples:\n  atoll run -n 4 script.py\n  atoll info\n"
        "  atoll energy water.xyz --basis cc-pvdz\n"
        "each command has its own --help: atoll energy --help",
    )
    parser.add_argument("--version", action="version", version=f"atoll {atoll.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in (energy, gradient, optimize, frequencies):
        command.add_command(commands)
    run.add_command(commands)
    simulate.add_command(commands)
    info.add_command(commands)
    config.add_command(commands)
    profile.add_command(commands)
    disk.add_command(commands)
    cluster.add_command(commands)
    ghost.add_command(commands)
    completion.add_command(commands, parser)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status. Collective under mpiexec."""
    first = _exit.is_first_process()
    _exit.one_line_of_interrupts = True
    try:
        return _run(arguments, first)
    except KeyboardInterrupt:
        return _interrupted(first)
    except BrokenPipeError:  # who reads has seen enough: `atoll info | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE


def _interrupted(first: bool) -> int:
    """Tell of Ctrl-C in a line, and end the run of all ranks."""
    if _core.ranks_of_run() > 1:
        _exit.tell_interrupt()
    if first:
        print("atoll: interrupted", file=sys.stderr)
    return _exit.INTERRUPTED


def _run(arguments: Sequence[str] | None, first: bool) -> int:
    if first:
        options = _parse(arguments)
    else:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                options = _parse(arguments)
            except SystemExit:
                # The first process has the same command line and tells its status. Some launchers
                # kill all at the first failure: that must not be this one, before the other spoke.
                return 0
    if hasattr(options, "alone"):
        status: int = options.alone(options)  # needs no world
        return status
    try:
        world = atoll.world()
    except (OSError, RuntimeError, ValueError) as error:  # a wrong ATOLL_* variable, another MPI
        _exit.tell_failure_of_start(error)
        return WRONG_INPUT
    status = options.run(options, world)
    sys.stdout.flush()
    if status != 0:
        atoll.finalize()  # in order: a rank that just leaves with a failure ends the others' run
    return status

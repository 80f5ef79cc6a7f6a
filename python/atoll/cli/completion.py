"""`atoll completion`: a script by which a shell completes commands, options, their values, files.

It is made by shtab (https://github.com/iterative/shtab), once: the shell starts no Python.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import sys
from typing import Any

from atoll.chem.calculations import table

MISSING = 2
SHELLS = ("bash", "zsh", "tcsh", "fish")
_FILES = ("FILE", "PATH", "ARRAY", "IMAGE")
_FOLDERS = ("DIR", "FOLDER")
_TAKE_PARENTHESES = ("bash", "fish")  # in the scripts of the others they have a meaning
_FUNCTIONALS = ("b3lyp", "pbe", "pbe0")  # any other that libxc knows may be typed

_EXAMPLES = """\
examples:
  pip install shtab
  atoll completion bash > ~/.local/share/bash-completion/completions/atoll
  atoll completion zsh > "${fpath[1]}/_atoll"
  atoll completion fish > ~/.config/fish/completions/atoll.fish"""


def add_command(commands: Any, whole: argparse.ArgumentParser) -> None:
    """Add the subcommand; `whole` is the parser whose commands are completed."""
    parser = commands.add_parser(
        "completion",
        help="script that completes this command line in a shell",
        description="Print a script by which a shell completes the commands and options of atoll, "
        "values and files. It needs the package shtab, once.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    parser.set_defaults(alone=functools.partial(_print, whole))


def _print(whole: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    try:
        shtab: Any = importlib.import_module("shtab")
    except ImportError:
        text = "atoll completion: it is made by shtab, which is not there: pip install shtab"
        print(text, file=sys.stderr)
        return MISSING
    _tell(whole, shtab, arguments.shell)
    print(shtab.complete(whole, shell=arguments.shell))
    return 0


def _choices(command: str, shell: str) -> dict[str, tuple[str, ...]]:
    """Give the values of options of a command that have a few, by name."""
    methods = [name for name, each in table.METHODS.items() if command == "energy" or each.gradient]
    if shell not in _TAKE_PARENTHESES:
        methods = [name for name in methods if "(" not in name]
    named = {"method": (*methods, *_FUNCTIONALS)}
    try:
        from atoll.chem.molecules.options import CHOICES
    except ImportError:  # PySCF is not there, and nobody computes energies
        return named
    return named | CHOICES


def _tell(parser: argparse.ArgumentParser, shtab: Any, shell: str) -> None:
    """Write into a parser and those of its commands what the arguments may be."""
    values = _choices(parser.prog.split()[-1], shell)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                _tell(command, shtab, shell)
        elif action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest in values and action.choices is None:
            action.choices = values[action.dest]

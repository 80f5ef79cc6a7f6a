"""`atoll config`: how C++ programs are compiled and linked with this environment's Atoll."""

from __future__ import annotations

import functools
import importlib.metadata
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_NOT_THERE = 2


class _NotInstalledError(Exception):
    """There are no files for programs in C++ beside this package."""


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "config",
        help="how C++ programs are compiled and linked",
        description="Tell how programs in C++ are compiled and linked with the Atoll of this "
        "environment. Answers stand in one line, in the order of the options below.",
        epilog="examples:\n"
        "  cmake -S . -B build -G Ninja -Datoll_DIR=$(atoll config --cmake-dir)\n"
        "  c++ program.cpp $(atoll config --cflags --libs)",
    )
    for option, (text, _) in _ANSWERS.items():
        parser.add_argument(option, action="store_true", help=text)
    parser.set_defaults(alone=functools.partial(_tell, parser))


def _tell(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Print the answers; returns the exit status."""
    wanted = [name for name in _ANSWERS if getattr(options, name.strip("-").replace("-", "_"))]
    if not wanted:
        parser.error(f"expected an option: {', '.join(_ANSWERS)}")
    try:
        print(" ".join(_ANSWERS[name][1]() for name in wanted))
    except _NotInstalledError as error:
        print(f"atoll config: {error}", file=sys.stderr)
        return _NOT_THERE
    return 0


@functools.cache
def _pkg_config_file() -> Path:
    """Find atoll.pc of the installed package; the other files lie at fixed places from it."""
    try:
        files = importlib.metadata.files("atoll") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "atoll.pc":
            return Path(str(file.locate())).resolve()
    raise _NotInstalledError(
        "this package has no library for C++ beside it: it runs from its source tree, or was "
        "installed from there to be edited; 'pip install .' in Atoll's folder brings one, and so "
        "does 'cmake --install'"
    )


def _prefix() -> Path:
    return _pkg_config_file().parents[2]  # <prefix>/lib/pkgconfig/atoll.pc


@functools.cache
def _fields() -> dict[str, list[str]]:
    """Read the words of atoll.pc's fields, its variables replaced."""
    variables = {"prefix": shlex.quote(str(_prefix()))}
    fields: dict[str, list[str]] = {}
    for line in _pkg_config_file().read_text().splitlines():
        found = re.match(r"(\w+)(=|: )(.*)", line)
        if not found or found[1] in variables:
            continue
        value = re.sub(r"\$\{(\w+)\}", lambda use: variables[use[1]], found[3])
        if found[2] == "=":
            variables[found[1]] = value
        else:
            fields[found[1]] = shlex.split(value)
    return fields


def _words(words: list[str]) -> str:
    return " ".join(shlex.quote(word) for word in words)


def _includes() -> str:
    words = _fields()["Cflags"]
    return _words([word for word in words if not word.startswith("-std=")])


_ANSWERS: dict[str, tuple[str, Callable[[], str]]] = {
    "--version": ("the version", lambda: importlib.metadata.version("atoll")),
    "--prefix": ("the folder of include and lib", lambda: str(_prefix())),
    "--cmake-dir": (
        "the folder of atollConfig.cmake, for CMake's atoll_DIR or CMAKE_PREFIX_PATH",
        lambda: str(_prefix() / "lib" / "cmake" / "atoll"),
    ),
    "--pkg-config-dir": (
        "the folder of atoll.pc, for PKG_CONFIG_PATH",
        lambda: str(_pkg_config_file().parent),
    ),
    "--includes": ("where the headers are, MPI's too", _includes),
    "--cflags": ("how to compile", lambda: _words(_fields()["Cflags"])),
    "--libs": ("how to link, MPI too", lambda: _words(_fields()["Libs"])),
}

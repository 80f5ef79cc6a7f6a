"""Print what Atoll requires, one requirement a line, as pyproject.toml has it.

Usage: python scripts/requirements.py [--without NAME] [EXTRA ...]; of the package itself, and of
these extras. --without leaves out the package of that name (mpich, where another MPI serves).
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip brings a reader with it
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent


def name_of(requirement: str) -> str:
    """Take the package's name from a requirement: "mpich" of "mpich>=5.0"."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()


def requirements(extras: list[str], project: dict[str, Any]) -> list[str]:
    """List the package's requirements and those of extras, which may name extras of the package."""
    found: list[str] = list(project["dependencies"])
    waiting = list(extras)
    while waiting:
        for requirement in project["optional-dependencies"][waiting.pop(0)]:
            if own := re.fullmatch(rf"{project['name']}\[([\w,-]+)\]", requirement):
                waiting += own[1].split(",")
            elif requirement not in found:
                found.append(requirement)
    return found


def main() -> None:
    """Print the requirements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", action="append", default=[], metavar="NAME")
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    options = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in options.extras:
        if extra not in project["optional-dependencies"]:
            parser.error(f"no extra is called '{extra}'")
    for requirement in requirements(options.extras, project):
        if name_of(requirement) not in options.without:
            print(requirement)


if __name__ == "__main__":
    main()

"""Print what Atoll requires, one requirement a line, as pyproject.toml has it.

Usage: python scripts/requirements.py [EXTRA ...]; of the package itself, and of these extras. MPI's
own wheel, if it is to be one, stands in cmake/mpi_requirement.py.
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
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    options = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in options.extras:
        if extra not in project["optional-dependencies"]:
            parser.error(f"no extra is called '{extra}'")
    print("\n".join(requirements(options.extras, project)))


if __name__ == "__main__":
    main()

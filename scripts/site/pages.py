"""The pages that people wrote, from docs/, with links that lead to pages of the site."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

LANGUAGES = {".py": "python", ".cpp": "cpp", ".c": "c", ".f90": "fortran", ".txt": "cmake"}
PLACES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "SECURITY.md": "security.md",
    "include/atoll": "reference/cpp/atoll.md",
    "examples/ga/README.md": "examples.md",
}
"""Where on the site something of the repository stands that is not in docs/."""

_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def write_all(root: Path, into: Path) -> None:
    """Make the folder anew: docs/, the pages beside the README, and the programs of examples/."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for file in sorted((root / "docs").iterdir()):
        if file.suffix == ".md":
            (into / file.name).write_text(_with_links(file, root, f"{file.name}"))
        elif file.is_file():
            shutil.copy(file, into)
    shutil.copytree(root / "docs" / "decisions", into / "decisions")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"):
        (into / PLACES[name]).write_text(_with_links(root / name, root, PLACES[name]))
    (into / "examples.md").write_text(_examples(root))


def _with_links(file: Path, root: Path, place: str) -> str:
    """Give a page's text; what it links to is where the site has it, else named as a file."""

    def moved(found: re.Match[str]) -> str:
        target = found[2]
        if re.match(r"[a-z]+:", target):
            return found[0]
        path = os.path.relpath((file.parent / target).resolve(), root)
        if path.startswith("docs/"):
            there = path.removeprefix("docs/")
        elif path in PLACES:
            there = PLACES[path]
        elif path.startswith("examples/"):
            return f"]({os.path.relpath('examples.md', os.path.dirname(place))}#{anchor(path)})"
        else:
            return "]()" if not (root / path).exists() else f"](FILE:{path})"
        return f"{found[1]}{os.path.relpath(there, os.path.dirname(place))}{found[3]}"

    text = _LINK.sub(moved, file.read_text())
    return re.sub(r"\[([^\]]*)\]\(FILE:([^)]*)\)", r"\1 (`\2`)", text)


def anchor(path: str) -> str:
    """Give the anchor of a program on the page of examples."""
    return re.sub(r"[^a-z0-9]+", "-", path.removeprefix("examples/").lower()).strip("-")


def _examples(root: Path) -> str:
    """Write the page of all programs in examples/, each introduced by its own first lines."""
    lines = ["# Programs", "", "What stands in `examples/`, each a whole program that runs.", ""]
    for folder, title in ("python", "Python"), ("cpp", "C++"), ("ga", "Global Arrays"):
        lines += [f"## {title}", ""]
        for file in sorted((root / "examples" / folder).iterdir()):
            if file.suffix not in LANGUAGES:
                continue
            path = f"examples/{folder}/{file.name}"
            lines += [f"### {file.name} {{: #{anchor(path)} }}", ""]
            lines += [f"```{LANGUAGES[file.suffix]}", file.read_text().rstrip(), "```", ""]
    return "\n".join(lines)

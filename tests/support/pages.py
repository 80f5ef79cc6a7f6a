"""The programs that pages of the documentation open with, and what these print."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
#: With programs of its own tests: tests/packaging/test_readme.py.
FRONT = ROOT / "README.md"
PAGES = {
    page.name: page for page in [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
}


class Opening(NamedTuple):
    """A program, and the block of text behind it."""

    language: str  # python, pycon, c, cpp, or console: commands behind "$ ", each with its output
    code: str
    output: str


def opening(page: Path) -> Opening | None:
    """Give the program that a page opens with: before any other code, and before any section."""
    before, _, _ = page.read_text().partition("\n## ")
    found = re.search(r"^```(\w+)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", before, re.M | re.S)
    if found is None or re.search(r"^    \S", before[: found.start()], re.M):
        return None
    return Opening(found[1], found[2], found[3] or "")


def commands(code: str) -> list[tuple[str, str]]:
    """Give the commands of a block `console`, each with what it prints."""
    parts = re.split(r"^\$ ", code, flags=re.M)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]

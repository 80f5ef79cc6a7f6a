"""Try the lines by which documents and messages say how to install something.

Usage: python scripts/install_lines.py PYTHON [--list]. PYTHON is the interpreter of an environment
with what Atoll is built with, which lines get that build in the environment itself; the others get
an empty one. Nothing is installed: pip and apt-get only say what they would do, without caches, and
CMake configures. Prints a line of each that was tried; the status is 1 if one of them fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("*.md", "docs/*.md")
MESSAGES = ("python/**/*.py", "cmake/*.cmake", "CMakeLists.txt", "src/**/*.cpp", "src/**/*.py")
# A command with its arguments, up to what ends it in prose, in a message or in a shell line.
WORD = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"`,;:()&|#]+)"
COMMAND = re.compile(
    rf"(?:(?:[\w./]*pip3?|[\w./]*python3? -m pip|apt-get) install|cmake --preset)(?: {WORD})+"
)
# With which prose goes on behind a command that it does not mark.
PROSE = re.compile(r" (?:and|beside|brings|for|in|into|once|with)(?: |$).*")


@dataclass(frozen=True)
class Line:
    """A command and where it stands first."""

    place: str
    words: tuple[str, ...]


def code_of(document: str) -> list[str]:
    """Give each line's code: all of it in a block, else what is in backticks."""
    found, fenced = [], False
    for line in document.splitlines():
        if line.startswith("```"):
            fenced = not fenced
            found.append("")
        elif fenced or line.startswith("    "):
            found.append(line)
        else:
            found.append(" ; ".join(re.findall(r"`([^`]*)`", line)))
    return found


def lines() -> list[Line]:
    """Find the commands of all documents and messages, each once."""
    found: dict[tuple[str, ...], str] = {}
    for patterns, is_document in ((DOCUMENTS, True), (MESSAGES, False)):
        for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            rows = code_of(text) if is_document else text.splitlines()
            for number, row in enumerate(rows, 1):
                for match in COMMAND.findall(row):
                    command = re.sub(
                        r"(?<=\w)\.$", "", PROSE.sub("", match)
                    )  # the end of a sentence
                    words = tuple(shlex.split(command))
                    found.setdefault(words, f"{path.relative_to(ROOT)}:{number}")
    return [Line(place, words) for words, place in found.items()]


def trial(line: Line, python: str, empty: str, scratch: str) -> list[str]:
    """Say how a command is tried; nothing where it holds what only its reader knows.

    `python` has what Atoll is built with, `empty` has no packages.
    """
    words = list(line.words)
    if any(re.search(r"[<{$]|\.\.\.|^[A-Z]+$", word) for word in words):
        return []
    after = words[words.index("install") + 1 :] if "install" in words else words[2:]
    if words[0] == "apt-get":
        return ["apt-get", "install", "--simulate", "--quiet=2", *after]
    if words[0] == "cmake":
        return ["cmake", "-B", str(Path(scratch) / "configured"), "--preset", *after]
    interpreter = python if "--no-build-isolation" in words else empty
    return [interpreter, "-m", "pip", "install", "--dry-run", "--no-cache-dir", "--quiet", *after]


def attempt(line: Line, python: str, empty: str) -> tuple[str, str]:
    """Try a command; gives "works", "fails" or "left out", and what was said of a failure."""
    scratch = tempfile.mkdtemp()
    environment = {**os.environ, "PATH": f"{Path(python).parent}:{os.environ['PATH']}"}
    try:
        command = trial(line, python, empty, scratch)
        if not command or not shutil.which(command[0], path=environment["PATH"]):
            return "left out", ""
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        return ("works", "") if ended.returncode == 0 else ("fails", ended.stdout + ended.stderr)
    finally:
        shutil.rmtree(scratch)


def main() -> int:
    """Try all; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", metavar="PYTHON")
    parser.add_argument("--list", action="store_true", help="only say what would be tried")
    options = parser.parse_args()
    python = str(Path(options.python).absolute())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        empty = f"{folder}/bin/python"
        if not options.list:
            subprocess.run([python, "-m", "venv", folder], check=True)
            # As the pages say of presets, which build the tests.
            subprocess.run(["bash", "scripts/get-googletest.sh"], cwd=ROOT, check=True)
        for line in lines():
            if options.list:
                words = trial(line, "PYTHON", "EMPTY", "SCRATCH") or line.words
                print(line.place, shlex.join(words), sep="  ")
                continue
            result, said = attempt(line, python, empty)
            print(f"{result:8}  {line.place}  {shlex.join(line.words)}", flush=True)
            if result == "fails":
                failed += 1
                print("\n".join(said.splitlines()[-12:]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

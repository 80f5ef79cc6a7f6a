"""The page of all commands: what each one's --help prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def _help(*words: str) -> str:
    command = [sys.executable, "-m", "atoll", *words, "--help"]
    environment = {**os.environ, "COLUMNS": "96"}
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout.rstrip()


def _subcommands(text: str) -> list[str]:
    """Give the names that a help lists: `{run,info,...}`, each once."""
    found = re.search(r"\{([a-z0-9_,-]+)\}", text.partition("usage:")[2].partition("\n\n")[0])
    return found[1].split(",") if found else []


def write(file: Path) -> None:
    """Write the page, a section a command and one for each of its own commands."""
    first = _help()
    lines = ["# Commands", "", "What `atoll --help` and each command's `--help` print.", ""]
    lines += ["```text", first, "```", ""]
    for name in _subcommands(first):
        text = _help(name)
        lines += [f"## atoll {name}", "", "```text", text, "```", ""]
        for inner in _subcommands(text):
            if re.search(rf"^    {re.escape(inner)}\b", text, re.M):
                lines += [f"### atoll {name} {inner}", "", "```text", _help(name, inner), "```", ""]
    file.write_text("\n".join(lines))

"""Running commands from the root of the repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]


class Compiler(Protocol):
    """Compiles a source file with the flags of pkg-config behind others; returns the program."""

    def __call__(self, source: Path, *flags: str) -> Path: ...


def attempt(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; both of its streams are in `stdout`."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )


def run(*command: str | Path, **environment: str) -> str:
    """Run a command to its end and return its output; its failure is the test's failure."""
    result = attempt(*command, **environment)
    assert result.returncode == 0, f"{command} ended with {result.returncode}:\n{result.stdout}"
    return result.stdout

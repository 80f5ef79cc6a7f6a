"""Running commands from the root of the repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Compiles a source file with the flags of pkg-config, and returns the program.
Compiler = Callable[[Path], Path]


def run(*command: str | Path, **environment: str) -> str:
    """Run a command to its end and return its output; its failure is the test's failure."""
    result = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, f"{command} ended with {result.returncode}:\n{result.stdout}"
    return result.stdout

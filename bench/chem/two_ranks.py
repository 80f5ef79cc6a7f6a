"""Starting a benchmark again under mpiexec, with two ranks of one thread each."""

from __future__ import annotations

import os
import subprocess
import sys

import programs


def start(script: str) -> int:
    """Run a script with its own arguments and --inside under mpiexec; return the exit status."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [
        programs.mpiexec_of(script),
        "-n",
        "2",
        sys.executable,
        script,
        *sys.argv[1:],
        "--inside",
    ]
    return subprocess.run(command, env={**os.environ, **one_thread}, check=False).returncode

"""Starting a benchmark again under mpiexec, with two ranks of one thread each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def start(script: str) -> int:
    """Run a script with its own arguments and --inside under mpiexec; return the exit status."""
    beside_python = Path(sys.executable).with_name("mpiexec")
    mpiexec = str(beside_python) if beside_python.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        raise SystemExit(f"{script}: no mpiexec found")
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [mpiexec, "-n", "2", sys.executable, script, *sys.argv[1:], "--inside"]
    return subprocess.run(command, env={**os.environ, **one_thread}, check=False).returncode

"""Running a benchmark's calculation in processes of its own, by Atoll or by PySCF."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any


def mpiexec_of(script: str) -> str:
    """Find the launcher, that of this Python's environment first."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise SystemExit(f"{script}: no mpiexec found")
    return found


def load_pyscf() -> None:
    """Load PySCF's libraries with their BLAS told of processors that it does not know.

    NumPy's and SciPy's know them, and are loaded before: told the same they would be slower.
    """
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401

    name = "OPENBLAS_CORETYPE"
    told = name not in os.environ and "avx2" in Path("/proc/cpuinfo").read_text()
    if told:
        os.environ[name] = "Haswell"
    from pyscf import cc, df, dft, gto, mp, scf  # noqa: F401

    if told:
        del os.environ[name]


def run(script: str, program: str, words: list[str], cores: int) -> dict[str, Any]:
    """Run a script with --inside PROGRAM WORDS; give the JSON of its last line.

    "atoll" has a rank on each core, "pyscf" and its like a thread.
    """
    environment = dict(os.environ)
    threads = str(1 if program == "atoll" else cores)
    environment |= {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    command = [sys.executable, script, "--inside", program, *words]
    if program == "atoll":
        command = [mpiexec_of(script), "-n", str(cores), *command]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found

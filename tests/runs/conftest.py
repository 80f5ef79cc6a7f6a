"""Starting whole runs of Python scripts, from a process that is itself no rank."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import atoll
import instead
import pytest
from mpi_runs import OPEN_MPI, PATIENCE, communicate

# Unbuffered, the text and the end of a line are two writes, and lines of two ranks may mix.
FOREIGN = ("PMI", "PMIX", "HYDRA", "MPI", "OMPI", "PRTE", "ATOLL", "PYTHONUNBUFFERED")


def mpiexec() -> str:
    beside_python = Path(sys.executable).parent / "mpiexec"
    found = str(beside_python) if beside_python.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.skip("no mpiexec")
    return found


@pytest.fixture
def run(tmp_path):
    """Run a script on so many ranks (0: without mpiexec); give status, stdout and stderr.

    `within`: words before it all, of a program that becomes it.
    """

    def start(text, ranks=0, options=(), seconds=PATIENCE, within=(), **settings):
        script = tmp_path / "script.py"
        script.write_text(textwrap.dedent(text))
        # The caller's own settings must not reach the run.
        environment = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        package = str(Path(atoll.__file__).resolve().parents[1])
        if "PYTHONPATH" in os.environ:
            package = os.environ["PYTHONPATH"]
        environment |= {"PYTHONPATH": package, **OPEN_MPI, **settings}
        environment = {k: v for k, v in environment.items() if v is not None}  # None: not set
        command = [mpiexec(), "-n", str(ranks)] if ranks else []
        with subprocess.Popen(
            [*within, *command, sys.executable, *options, str(script)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                stdout, stderr = communicate(process, seconds)
            except subprocess.TimeoutExpired:
                process.kill()  # the launcher: its ranks end with it
                raise
        return process.returncode, stdout, stderr

    return start


@pytest.fixture
def preloaded(tmp_path):
    """Compile what is to stand in the place of system calls; give the library's path."""
    return lambda text: instead.compiled(text, tmp_path)

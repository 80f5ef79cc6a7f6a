"""What tests share that start whole runs: Open MPI's settings, and patience.

A virtual machine may be stopped for minutes; when it goes on, every time limit of the clock has
passed. Limits here count waits, each of a moment, so that a standstill costs one of them.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

#: What Open MPI wants where ranks outnumber cores, or on a machine of one's own. Its launcher
#: starts processes from several threads, and loses one that ends before it is written down: then
#: the run never ends. Without these threads (0) it does.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_odls_base_max_threads": "0",
}

#: Far beyond what a run of a second may take on a busy machine.
PATIENCE = 300.0


def waits(seconds: float, moment: float = 0.05) -> Iterator[None]:
    """Sleep for a moment again and again, for so many seconds; for use in a loop that breaks."""
    for _ in range(round(seconds / moment)):
        yield
        time.sleep(moment)


def piped(
    command: Iterable[object], environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.Popen[str]:
    """Start a process without input, for `communicate`."""
    return subprocess.Popen(
        [*map(str, command)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def communicate(process: subprocess.Popen[str], seconds: float = PATIENCE) -> tuple[str, str]:
    """Wait for the end of a process and give its stdout and stderr.

    Raises:
        subprocess.TimeoutExpired: it takes longer. It has been told to end then, as a launcher has
            to be for its ranks to end, too.

    """
    moment = 0.5
    for left in reversed(range(round(seconds / moment))):
        try:
            return process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            if left == 0:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                raise
    raise ValueError(f"seconds {seconds}: expected at least half a second")


def finished(
    command: Iterable[object], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, however long the machine stands still meanwhile."""
    with piped(command, environment) as process:
        try:
            stdout, stderr = communicate(process)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

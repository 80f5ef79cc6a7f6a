"""Where a program is to be started: inside a run of ranks, in a job of a batch system, or neither.

Read from what launchers and batch systems say in the environment.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# How many processes a launcher of MPI programs has started, and the number of one of them.
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE")
_RANKS = ("PMI_RANK", "PMIX_RANK", "PALS_RANKID", "ALPS_APP_PE")


class Job(NamedTuple):
    """What a batch system has given.

    Attributes:
        system: Slurm, PBS or LSF.
        ranks: How many processes it is for.
        threads: Cores of each of them, where the job says so.
        host_file: A file of the hosts, one a line for each rank; empty: launchers ask the system.

    """

    system: str
    ranks: int
    threads: int | None = None
    host_file: str = ""


def ranks_around(environment: Mapping[str, str]) -> int | None:
    """Tell how many ranks a launcher has started of which this process is one; None: it is none.

    Zero: it does not say. As in src/world/launcher.cpp, srun speaks where no MPI's launcher does,
    and a shell on a terminal that it has opened is no rank.
    """
    for name in _SIZES:
        if name in environment:
            return _number(environment, name)
    tasks = _number(environment, "SLURM_STEP_NUM_TASKS")
    if any(name in environment for name in _RANKS):
        return tasks
    by_hand = "SLURM_PTY_PORT" in environment and environment.get("SLURM_TASK_PID") != str(
        os.getpid()
    )
    return tasks if tasks > 1 and not by_hand else None


def job_around(environment: Mapping[str, str]) -> Job | None:
    """Tell of the job of a batch system that this process is part of."""
    if "SLURM_JOB_ID" in environment:
        ranks = _number(environment, "SLURM_NTASKS") or _number(environment, "SLURM_JOB_NUM_NODES")
        return Job("Slurm", max(1, ranks), _number(environment, "SLURM_CPUS_PER_TASK") or None)
    for system, name in (("PBS", "PBS_NODEFILE"), ("LSF", "LSB_DJOB_HOSTFILE")):
        if file := environment.get(name):
            hosts = Path(file).read_text().split()
            return Job(system, max(1, len(hosts)), host_file=file)
    return None


def _number(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name, "")
    return int(text) if text.isdecimal() else 0

"""Where a program is to be started: inside a run of ranks, in a job of a batch system, or neither.

Read from what launchers and batch systems say in the environment.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# How many processes a launcher of MPI programs has started, as in src/world/launcher.cpp, and the
# number of one of them. Those of Slurm, which starts anything, count where no other speaks.
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE")
_RANKS = (
    "PMI_RANK",
    "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_RANK",
    "JSM_NAMESPACE_RANK",
    "PMIX_RANK",
    "PALS_RANKID",
    "ALPS_APP_PE",
)
_ON_THIS_HOST = "MPI_LOCALNRANKS"  # of Hydra: ranks beside this one
_SLURM_SIZE, _SLURM_RANK = "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"
# Set by srun's own plugins, too: a shell on its terminal hands them on to what is started there.
_ALSO_OF_SRUN = ("PMI_SIZE", "PMI_RANK", "PMIX_RANK")


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

    Zero: it does not say. A shell on a terminal that srun has opened is no rank.
    """
    told = [name for name in (*_SIZES, *_RANKS, _ON_THIS_HOST) if name in environment]
    by_hand = "SLURM_PTY_PORT" in environment and environment.get("SLURM_TASK_PID") != str(
        os.getpid()
    )
    if by_hand and all(name in _ALSO_OF_SRUN for name in told):
        return None
    if told and told[0] in _SIZES:
        return _number(environment, told[0])
    if told == [_ON_THIS_HOST]:
        return 0
    tasks = _number(environment, _SLURM_SIZE)
    return tasks if told or tasks > 1 else None


def speaks(environment: Mapping[str, str]) -> bool:
    """Tell whether this process speaks for all that its launcher has started, which do the same.

    The first does, and each where nobody says that there are others, or `ATOLL_LAUNCHER=ignore`
    says that each is a program of its own.
    """
    if environment.get("ATOLL_LAUNCHER") == "ignore":
        return True
    numbers = (environment.get(name) for name in (*_RANKS, _SLURM_RANK))
    is_first = next((number for number in numbers if number), "0") == "0"
    return is_first or not any(name in environment for name in (*_SIZES, _SLURM_SIZE))


def job_around(environment: Mapping[str, str]) -> Job | None:
    """Tell of the job of a batch system that this process is part of."""
    if "SLURM_JOB_ID" in environment:
        ranks = _number(environment, "SLURM_NTASKS") or _number(environment, "SLURM_JOB_NUM_NODES")
        return Job("Slurm", max(1, ranks), threads_of_job(environment))
    for system, name in (("PBS", "PBS_NODEFILE"), ("LSF", "LSB_DJOB_HOSTFILE")):
        if file := environment.get(name):
            hosts = Path(file).read_text().split()
            return Job(system, max(1, len(hosts)), host_file=file)
    return None


def threads_of_job(environment: Mapping[str, str]) -> int | None:
    """Tell how many cores a job is to have for each rank; None: it does not say."""
    if "SLURM_JOB_ID" not in environment:
        return None
    return _number(environment, "SLURM_CPUS_PER_TASK") or None


def _number(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name, "")
    return int(text) if text.isdecimal() else 0

"""The processes of one run on one host: which cores they have, and what processor time they take.

All ranks that a launcher has started on a host are children of one process, progress ranks
included, which never come to the program and can be seen from outside only.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

TICK = 1.0 / os.sysconf("SC_CLK_TCK")  # of the kernel's figures, seconds
CORES = sorted(os.sched_getaffinity(0))  # before any placement


def take_priority() -> None:
    """Put this process before all others of the machine, where it may (root)."""
    # Where sessions are scheduled as groups, a nice value counts inside one only, and launchers
    # give every rank a session; this file has the group's own.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text("-20")
        os.setpriority(os.PRIO_PROCESS, 0, -20)


def place(number: int, agents: list[int], *, apart: bool) -> None:
    """Bind the calling thread, the others of this process, and agents to cores of the machine.

    Args:
        number: Of the rank. Rank 0 has the first core, rank 1 the second, rank 2 the first again.
        agents: Processes.
        apart: All ranks compute on the first half of the cores, and the rest has the other half.

    """
    half = max(1, len(CORES) // 2)
    computing = CORES[number % (half if apart else len(CORES))]
    beside = CORES[half + number % (len(CORES) - half)] if apart and len(CORES) > 1 else computing
    for process in (os.getpid(), *agents):
        for thread in _threads(process):
            own = thread == threading.get_native_id()
            with suppress(ProcessLookupError):  # it has just ended
                os.sched_setaffinity(thread, {computing if own else beside})


def processor_seconds() -> float:
    """Give what all ranks of this run on this host have taken so far."""
    return sum(_seconds_of(process) for process in processes())


def busy_seconds() -> float:
    """Give the time that the cores of the machine have worked so far, whoever for."""
    user, nice, system, _, _, interrupts, soft_interrupts, *_ = map(
        int, Path("/proc/stat").read_text().partition("\n")[0].split()[1:]
    )
    return TICK * (user + nice + system + interrupts + soft_interrupts)


def processes() -> list[int]:
    """List the ranks of this run on this host: the children of what has started this process."""
    launcher = os.getppid()
    return [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and _fields(int(folder.name))[1:2] == [str(launcher)]
    ]


def _threads(process: int) -> list[int]:
    with suppress(OSError):
        return [int(folder.name) for folder in Path(f"/proc/{process}/task").iterdir()]
    return []


def _seconds_of(process: int) -> float:
    """Give user and system time of a process, with its threads."""
    return TICK * sum(map(int, _fields(process)[11:13]))


def _fields(process: int) -> list[str]:
    """Read what the kernel says of a process, from its state on; nothing if it has ended."""
    with suppress(OSError):  # names may have spaces and parentheses
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return []

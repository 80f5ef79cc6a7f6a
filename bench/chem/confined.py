"""Memory of a process limited by a cgroup of its own (version 1 or 2), which only root makes."""

from __future__ import annotations

import os
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def confine(limit: int) -> None:
    """Let this process take no more than so many bytes beyond what it has, or be killed."""
    for root, file in ((CGROUPS / "memory", "memory.limit_in_bytes"), (CGROUPS, "memory.max")):
        group = root / f"atoll_bench_{os.getpid()}"
        if (root / "cgroup.procs").exists():
            group.mkdir()
            (group / file).write_text(str(limit))
            (group / "cgroup.procs").write_text(str(os.getpid()))
            return
    raise SystemExit(f"no cgroups in {CGROUPS}")


def end_confinement() -> bool:
    """Remove the groups; tell whether the kernel has killed any of their processes."""
    killed = 0
    for group in [*CGROUPS.glob("atoll_bench_*"), *CGROUPS.glob("memory/atoll_bench_*")]:
        for file in ("memory.oom_control", "memory.events"):
            if (group / file).exists():
                killed += sum(
                    int(line.split()[1])
                    for line in (group / file).read_text().splitlines()
                    if line.startswith("oom_kill ")
                )
        group.rmdir()
    return killed > 0

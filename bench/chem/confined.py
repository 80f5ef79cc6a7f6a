"""Memory of a process limited by a cgroup of its own (version 1 or 2), which only root makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import programs

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


def measured(script: str, ranks: int, words: list[str]) -> dict[str, float] | None:
    """Give what so many ranks of `script --inside` print, None where one was killed for memory."""
    command = [programs.mpiexec_of(script), "-n", str(ranks), sys.executable, script, "--inside"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                   "ATOLL_NODES": str(ranks)}  # fmt: skip
    done = subprocess.run(
        [*command, *words], env=environment, capture_output=True, text=True, check=False
    )
    short = end_confinement()
    if done.returncode != 0:
        if short:
            return None
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found

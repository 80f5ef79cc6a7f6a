"""What triples_hosts.py runs: the (T) correction of triples_runs.py, one computing rank a host.

`run` starts it on the hosts of a cluster in a box in one of the deployments of table I of Si et al.
(paper 003); inside, every rank measures, and the first one writes the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from programs import mpiexec_of
from triples_runs import MEMORY, problem, touch

LIMIT_SECONDS = 900
WARM_UP = 1  # molecule: what happens at the first call only, happens there
SMALL, LARGE = 1, 1 << 20  # gets that measure the link, in doubles

Figures = dict[str, Any]


@dataclass(frozen=True)
class Deployment:
    """Who serves requests of other hosts, and on which cores."""

    name: str
    agent: str
    apart: bool = False
    """Agents have cores of their own, half of all."""
    computing: int = 1
    """Ranks of a host that compute."""

    @property
    def processes(self) -> int:
        """Count the ranks of a host."""
        return self.computing + (self.agent == "rank")


IN_THE_NODE = Deployment("two ranks of one host", "none", computing=2)
DEPLOYMENTS = (
    Deployment("original", "none"),
    Deployment("ghost ranks", "rank", apart=True),
    Deployment("ghost ranks oversubscribed", "rank"),
    Deployment("thread oversubscribed", "thread"),
    Deployment("thread dedicated", "thread", apart=True),
)
ORIGINAL, _, _, THREAD, _ = DEPLOYMENTS


def run(
    deployment: Deployment,
    waters: int,
    hosts: int,
    folder: Path,
    *,
    repeats: int,
    priority: bool = False,
    profile: bool = False,
) -> Figures:
    """Run (T) of so many molecules on the first hosts; give the figures, or Atoll's profile.

    One host is this machine itself.
    """
    from atoll.cluster import run as run_on_hosts

    result, calls = folder / "result.json", folder / "profile.json"
    words = [sys.executable, __file__, str(result), str(waters), "--repeats", str(repeats)]
    words += ["--apart"] * deployment.apart + ["--priority"] * priority + ["--bare"] * profile
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment["ATOLL_PROGRESS"] = deployment.agent
    if profile:
        environment["ATOLL_PROFILE"] = str(calls)
    if hosts == 1:
        launcher = [mpiexec_of(__file__), "-n", str(deployment.processes)]
        done = subprocess.run([*launcher, *words], env=environment, check=False)
    else:
        ranks = (deployment.processes,) * hosts
        done = run_on_hosts(words, ranks, None, environment, timeout=LIMIT_SECONDS)
    if done.returncode != 0:
        raise SystemExit(f"(T) of {waters} waters on {hosts} hosts, {deployment.name}, failed")
    found: Figures = json.loads((calls if profile else result).read_text(encoding="utf-8"))
    return found


def measure(waters: int, repeats: int, *, apart: bool, priority: bool, bare: bool) -> Figures:
    """Run (T) several times; give every run's figures, and those of the link. Collective.

    `bare`: nothing else, so that a profile counts nothing else.
    """
    import atoll
    import host_processes

    if priority:
        host_processes.take_priority()
    group = atoll.world()
    inputs, energies = _inputs(group, waters)
    link: Figures = {}
    if not bare:
        touch(waters)
        _correction(group, *_inputs(group, WARM_UP))
        link = _link(group) if group.nodes > 1 else {}
    _place(group, apart)
    runs = [_timed(group, inputs, energies) for _ in range(repeats)]
    return {"runs": runs, "link": link, "hosts": group.nodes, "ranks": group.size}


def _place(group: Any, apart: bool) -> None:
    """Give every rank its core; a host's first rank places the progress ranks, which are not here.

    One rank a host has progress ranks.
    """
    import host_processes

    ranks = set(group.mpi4py().allgather(os.getpid()))
    agents = [process for process in host_processes.processes() if process not in ranks]
    host_processes.place(group.rank, agents, apart=apart)


def _inputs(group: Any, waters: int) -> tuple[list[Any], tuple[Any, Any]]:
    import atoll

    made = problem(waters)
    names = ("t1", "t2", "ovov", "ovvv", "ovoo")
    arrays = [atoll.from_numpy(made[name], group=group) for name in names]
    return arrays, (made["occupied"], made["virtual"])


def _correction(group: Any, inputs: list[Any], energies: tuple[Any, Any]) -> Any:
    from atoll.chem.correlation.coupled_cluster.triples import correction

    return correction(group, *inputs, *energies, memory=MEMORY)


def _timed(group: Any, inputs: list[Any], energies: tuple[Any, Any]) -> Figures:
    """Give a run's figures; seconds are sums over the ranks but for `elapsed`."""
    import host_processes

    group.sync()
    before = _clocks(host_processes)
    found = _correction(group, inputs, energies)
    thread, processes, machine = (
        now - then for now, then in zip(_clocks(host_processes), before, strict=True)
    )
    first = group.rank == group.node_ranks[0]
    processes = float(group.reduce(processes if first else 0.0))
    thread = float(group.reduce(thread))
    kernel = sum(found.seconds[kind] for kind in ("packing", "products", "energies"))
    return {
        "value": found.energy,
        "elapsed": found.elapsed,
        "kernel": kernel,
        "by kind": found.seconds,
        "processor": processes,
        "processor of computing threads": thread,
        "processor of others": max(0.0, float(group.reduce(machine, "max")) - processes),
        "flops": found.flops,
        "tile": found.tile,
        "tasks": found.tasks,
    }


def _clocks(host_processes: Any) -> tuple[float, float, float]:
    return (
        time.thread_time(),
        host_processes.processor_seconds(),
        host_processes.busy_seconds(),
    )


def _link(group: Any) -> Figures:
    """Time gets from a host that waits: seconds of a small one, bytes a second of a large one."""
    import atoll

    array = atoll.zeros((group.size, LARGE), distribution=atoll.blocked((0, LARGE)), group=group)
    found = {}
    for name, count, repeats in (("latency", SMALL, 200), ("bandwidth", LARGE, 8)):
        group.sync()
        best = float("inf")
        if group.rank == 0:
            for _ in range(repeats):
                started = time.perf_counter()
                array[group.size - 1, :count]
                best = min(best, time.perf_counter() - started)
        group.sync()
        found[name] = best if count == SMALL else 8 * count / best
    array.destroy()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Inside: measure (T) on these ranks.")
    parser.add_argument("result", type=Path)
    parser.add_argument("waters", type=int)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--priority", action="store_true")
    parser.add_argument("--bare", action="store_true")
    words = vars(parser.parse_args())
    result = words.pop("result")
    figures = measure(**words)
    import atoll

    if atoll.rank() == 0:
        result.write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()

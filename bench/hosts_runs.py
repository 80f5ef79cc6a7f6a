"""What `hosts.py` runs: for each part a list of runs, each with its network and its environment."""

from __future__ import annotations

from dataclasses import dataclass, field

# Rates of the links, and the highest rate of data over each in 10^9 bytes a second.
LINE_RATES: dict[str, float | None] = {"none": None, "1gbit": 0.125, "100mbit": 0.0125}
AGENTS = ("none", "thread", "rank")
PATHS = ("message", "rma")
PARTS = ("sizes", "busy", "overlap", "multiply", "idle", "small")
ASYNC = {"MPIR_CVAR_ASYNC_PROGRESS": "1"}  # MPICH's own progress thread


@dataclass(frozen=True)
class Run:
    """One start of atoll_bench on the two hosts."""

    part: str
    label: str  # put before the names of its figures
    workloads: tuple[str, ...]
    rate: str = "none"
    ranks: int = 1  # on every host
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    mpich_only: bool = False


def with_agent(agent: str, path: str = "auto") -> dict[str, str]:
    """Choose who serves requests and how they travel; "auto" leaves the path to Atoll."""
    result = {"ATOLL_PROGRESS": agent}
    if agent == "rank":
        result["ATOLL_PROGRESS_RANKS"] = "1"
    if path != "auto":
        result["ATOLL_TRANSPORT"] = path
    return result


def ranks_of(agent: str, computing: int = 1) -> int:
    """Count the ranks of a host: those that compute, and a progress rank."""
    return computing + (agent == "rank")


def sizes(paths: tuple[str, ...], rates: tuple[str, ...]) -> list[Run]:
    workloads = ("remote-latency", "remote-bandwidth")
    options = ("--largest", str(8 << 20))
    return [
        Run("sizes", f"{rate} {path}", workloads, rate, 1, with_agent("thread", path), options)
        for rate in rates
        for path in paths
    ]


def busy(agents: tuple[str, ...]) -> list[Run]:
    result = []
    for agent in agents:
        workloads = ("remote-busy",) if agent == "none" else ("remote-busy", "remote-slowdown")
        settings = with_agent(agent)
        result.append(Run("busy", agent, workloads, "none", ranks_of(agent), settings))
    result.append(Run("busy", "MPI async", ("mpi-busy",), environment=ASYNC, mpich_only=True))
    return result


def overlap(agents: tuple[str, ...], paths: tuple[str, ...]) -> list[Run]:
    result = [
        Run("overlap", f"{agent} {path}", ("remote-overlap",), "1gbit", ranks_of(agent), settings)
        for agent in agents
        for path in paths
        for settings in (with_agent(agent, path),)
    ]
    plain = ("mpi-overlap",)
    result.append(Run("overlap", "MPI", plain, "1gbit"))
    result.append(Run("overlap", "MPI async", plain, "1gbit", environment=ASYNC, mpich_only=True))
    return result


def multiply(agents: tuple[str, ...]) -> list[Run]:
    """The paper's four deployments, and MPI's one-sided operations themselves."""
    deployments = (
        ("original", "none", "own"),
        ("ghost ranks", "rank", "own"),
        ("thread oversubscribed", "thread", "own"),
        ("thread dedicated", "thread", "apart"),
    )
    result = [
        Run("multiply", name, ("remote-multiply",), "1gbit", ranks_of(agent), settings, options)
        for name, agent, cores in deployments
        if agent in agents
        for settings, options in ((with_agent(agent), ("--cores", cores)),)
    ]
    own = ("--cores", "own")
    plain = ("mpi-multiply",)
    result.append(Run("multiply", "MPI", plain, "1gbit", options=own))
    result.append(Run("multiply", "MPI async", plain, "1gbit", 1, ASYNC, own, mpich_only=True))
    return result


def idle(agents: tuple[str, ...]) -> list[Run]:
    """Four ranks that compute, on two hosts."""
    return [
        Run("idle", agent, ("agent-cpu",), "none", ranks_of(agent, 2), with_agent(agent))
        for agent in agents
        if agent != "none"
    ]


def small(agents: tuple[str, ...]) -> list[Run]:
    return [
        Run("small", agent, ("remote-small",), "none", ranks_of(agent), with_agent(agent))
        for agent in agents
        if agent != "none"
    ]


def all_runs(agents: tuple[str, ...], paths: tuple[str, ...], rates: tuple[str, ...]) -> list[Run]:
    """List all runs in the order in which they are made."""
    return [
        *sizes(paths, rates),
        *busy(agents),
        *overlap(agents, paths),
        *multiply(agents),
        *idle(agents),
        *small(agents),
    ]

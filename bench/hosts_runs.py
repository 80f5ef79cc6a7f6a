"""What `hosts.py` runs: for each part a list of runs, each with its network and its environment."""

from __future__ import annotations

from dataclasses import dataclass, field

# Rates of the links, and the highest rate of data over each in 10^9 bytes a second.
LINE_RATES: dict[str, float | None] = {"none": None, "1gbit": 0.125, "100mbit": 0.0125}
AGENTS = ("none", "thread", "rank")
PATHS = ("message", "rma")
HOSTS = (2, 3, 4)  # of merge and mirrored-multiply; the others have two
PARTS = (
    "sizes", "busy", "overlap", "multiply", "idle", "small",
    "mirrored", "merge", "mirrored-multiply",
)  # fmt: skip
ASYNC = {"MPIR_CVAR_ASYNC_PROGRESS": "1"}  # MPICH's own progress thread


@dataclass(frozen=True)
class Run:
    """One start of atoll_bench on the hosts."""

    part: str
    label: str  # put before the names of its figures
    workloads: tuple[str, ...]
    rate: str = "none"
    ranks: int = 1  # on every host
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    mpich_only: bool = False
    hosts: int = 2


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


def place_of(hosts: int, ranks: int) -> str:
    """Say on how many hosts, with how many ranks each, for labels: "3 hosts", "2 hosts x 2"."""
    return f"{hosts} hosts" + (f" x {ranks}" if ranks > 1 else "")


def mirrored(rates: tuple[str, ...]) -> list[Run]:
    """Table 1 of the paper on mirroring."""
    options = ("--largest", str(8 << 20))
    return [
        Run("mirrored", rate, ("mirrored-get",), rate, 1, with_agent("thread"), options)
        for rate in rates
    ]


def mirrored_places(
    name: str, rates: tuple[str, ...], hosts: tuple[int, ...], places: tuple[tuple[int, int], ...]
) -> list[Run]:
    """Runs of the workload that is called like its part, by network, hosts and ranks of each."""
    settings = with_agent("thread")
    return [
        Run(name, f"{rate} {place_of(*place)}", (name,), rate, place[1], settings, hosts=place[0])
        for rate in rates
        for place in places
        if place[0] in hosts
    ]


def merge(rates: tuple[str, ...], hosts: tuple[int, ...]) -> list[Run]:
    """Figures 3 to 5 of that paper: merge by size and number of nodes."""
    return mirrored_places("merge", rates, hosts, ((2, 1), (3, 1), (4, 1), (2, 2)))


def mirrored_multiply(rates: tuple[str, ...], hosts: tuple[int, ...]) -> list[Run]:
    """Figures 6 to 8: a multiply by number of ranks, one on every host and several."""
    places = ((2, 1), (3, 1), (4, 1), (2, 2), (4, 2))
    return mirrored_places("mirrored-multiply", rates, hosts, places)


def all_runs(
    agents: tuple[str, ...],
    paths: tuple[str, ...],
    rates: tuple[str, ...],
    hosts: tuple[int, ...],
) -> list[Run]:
    """List all runs in the order in which they are made."""
    return [
        *sizes(paths, rates),
        *busy(agents),
        *overlap(agents, paths),
        *multiply(agents),
        *idle(agents),
        *small(agents),
        *mirrored(rates),
        *merge(rates, hosts),
        *mirrored_multiply(rates, hosts),
    ]

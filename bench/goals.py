"""The goals of the benchmarks: what a figure must reach, alone or against its peers."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

Figure = dict[str, Any]  # name, unit, best, median, peers: a list of name, best, median


@dataclass(frozen=True)
class Goal:
    """A bound on a figure, or on its ratio to the toughest of the named peers that it has."""

    relation: str  # "<=" or ">="
    limit: float
    peers: tuple[str, ...] = ()
    statistic: str = "best"  # or "median"

    def met(self, value: float) -> bool:
        """Whether the value, or the ratio, is good enough."""
        compare = operator.le if self.relation == "<=" else operator.ge
        return bool(compare(value, self.limit))

    def toughest(self, figure: Figure) -> dict[str, Any] | None:
        """Pick the peer that the figure has to stand up to; None for a bound on the figure."""
        present = [peer for peer in figure["peers"] if peer["name"] in self.peers]
        if not present:
            return None
        present.sort(key=lambda peer: float(peer[self.statistic]))
        toughest: dict[str, Any] = present[0 if self.relation == "<=" else -1]
        return toughest

    def __str__(self) -> str:
        """Show "<= 0.06", ">= 0.98 x", or "median <= 500"."""
        statistic = "median " if self.statistic == "median" else ""
        return f"{statistic}{self.relation} {self.limit:g}" + (" x" if self.peers else "")


def in_the_node() -> dict[str, Goal]:
    goals = {}
    for cut in ("1-D", "2-D", "2-D, patch in the call"):
        goals[f"node get 8 B, {cut}"] = Goal("<=", 0.06)
        goals[f"node put 8 B, {cut}"] = Goal("<=", 0.06)
        goals[f"node accumulate 8 B, {cut}"] = Goal("<=", 0.08)
    for operation in ("get", "put"):
        goals[f"node {operation} bandwidth 16 KiB"] = Goal(">=", 0.8, ("best copy",))
        goals[f"node {operation} bandwidth 1 MiB"] = Goal(">=", 0.98, ("best copy",))
        for size in ("1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "8 MiB", "64 MiB"):
            name = f"node {operation} bandwidth {size}, worst place"
            goals[name] = Goal(">=", 0.8, ("best place",))
        goals[f"node {operation} 512x512 patch"] = Goal(">=", 0.95, ("row loop of memcpy",))
        goals[f"node {operation} 512x1 column"] = Goal(">=", 0.9, ("plain loop",))
    for size in ("16 KiB", "64 KiB", "256 KiB", "1 MiB", "8 MiB", "64 MiB"):
        goals[f"node accumulate bandwidth {size}"] = Goal(">=", 0.95, ("y += a x",))
    for how in ("fetch-add", "counter"):
        goals[f"node {how} alone"] = Goal(">=", 10.0)
        goals[f"node {how} by both ranks"] = Goal(">=", 5.0)
    for count in ("1 double", "10 doubles", "100 doubles", "10000 doubles", "1000000 doubles"):
        goals[f"node reduce {count}"] = Goal("<=", 1.0, ("MPI_Allreduce",))
        goals[f"node broadcast {count}"] = Goal("<=", 1.0, ("MPI_Bcast",))
    goals["node create+destroy 1024x1024"] = Goal("<=", 50.0)
    return goals


def between_nodes() -> dict[str, Goal]:
    goals = {
        "remote get 8 B": Goal("<=", 1.5, ("MPI round trip", "round trip without Atoll")),
        "idle node with agent, CPU": Goal("<=", 5.0),
        "small patches, 4 ranks on 2 nodes": Goal("<=", 4.0, ("within the nodes",)),
    }
    messages = ("MPI ping-pong", "MPI stream", "ping-pong without Atoll")
    for operation in ("get", "put+fence"):
        goals[f"remote {operation} bandwidth 8 MiB"] = Goal(">=", 0.85, messages)
    for state in ("asleep", "busy 200 ms", "busy 1 s"):
        goals[f"{state} fetch-add"] = Goal("<=", 500.0, statistic="median")
        for operation in ("get", "put+fence", "accumulate+fence"):
            for size in ("8 B", "64x64"):
                goals[f"{state} {operation} {size}"] = Goal("<=", 500.0, statistic="median")
    return goals


def of_arithmetic() -> dict[str, Goal]:
    operations = (
        "add", "multiply", "minimum", "fill", "sum", "dot", "min",
        "float32 to float64", "float64 to float32", "int32 to float64",
    )  # fmt: skip
    sizes = ("32 KiB", "1 MiB", "64 MiB")
    goals = {
        f"{name} {size}": Goal(">=", 0.95, ("NumPy",)) for name in operations for size in sizes
    }
    loop = {f"fused add {size}": Goal(">=", 0.95, ("hand-fused loop",)) for size in sizes}
    return goals | loop


def of_python() -> dict[str, Goal]:
    return {
        "python get 8 B, a[i, j]": Goal("<=", 2.0),
        "python get 8 B, a[i:k, j]": Goal("<=", 2.0),
    }


def of_chemistry() -> dict[str, Goal]:
    goals = {
        "fock build, 1 rank": Goal("<=", 1.1, ("PySCF direct build, 1 core",)),
        "later fock build, 1 rank": Goal("<=", 1.0, ("PySCF, kept integrals, 1 core",)),
        "fock build, 2 ranks": Goal(">=", 1.8),
        "traditional beside direct builds": Goal(">=", 3.0),
        "RI-HF beside PySCF": Goal(">=", 1.0),
        "RI-MP2 beside PySCF": Goal(">=", 1.2),
    }
    for where in ("all on disk", "half on disk", "a tenth on disk", "all on a slow disk"):
        goals[f"semi-direct builds, {where}"] = Goal("<=", 1.05)
    for method in ("RI-HF", "RI-MP2"):
        goals[f"{method} speed-up"] = Goal(">=", 1.85)
    for agents in ("ghost ranks oversubscribed", "thread oversubscribed"):
        goals[f"(T) on 2 hosts, 1gbit, {agents}: E(2)"] = Goal(">=", 0.95)
    return goals


def of_global_arrays() -> dict[str, Goal]:
    return {
        "NGA_Get 8 B, 2-D": Goal("<=", 1.5, ("Array::get",)),
        "NGA_Get 512x512 patch": Goal(">=", 0.9, ("Array::get",)),
    }


GOALS: dict[str, Goal] = (
    in_the_node()
    | between_nodes()
    | of_arithmetic()
    | of_python()
    | of_chemistry()
    | of_global_arrays()
)

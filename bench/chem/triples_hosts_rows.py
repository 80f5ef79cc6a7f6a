"""The rows of triples_hosts.py: each a deployment of one size on so many hosts, judged by E."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import host_processes
from triples_on_hosts import Deployment

OPERANDS = ("(T) left", "(T) right")


@dataclass(frozen=True)
class Base:
    """T_comp of a size, by one rank alone on a host; seconds."""

    wall: float
    processor: float
    run: dict[str, Any]
    """The fastest one."""


def base_of(founds: list[dict[str, Any]]) -> Base:
    """Give the best of all runs of one rank."""
    runs = [run for found in founds for run in found["runs"]]
    return Base(
        wall=min(run["kernel"] for run in runs),
        # All is done by one thread, whose processor time the kernel has its part of.
        processor=min(
            run["processor of computing threads"] * run["kernel"] / run["elapsed"] for run in runs
        ),
        run=min(runs, key=lambda run: float(run["processor"])),
    )


@dataclass(frozen=True)
class Row:
    """Seconds of a rank; of the best run, those of the processor of the run that took least."""

    deployment: Deployment
    waters: int
    rate: str
    hosts: int
    cores: int
    """N of equation 1: those that agents have for themselves count."""
    total: float
    computing: float
    communication: float
    """One-sided operations, waiting included: all but computing, layout and the end."""
    idle: float
    """At the end, for the last task of others."""
    agents: float
    """Processor time of all but the computing threads, in terms of the elapsed time of a rank."""
    others: float
    """Cores that other programs had meanwhile."""
    processor: float
    """Of all ranks and agents."""
    efficiency: float
    processor_efficiency: float
    run: dict[str, Any]
    """The run that took the least processor time."""

    @property
    def waiting(self) -> float:
        """Give the part of the time that one-sided operations take."""
        return self.communication / self.total

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def row_of(
    deployment: Deployment, waters: int, rate: str, found: dict[str, Any], base: Base
) -> Row:
    runs, ranks = found["runs"], found["ranks"]
    best = min(runs, key=lambda run: float(run["elapsed"]))
    least = min(runs, key=lambda run: float(run["processor"]))
    machine = len(host_processes.CORES)
    cores = machine if deployment.apart else min(ranks, machine)
    total, kinds = best["elapsed"], best["by kind"]
    accounted = best["kernel"] + kinds["layout"] + kinds["idle"] + kinds["checkpoint"]
    beside = best["processor"] - best["processor of computing threads"]
    return Row(
        deployment=deployment,
        waters=waters,
        rate=rate,
        hosts=found["hosts"],
        cores=cores,
        total=total,
        computing=best["kernel"] / ranks,
        communication=total - accounted / ranks,
        idle=kinds["idle"] / ranks,
        agents=max(0.0, beside) / (total * ranks),
        others=best["processor of others"] / total,
        processor=least["processor"],
        efficiency=base.wall / (cores * total),
        processor_efficiency=base.processor / least["processor"],
        run=least,
    )


def best_of(links: list[dict[str, float]]) -> dict[str, float]:
    """Give the shortest latency and the largest bandwidth."""
    return {
        "latency": min(link["latency"] for link in links),
        "bandwidth": max(link["bandwidth"] for link in links),
    }


def traffic_of(profile: dict[str, Any]) -> dict[str, float]:
    """Give what Atoll's profile of one run says of tasks' gets, and of what went between hosts."""
    gets = [
        call
        for call in profile["calls"]
        if call["array"] in OPERANDS and call["operation"].startswith("get")
    ]
    nodes = profile["node_of"]
    between = [each for each in profile["traffic"] if nodes[each["from"]] != nodes[each["to"]]]
    return {
        "gets": sum(call["calls"] for call in gets),
        "asked": sum(call["bytes"] for call in gets),
        "messages": sum(each["pieces"] for each in between),
        "bytes": sum(each["bytes"] for each in between),
    }

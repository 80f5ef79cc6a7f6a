"""Between hosts: which figures of different runs stand beside each other, and the goals."""

from __future__ import annotations

from typing import Any

from goals import Figure, Goal
from hosts_runs import HOSTS, LINE_RATES, place_of

OPERATIONS = ("get", "put+fence", "accumulate+fence")
WITH_AGENTS = ("thread", "rank")
DURATIONS = ("busy 50 ms", "busy 200 ms", "busy 1 s")


def goals_of_sizes() -> dict[str, Goal]:
    goals = {}
    round_trips = ("MPI round trip", "round trip without Atoll")
    messages = ("MPI ping-pong", "MPI stream", "ping-pong without Atoll")
    for path in ("auto", "message"):
        goals[f"none {path}: remote get 8 B"] = Goal("<=", 1.3, round_trips)
        for operation in ("get", "put+fence"):
            name = f"remote {operation} bandwidth"
            goals[f"none {path}: {name} 8 MiB"] = Goal(">=", 0.9, messages, "median")
            for shape in ("8 MiB", "512x512 patch"):
                goals[f"100mbit {path}: {name} {shape}"] = Goal(">=", 0.95, ("line rate",))
    return goals


def goals_of_busy() -> dict[str, Goal]:
    goals = {}
    one = [f"{operation} 8 B" for operation in OPERATIONS] + ["fetch-add"]
    patches = [f"{operation} 64x64" for operation in OPERATIONS]
    for agent in WITH_AGENTS:
        for state in DURATIONS:
            for name in one:
                goals[f"{agent}: {state} {name}"] = Goal("<=", 300.0, statistic="median")
            for name in patches:
                goals[f"{agent}: {state} {name}"] = Goal("<=", 500.0, statistic="median")
        for name in one + patches:
            goals[f"{agent}: asleep {name}"] = Goal("<=", 2.0, ("idle target",), "median")
        for under in ("get 8 B", "accumulate+fence 64x64"):
            for how in ("each ms", "back to back"):
                figure = f"{agent}: computation under {under} {how}, CPU time"
                goals[figure] = Goal("<=", 1.05, ("undisturbed",), "median")
    return goals


def goals_of_the_rest() -> dict[str, Goal]:
    goals = {}
    for agent in WITH_AGENTS:
        goals[f"{agent}: idle world, CPU of all agents"] = Goal("<=", 5.0)
        for path in ("auto", "message"):
            name = f"{agent} {path}: overlap get 1 MiB"
            goals[name] = Goal(">=", 90.0, statistic="median")
    for deployment in ("ghost ranks", "thread oversubscribed"):
        name = f"{deployment}: multiply prefetching, efficiency"
        goals[name] = Goal(">=", 0.95, statistic="median")
    return goals


def goals_of_mirrored() -> dict[str, Goal]:
    goals = {}
    for rate in ("1gbit", "100mbit"):
        goals[f"{rate}: mirrored get 8 B"] = Goal("<=", 1.1, ("unshaped network",))
        for shape in ("512x512 patch", "8 MiB"):
            name = f"{rate}: mirrored get bandwidth {shape}"
            goals[name] = Goal(">=", 0.9, ("unshaped network",))
    for rate in ("none", "100mbit"):
        for number in HOSTS:
            label = f"{rate} {place_of(number, 1)}"
            for size in ("8 KiB", "32 KiB", "128 KiB", "512 KiB", "2 MiB", "8 MiB", "16 MiB"):
                goals[f"{label}: merge {size}"] = Goal("<=", 1.1, ("MPI_Allreduce",))
            for size in ("2 MiB", "8 MiB", "16 MiB"):  # smaller ones: latency
                name = f"{label}: merge {size}, a tenth written"
                goals[name] = Goal("<=", 0.15, ("all written",))
    return goals


HOST_GOALS: dict[str, Goal] = (
    goals_of_sizes() | goals_of_busy() | goals_of_the_rest() | goals_of_mirrored()
)


def peer(figure: Figure, name: str) -> dict[str, Any]:
    return {"name": name, "best": figure["best"], "median": figure["median"]}


def peers_of(label: str, name: str, figures: dict[str, Figure]) -> list[dict[str, Any]]:
    """List what other runs have to set beside a figure."""
    wanted: list[tuple[str, str]] = []  # figure, and its name as a peer
    if label in WITH_AGENTS and name.startswith("busy 200 ms"):
        wanted = [(f"none: {name}", "no agent"), (f"MPI async: {name}", "MPI RMA, async progress")]
    elif label in WITH_AGENTS and name.startswith("busy"):
        same = name.replace("busy 50 ms", "busy 200 ms").replace("busy 1 s", "busy 200 ms")
        wanted = [(f"{label}: {same}", "busy 200 ms")]
    elif label in WITH_AGENTS and name.startswith("asleep"):
        wanted = [(f"{label}: {name.replace('asleep', 'waiting')}", "idle target")]
    elif name.startswith(("overlap get", "overlap put+fence")) and not label.startswith("MPI"):
        get = name.startswith("overlap get")
        size = name.removeprefix("overlap get ").removeprefix("overlap put+fence ")
        for call in ("MPI_Rget", "MPI_Irecv") if get else ("MPI_Rput+flush", "MPI_Isend"):
            wanted.append((f"MPI: overlap {call} {size}", call))
            wanted.append((f"MPI async: overlap {call} {size}", f"{call}, async progress"))
    elif (
        name.startswith("multiply")
        and name.endswith(("total", "efficiency"))
        and label not in ("original", "MPI", "MPI async")
    ):
        wanted = [(f"original: {name}", "no agent"), (f"MPI: {name}", "MPI RMA")]
        wanted.append((f"MPI async: {name}", "MPI RMA, async progress"))
    elif name.startswith("mirrored get") and label != "none":
        wanted = [(f"none: {name}", "unshaped network")]
    return [peer(figures[other], as_peer) for other, as_peer in wanted if other in figures]


def rebase(by_name: dict[str, Figure]) -> None:
    """Take plain MPI's computation alone for the run with MPI's progress thread, which spins.

    The paper, too, has one T_comp for all deployments: that of the original.
    """
    for head in ("multiply", "multiply prefetching"):
        names = [
            f"MPI async: {head}, efficiency",
            f"MPI async: {head}, total",
            f"MPI: {head}, total",
        ]
        if all(name in by_name for name in names):
            efficiency, total, plain = (by_name[name] for name in names)
            base = next(p for p in plain["peers"] if p["name"] == "computation alone")
            for statistic in ("best", "median"):
                efficiency[statistic] = base[statistic] / total[statistic]


def join(figures: list[Figure]) -> None:
    """Add to each figure its peers from other runs, and the line rate to bandwidths."""
    by_name = {figure["name"]: figure for figure in figures}
    rebase(by_name)
    for figure in figures:
        label, _, name = figure["name"].partition(": ")
        figure["peers"] += peers_of(label, name, by_name)
        line = LINE_RATES.get(label.partition(" ")[0])
        if line is not None and "bandwidth" in name and not name.startswith("mirrored"):
            figure["peers"].append({"name": "line rate", "best": line, "median": line})

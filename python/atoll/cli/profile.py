"""`atoll profile FILE`: what a run with ATOLL_PROFILE=FILE did, as a table and as plots."""

from __future__ import annotations

import json
import sys
import textwrap
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atoll.cli.advice import advise

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

FAILED = 2
KEYS = ("array", "operation", "rank")


@dataclass
class Sums:
    """What several calls come to."""

    calls: int = 0
    bytes: int = 0
    seconds: float = 0.0

    def add(self, call: dict[str, Any]) -> None:
        """Add one record of the file."""
        self.calls += call["calls"]
        self.bytes += call["bytes"]
        self.seconds += call["seconds"]


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "profile",
        help="show what a run with ATOLL_PROFILE=FILE wrote",
        description="Show where the time of a run went: which operations on which arrays, how "
        "often, how many bytes.",
        epilog="examples:\n  ATOLL_PROFILE=run.json mpiexec -n 4 python script.py\n"
        "  atoll profile run.json\n  atoll profile run.json --by rank,operation --plot run.png",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="what ATOLL_PROFILE named")
    parser.add_argument(
        "--by",
        default="array,operation",
        metavar="KEY[,KEY]",
        help="sum by array, operation and rank (array,operation)",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="IMAGE", help="draw time, sizes, traffic into it"
    )
    parser.add_argument(
        "--advise", action="store_true", help="say which slow patterns it shows, and what to do"
    )
    parser.set_defaults(alone=main)


def read(file: Path) -> dict[str, Any]:
    """Read a profile; ValueError if the file holds something else."""
    try:
        profile: dict[str, Any] = json.loads(file.read_text())
    except ValueError as error:
        raise ValueError(f"{file} holds no profile: {error}") from error
    if not isinstance(profile, dict) or profile.get("atoll_profile") != 1:
        raise ValueError(f"{file} holds no profile of this version")
    return profile


def name_of(call: dict[str, Any]) -> str:
    """Name an array by its name, or by type and shape; calls on no array are "-"."""
    if call["array"] is None:
        return "-"
    shape = "x".join(map(str, call["shape"]))
    return call["array"] or f"{call['type']} {shape}"


def sums_by(calls: Iterable[dict[str, Any]], keys: list[str]) -> dict[tuple[str, ...], Sums]:
    """Sum the records over everything but the keys; the longest time first."""
    result: dict[tuple[str, ...], Sums] = defaultdict(Sums)
    for call in calls:
        values = {"array": name_of(call), "operation": call["operation"], "rank": str(call["rank"])}
        result[tuple(values[key] for key in keys)].add(call)
    return dict(sorted(result.items(), key=lambda item: -item[1].seconds))


def amount(number: float) -> str:
    """Write a number of bytes with a unit."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} TiB"


def table(profile: dict[str, Any], keys: list[str]) -> str:
    """Lay the sums out as a table."""
    whole = profile["seconds"] * profile["ranks"]
    rows = [[*keys, "calls", "bytes", "seconds", "share", "mean time / us", "mean size"]]
    for values, sums in sums_by(profile["calls"], keys).items():
        rows.append(
            [
                *values,
                f"{sums.calls:,}",
                amount(sums.bytes),
                f"{sums.seconds:.3f}",
                f"{100 * sums.seconds / whole:.1f} %",
                f"{1e6 * sums.seconds / sums.calls:.2f}",
                amount(sums.bytes / sums.calls),
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = len(keys)
    lines = [
        "  ".join(
            text.ljust(width) if i < left else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    nodes = len(set(profile["node_of"]))
    same = sum(t["bytes"] for t in profile["traffic"] if _in_node(profile, t))
    total = sum(t["bytes"] for t in profile["traffic"])
    head = f"{profile['ranks']} ranks, {nodes} nodes, {profile['seconds']:.3f} s"
    tail = f"within nodes {amount(same)}, between nodes {amount(total - same)}"
    return "\n".join([head, "", lines[0], "-" * len(lines[0]), *lines[1:], "", tail])


def _in_node(profile: dict[str, Any], traffic: dict[str, Any]) -> bool:
    node_of: list[int] = profile["node_of"]
    return bool(node_of[traffic["from"]] == node_of[traffic["to"]])


def plot(profile: dict[str, Any], image: Path) -> None:
    """Draw where the time went, how large the calls were, and who touched whose memory."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (times, sizes, traffic) = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    top = list(sums_by(profile["calls"], ["array", "operation"]).items())[:12][::-1]
    names = [" ".join(values).removeprefix("- ") for values, _ in top]
    times.barh(names, [sums.seconds for _, sums in top])
    times.set(xlabel="seconds, all ranks", title="Time")

    histogram: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for call in profile["calls"]:
        if call["array"] is not None:
            for size, count in call["sizes"].items():
                histogram[call["operation"]][int(size)] += count
    colors = [mpl.colormaps["tab20"](k) for k in range(20)]
    for color, (operation, counts) in zip(colors, sorted(histogram.items()), strict=False):
        classes = sorted(counts)
        heights = [counts[k] for k in classes]
        sizes.plot(classes, heights, marker="o", markersize=4, color=color, label=operation)
    largest = max((k for counts in histogram.values() for k in counts), default=0)
    ticks = range(0, largest + 1, 3)
    sizes.set_xticks(ticks, [f"< {amount(2**k)}" for k in ticks], rotation=60)
    sizes.set(yscale="log", ylabel="calls", title="Sizes")
    if histogram:
        sizes.legend(fontsize="small")

    ranks = profile["ranks"]
    matrix = [[0.0] * ranks for _ in range(ranks)]
    for entry in profile["traffic"]:
        matrix[entry["from"]][entry["to"]] = entry["bytes"] / 2**20
    shown = traffic.imshow(matrix, cmap="viridis")
    figure.colorbar(shown, ax=traffic, label="MiB")
    traffic.set(xlabel="memory of rank", ylabel="touched by rank", title="Who talks to whom")
    traffic.xaxis.get_major_locator().set_params(integer=True)
    traffic.yaxis.get_major_locator().set_params(integer=True)
    figure.savefig(image, dpi=120)
    plt.close(figure)


def main(options: argparse.Namespace) -> int:
    """Print the table and draw the plot; returns the exit status. Does not start MPI."""
    keys = options.by.split(",")
    if not set(keys) <= set(KEYS) or len(set(keys)) < len(keys):
        print(f"atoll profile: --by {options.by}: expected of {', '.join(KEYS)}", file=sys.stderr)
        return FAILED
    try:
        profile = read(options.file)
        print(table(profile, keys))
        if options.advise:
            advice = advise(profile) or ["Nothing here looks slow for a reason that is known."]
            print("", *(textwrap.fill(text, 96) for text in advice), sep="\n")
        if options.plot:
            plot(profile, options.plot)
    except ImportError as error:
        print(f"atoll profile: --plot needs matplotlib ({error})", file=sys.stderr)
        return FAILED
    except (OSError, ValueError) as error:
        print(f"atoll profile: {error}", file=sys.stderr)
        return FAILED
    return 0

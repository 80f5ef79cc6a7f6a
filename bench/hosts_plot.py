"""The picture of `hosts.py`: overlap by message size, and bandwidth by size and network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from goals import Figure
from hosts_runs import LINE_RATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
Curve = list[tuple[int, float]]


def size_of(text: str) -> int | None:
    """Bytes of "64 KiB" at the end of a name; None where there are none."""
    words = text.split()
    if len(words) < 2 or words[-1] not in UNITS or not words[-2].isdigit():
        return None
    return int(words[-2]) * UNITS[words[-1]]


def curves_of(figures: list[Figure], middle: str) -> dict[str, Curve]:
    """Collect by label the medians of the figures whose names hold `middle`."""
    curves: dict[str, Curve] = {}
    for figure in figures:
        label, _, name = figure["name"].partition(": ")
        size = size_of(name)
        if name.startswith(middle + " ") and size is not None:
            curves.setdefault(label, []).append((size, figure["median"]))
    return {label: sorted(curve) for label, curve in curves.items()}


def peer_curve(figures: list[Figure], rate: str, middle: str, peer: str) -> Curve:
    """Collect a peer's medians at one network."""
    curve: dict[int, float] = {}
    for figure in figures:
        label, _, name = figure["name"].partition(": ")
        size = size_of(name)
        if label.partition(" ")[0] == rate and name.startswith(middle + " ") and size is not None:
            found = [p["median"] for p in figure["peers"] if p["name"] == peer]
            if found:
                curve.setdefault(size, found[0])
    return sorted(curve.items())


def plot(axes: Axes, curve: Curve, label: str, style: str, colour: str | None = None) -> None:
    axes.plot([x for x, _ in curve], [y for _, y in curve], style, label=label, color=colour)


def draw_overlap(axes: Axes, figures: list[Figure], ours: str, rivals: tuple[str, ...]) -> None:
    for label, curve in curves_of(figures, f"overlap {ours}").items():
        plot(axes, curve, label, "o-")
    for rival in rivals:
        for label, curve in curves_of(figures, f"overlap {rival}").items():
            plot(axes, curve, rival + label.removeprefix("MPI"), "x--")
    axes.axhline(90, color="grey", linewidth=0.5)
    axes.set(title=f"overlap of {ours}, 1 Gbit/s", ylim=(-10, 110))
    axes.set(xlabel="bytes", ylabel="per cent of the transfer hidden")


def draw_bandwidth(axes: Axes, figures: list[Figure], operation: str) -> None:
    middle = f"remote {operation} bandwidth"
    colours = dict(zip(LINE_RATES, ("C0", "C1", "C2"), strict=True))
    for label, curve in curves_of(figures, middle).items():
        rate, _, path = label.partition(" ")
        plot(axes, curve, label, "s:" if path == "rma" else "o-", colours.get(rate))
    for rate, colour in colours.items():
        if curve := peer_curve(figures, rate, middle, "MPI stream"):
            plot(axes, curve, f"{rate} MPI stream", "x--", colour)
    axes.set(title=f"bandwidth of {operation}", xlabel="bytes", ylabel="GB/s", yscale="log")


def draw(figures: list[Figure], file: Path) -> None:
    """Write the PNG. SystemExit without matplotlib."""
    try:
        from matplotlib.figure import Figure as Picture
    except ImportError:
        raise SystemExit("bench/hosts.py: --plot needs matplotlib") from None
    picture = Picture(figsize=(12, 9), layout="constrained")
    grid = picture.subplots(2, 2)
    draw_overlap(grid[0][0], figures, "get", ("MPI_Rget", "MPI_Irecv"))
    draw_overlap(grid[0][1], figures, "put+fence", ("MPI_Rput+flush", "MPI_Isend"))
    draw_bandwidth(grid[1][0], figures, "get")
    draw_bandwidth(grid[1][1], figures, "put+fence")
    for axes in grid.flat:
        axes.set_xscale("log", base=2)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="x-small")
    picture.savefig(file, dpi=120)

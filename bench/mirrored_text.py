"""The tables of `hosts.py` about mirrored arrays, in the form of the paper on mirroring.

Palmer, Nieplocha, Apra: Shared Memory Mirroring for Reducing Communication Overhead on Commodity
Networks (2003): its table 1, figures 3 to 5, and figures 6 to 8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from goals import Figure
from hosts_runs import LINE_RATES
from table import number

PRODUCT = "1025x1025 product, "
PRODUCT_KINDS = {  # name of the figure: heading of its column
    "mirrored": "mirrored",
    "merge alone": "its merge",
    "distributed": "distributed",
    "distributed, prefetching": "prefetching",
    "mirroring the inputs": "inputs",
}
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_LABEL = re.compile(r"(\w+) (\d+) hosts(?: x (\d+))?")
_MERGE = re.compile(r"merge (\d+) (B|KiB|MiB)(?:, (.+))?")


@dataclass(frozen=True, order=True)
class Place:
    """So many hosts with so many ranks each."""

    hosts: int
    ranks: int

    def __str__(self) -> str:
        """Show "3" or "2 x 2"."""
        return f"{self.hosts}" + (f" x {self.ranks}" if self.ranks > 1 else "")


@dataclass(frozen=True)
class Merge:
    """A merge of one size. Times in seconds: best, median."""

    rate: str
    place: Place
    size: int  # bytes
    written: str  # "all", "a tenth written" or "untouched"
    times: tuple[float, float]
    peers: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Product:
    """A multiplication; `kind` is a key of PRODUCT_KINDS. Times in seconds: best, median."""

    rate: str
    place: Place
    kind: str
    times: tuple[float, float]


def seconds(value: dict[str, Any]) -> tuple[float, float]:
    return 1e-6 * value["best"], 1e-6 * value["median"]


def place_of(label: str) -> tuple[str, Place] | None:
    """Return the network and the place of a label like "100mbit 2 hosts x 2"."""
    found = _LABEL.fullmatch(label)
    return (found[1], Place(int(found[2]), int(found[3] or 1))) if found else None


def merges_of(figures: list[Figure]) -> list[Merge]:
    """Pick the figures of merges."""
    result = []
    for figure in figures:
        label, _, name = figure["name"].partition(": ")
        where, what = place_of(label), _MERGE.fullmatch(name)
        if where and what:
            peers = {peer["name"]: seconds(peer) for peer in figure["peers"]}
            size = int(what[1]) * UNITS[what[2]]
            result.append(Merge(*where, size, what[3] or "all", seconds(figure), peers))
    return result


def products_of(figures: list[Figure]) -> list[Product]:
    """Pick the figures of multiplications."""
    result = []
    for figure in figures:
        label, _, name = figure["name"].partition(": ")
        where = place_of(label)
        if where and name.startswith(PRODUCT):
            kind = name.removeprefix(PRODUCT)
            result.append(Product(*where, kind, (figure["best"], figure["median"])))
    return result


def size_text(size: int) -> str:
    unit = "MiB" if size >= UNITS["MiB"] else "KiB"
    return f"{size // UNITS[unit]} {unit}"


def mirrored_text(figures: list[Figure]) -> str:
    """Latency and bandwidth of get, distributed and mirrored, per network: table 1."""
    named = {figure["name"]: figure for figure in figures}
    lines = []
    for rate in LINE_RATES:
        for kind in ("distributed", "mirrored"):
            head = f"{rate}: {kind} get"
            sizes = ("8 B", "bandwidth 512x512 patch", "bandwidth 8 MiB")
            found = [named.get(f"{head} {size}") for size in sizes]
            if any(found):
                scale = (1.0, 1e3, 1e3)  # GB/s to MB/s
                cells = [
                    f"{number(s * f[statistic]) if f else '':>10}"
                    for f, s in zip(found, scale, strict=True)
                    for statistic in ("best", "median")
                ]
                lines.append(f"{rate:8} {kind:12}" + " ".join(cells))
    if not lines:
        return ""
    head = f"{'':21}" + " ".join(
        f"{text:>21}" for text in ("latency 8 B, us", "512x512 patch, MB/s", "8 MiB, MB/s")
    )
    names = f"{'network':8} {'get':12}" + " ".join([f"{'best':>10} {'median':>10}"] * 3)
    return "\n".join(["\nget, mirrored and distributed", head, names, *lines, ""])


def merges_text(figures: list[Figure]) -> str:
    """Cost of merges by size, network and number of hosts, best values: figures 3 to 5."""
    merges = merges_of(figures)
    found = {(m.rate, m.place, m.size, m.written): m for m in merges}
    lines = []
    for rate in LINE_RATES:
        for place in sorted({m.place for m in merges if m.rate == rate}):
            for size in sorted({m.size for m in merges if (m.rate, m.place) == (rate, place)}):
                dense = found.get((rate, place, size, "all"))
                if dense is None:
                    continue
                tenth = found.get((rate, place, size, "a tenth written"))
                untouched = found.get((rate, place, size, "untouched"))
                rival = dense.peers.get("MPI_Allreduce", (0.0, 0.0))[0]
                alone = dense.peers.get("MPI_Allreduce without Atoll", (0.0, 0.0))[0]
                times = [dense.times[0], rival, alone]
                times += [m.times[0] if m else 0.0 for m in (tenth, untouched)]
                cells = [f"{number(1e6 * t) if t else '':>14}" for t in times]
                ratios = [
                    f"{dense.times[0] / rival:14.2f}" if rival else " " * 14,
                    f"{tenth.times[0] / dense.times[0]:14.2f}" if tenth else "",
                ]
                line = f"{rate:8} {place!s:6} {size_text(size):>8}" + "".join(cells + ratios)
                lines.append(line.rstrip())
    if not lines:
        return ""
    columns = ("merge", "Allreduce", "without Atoll", "a tenth", "untouched",
               "to Allreduce", "tenth to all")  # fmt: skip
    head = f"{'network':8} {'hosts':6} {'bytes':>8}" + "".join(f"{c:>14}" for c in columns)
    return "\n".join(["\nmerge of mirrored arrays, best, us; ratios", head, *lines, ""])


def products_text(figures: list[Figure]) -> str:
    """Seconds of a multiply by network and ranks, medians: figures 6 to 8."""
    products = products_of(figures)
    found = {(p.rate, p.place, p.kind): p.times[1] for p in products}
    lines = []
    for rate in LINE_RATES:
        for place in sorted({p.place for p in products if p.rate == rate}):
            times = [found.get((rate, place, kind)) for kind in PRODUCT_KINDS]
            cells = "".join(f"{t:13.4f}" if t is not None else " " * 13 for t in times)
            lines.append(f"{rate:8} {place!s:6}{cells}")
    if not lines:
        return ""
    columns = "".join(f"{c:>13}" for c in PRODUCT_KINDS.values())
    head = f"{'network':8} {'hosts':6}{columns}"
    return "\n".join(["\nmultiply of 1025x1025 matrices, medians, s", head, *lines, ""])

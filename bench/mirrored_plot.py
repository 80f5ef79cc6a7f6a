"""Pictures of mirrored arrays as `hosts.py` measured them: figures 3 to 8 of that paper.

    python bench/mirrored_plot.py PICTURE.png FILE.json...

draws PICTURE-merge.png (the cost of a merge by size, and by number of hosts) and
PICTURE-multiply.png from the files that `hosts.py --json` wrote, one column a network; needs
matplotlib. `hosts.py --plot PICTURE.png` does the same at once.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goals import Figure
from hosts_runs import LINE_RATES
from mirrored_text import PRODUCT_KINDS, Merge, Product, merges_of, products_of, size_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

RIVAL = "MPI_Allreduce"
NETWORKS = {"none": "unshaped", "1gbit": "1 Gbit/s", "100mbit": "100 Mbit/s"}
PRODUCT_STYLES = dict(zip(PRODUCT_KINDS, ("o-", "^--", "s-", "s:", "v:"), strict=True))


def figures_of(rows: list[dict[str, Any]]) -> list[Figure]:
    """Put the rows of a table in JSON together again: one figure with all its peers."""
    figures: dict[str, Figure] = {}
    for row in rows:
        own = {"name": row["figure"], "best": row["best"], "median": row["median"], "peers": []}
        figure = figures.setdefault(row["figure"], own)
        if row["peer"]:
            peer = {"name": row["peer"], "best": row["peer_best"], "median": row["peer_median"]}
            figure["peers"].append(peer)
    return list(figures.values())


def picture_of(rows: int, columns: int) -> Picture:
    """Make an empty picture. SystemExit without matplotlib."""
    try:
        from matplotlib.figure import Figure as Picture
    except ImportError:
        raise SystemExit("pictures need matplotlib") from None
    return Picture(figsize=(5 * columns, 4.5 * rows), layout="constrained")


def draw_by_size(axes: Axes, merges: list[Merge]) -> None:
    """Draw milliseconds by bytes, a colour for each number of hosts; best values."""
    for i, place in enumerate(sorted({m.place for m in merges})):
        here = sorted((m for m in merges if m.place == place), key=lambda m: m.size)
        dense = [m for m in here if m.written == "all"]
        tenth = [m for m in here if m.written == "a tenth written"]
        with_rival = [m for m in dense if RIVAL in m.peers]
        curves = (
            (f"{place} hosts, merge", "o-", [(m.size, m.times[0]) for m in dense]),
            (f"{place} hosts, {RIVAL}", "x--", [(m.size, m.peers[RIVAL][0]) for m in with_rival]),
            (f"{place} hosts, a tenth written", ".:", [(m.size, m.times[0]) for m in tenth]),
        )
        for label, style, curve in curves:
            sizes, times = [size for size, _ in curve], [1e3 * time for _, time in curve]
            axes.plot(sizes, times, style, color=f"C{i}", label=label)
    axes.set_xscale("log", base=2)
    axes.set(yscale="log", xlabel="bytes of the array", ylabel="ms")


def draw_by_hosts(axes: Axes, merges: list[Merge]) -> None:
    """Draw milliseconds by number of hosts, a colour for each size; best values."""
    dense = [m for m in merges if m.written == "all" and m.place.ranks == 1]
    for i, size in enumerate(sorted({m.size for m in dense})):
        here = sorted((m for m in dense if m.size == size), key=lambda m: m.place)
        hosts = [m.place.hosts for m in here]
        axes.plot(hosts, [1e3 * m.times[0] for m in here], "o-", color=f"C{i}",
                  label=size_text(size))  # fmt: skip
        rivals = [(m.place.hosts, 1e3 * m.peers[RIVAL][0]) for m in here if RIVAL in m.peers]
        axes.plot([h for h, _ in rivals], [t for _, t in rivals], "x--", color=f"C{i}")
    axes.set(yscale="log", xlabel="hosts (dashed: MPI_Allreduce)", ylabel="ms")
    axes.set_xticks(sorted({m.place.hosts for m in dense}))


def draw_products(axes: Axes, products: list[Product]) -> None:
    """Draw seconds by hosts and ranks; medians."""
    places = sorted({p.place for p in products}, key=lambda p: (p.hosts * p.ranks, p.hosts))
    for kind, style in PRODUCT_STYLES.items():
        times = {p.place: p.times[1] for p in products if p.kind == kind}
        at = [i for i, place in enumerate(places) if place in times]
        axes.plot(at, [times[places[i]] for i in at], style, label=kind)
    names = [f"{p.hosts * p.ranks}\n{p.hosts} x {p.ranks}" for p in places]
    axes.set_xticks(range(len(places)), names)
    axes.set(xlabel="ranks (hosts x ranks of each)", ylabel="s", ylim=(0, None))


def finish(picture: Picture, file: Path) -> Path:
    for axes in picture.axes:
        axes.legend(fontsize="x-small")
        axes.grid(visible=True, linewidth=0.3)
    picture.savefig(file, dpi=120)
    return file


def draw_all(figures: list[Figure], file: Path) -> list[Path]:
    """Write the pictures for which there are figures, named after `file`; their names."""
    drawn = []
    merges, products = merges_of(figures), products_of(figures)
    rates = [rate for rate in LINE_RATES if any(m.rate == rate for m in merges)]
    if rates:
        picture = picture_of(2, len(rates))
        grid = picture.subplots(2, len(rates), squeeze=False)
        for column, rate in enumerate(rates):
            of_rate = [m for m in merges if m.rate == rate]
            draw_by_size(grid[0][column], of_rate)
            draw_by_hosts(grid[1][column], of_rate)
            grid[0][column].set_title(f"merge, {NETWORKS[rate]}")
        drawn.append(finish(picture, file.with_stem(file.stem + "-merge")))
    rates = [rate for rate in LINE_RATES if any(p.rate == rate for p in products)]
    if rates:
        picture = picture_of(1, len(rates))
        for axes, rate in zip(
            picture.subplots(1, len(rates), squeeze=False)[0], rates, strict=True
        ):
            draw_products(axes, [p for p in products if p.rate == rate])
            axes.set_title(f"1025x1025 multiply, {NETWORKS[rate]}")
        drawn.append(finish(picture, file.with_stem(file.stem + "-multiply")))
    return drawn


def main() -> None:
    if len(sys.argv) < 3:
        raise SystemExit("usage: python bench/mirrored_plot.py PICTURE.png FILE.json...")
    rows = [
        row
        for name in sys.argv[2:]
        for row in json.loads(Path(name).read_text(encoding="utf-8"))["rows"]
    ]
    drawn = draw_all(figures_of(rows), Path(sys.argv[1]))
    if not drawn:
        raise SystemExit("bench/mirrored_plot.py: no figures of merges or multiplications there")
    print(*drawn, sep="\n")


if __name__ == "__main__":
    main()

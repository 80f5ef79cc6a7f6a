"""The picture of triples_hosts.py: figures 5 and 6 of paper 003 in kind, and the model of W21.

    python bench/chem/triples_hosts_plot.py PICTURE.png FILE.json

draws what `triples_hosts.py --json` has written; needs matplotlib.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = list[dict[str, Any]]


def draw_sizes(axes: Axes, rows: Rows, rate: str) -> None:
    """Draw E by size, a curve for each deployment, on two hosts."""
    for name in dict.fromkeys(row["deployment"]["name"] for row in rows):
        here = [
            (row["waters"], row["efficiency"])
            for row in rows
            if (row["deployment"]["name"], row["rate"], row["cores"]) == (name, rate, 2)
            and row["hosts"] < 4
        ]
        axes.plot(*zip(*sorted(here), strict=True), "o-", label=name)
    axes.set_xticks(sorted({row["waters"] for row in rows}))
    axes.axhline(0.95, color="grey", linewidth=0.5)
    axes.set(title=f"two hosts, links: {rate}", xlabel="molecules of water", ylabel="E(N)")
    axes.set(ylim=(0, 1.02))


def draw_hosts(axes: Axes, rows: Rows) -> None:
    """Draw seconds by hosts, computing and all, of the largest size."""
    largest, rate = max(row["waters"] for row in rows), rows[0]["rate"]
    for i, name in enumerate(("original", "thread oversubscribed")):
        here = sorted(
            (row["hosts"], row["total"], row["computing"])
            for row in rows
            if (row["deployment"]["name"], row["rate"], row["waters"]) == (name, rate, largest)
        )
        hosts = [each[0] for each in here]
        axes.plot(hosts, [each[1] for each in here], "o-", color=f"C{i}", label=f"{name}, all")
        label = f"{name}, computing"
        axes.plot(hosts, [each[2] for each in here], "x--", color=f"C{i}", label=label)
    axes.set_xticks([1, 2, 4])
    axes.set(title=f"W{largest}, links: {rate}", xlabel="hosts (4 share two cores)", ylabel="s")
    axes.set(ylim=(0, None))


def draw_model(axes: Axes, predictions: dict[str, Any]) -> None:
    """Draw hours by nodes, a curve for each problem and network."""
    curves: dict[str, list[tuple[int, float]]] = {}
    for each in predictions["large"]:
        label = f"{each['problem']}, {each['network']}"
        curves.setdefault(label, []).append((each["nodes"], each["elapsed"] / 3600))
    for label, curve in curves.items():
        axes.plot(*zip(*curve, strict=True), "o-", label=label)
    axes.set(title="model, 24 cores a node", xlabel="nodes", ylabel="hours")
    axes.set(xscale="log", yscale="log")


def draw(rows: Rows, predictions: dict[str, Any], file: Path) -> None:
    """Write the PNG. SystemExit without matplotlib."""
    try:
        from matplotlib.figure import Figure as Picture
    except ImportError:
        raise SystemExit("pictures need matplotlib") from None
    with_model = bool(predictions.get("large"))
    picture = Picture(figsize=(5 * (2 + with_model), 4.5), layout="constrained")
    grid = picture.subplots(1, 2 + with_model)
    draw_sizes(grid[0], rows, rows[0]["rate"])
    draw_hosts(grid[1], rows)
    if with_model:
        draw_model(grid[2], predictions)
    for axes in grid:
        axes.legend(fontsize="x-small")
        axes.grid(visible=True, linewidth=0.3)
    picture.savefig(file, dpi=120)


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit("usage: python bench/chem/triples_hosts_plot.py PICTURE.png FILE.json")
    data = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    draw(data["rows"], data["predictions"], Path(sys.argv[1]))


if __name__ == "__main__":
    main()

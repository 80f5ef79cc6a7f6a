"""Tables and picture of docs/scaling.md, from what `atoll_scale` prints.

    python bench/scale/tables.py build/release/bench/atoll_scale

writes the tables between their marks into docs/scaling.md; with `--plot docs/scaling.png` it draws
the picture, too, which needs matplotlib. The former figures, where a table has them, are what the
code before counted: formulas in ranks, below.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scaling.md"
Rows = dict[str, list[list[str]]]

KIB, MIB = 1024, 1024 * 1024
RANKS_OF_NODE = 10


def size_text(count: float) -> str:
    """Give bytes with a unit, in two or three digits."""
    if count < KIB:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        count /= KIB
        if count < KIB or unit == "TiB":
            break
    return f"{count:.1f} {unit}" if count < 10 else f"{count:.0f} {unit}"


def number_text(value: float) -> str:
    """Give a number with its thousands apart."""
    return f"{value:,.1f}" if value < 10 and value != int(value) else f"{value:,.0f}"


def measured(program: Path) -> Rows:
    """Run the program; give its lines by table."""
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    rows: Rows = {}
    for line in output.splitlines():
        name, *fields = line.split("\t")
        rows.setdefault(name, []).append(fields)
    return rows


def former_credit(ranks: int) -> int:
    """Give the messages that a rank might have under way to one agent, before."""
    return min(max(8192 // ranks, 8), 24)


def table(heads: list[str], lines: list[list[str]]) -> str:
    """Give a table in Markdown."""
    parts = [heads, ["---"] * len(heads), *lines]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in parts)


def layouts(rows: Rows) -> str:
    """Give the table of layouts."""
    of_bytes = {fields[0]: fields[1:] for fields in rows["layout_bytes"]}
    heads = ["ranks", "creation, us: blocked", "tiled", "dealt"]
    heads += ["scattered, ns a position: blocked", "tiled", "dealt"]
    heads += ["memory: blocked", "tiled", "dealt", "dealt, before"]
    lines = []
    for ranks, *numbers in rows["layouts"]:
        former = 72 * int(ranks) + 200
        sizes = [size_text(int(size)) for size in of_bytes[ranks]]
        lines.append(
            [
                f"{int(ranks):,}",
                *(number_text(float(n)) for n in numbers),
                *sizes,
                size_text(former),
            ]
        )
    return table(heads, lines)


def memory(rows: Rows) -> str:
    """Give the table of what a rank keeps of the others."""
    heads = ["ranks", "world", "a group of half of them", "blocked array", "dealt array"]
    heads += ["mirrored array", "agents", "each agent used", "all"]
    lines = [
        [f"{int(ranks):,}", *(size_text(int(n)) for n in numbers)]
        for ranks, *numbers in rows["memory"]
    ]
    return table(heads, lines)


def crowds(rows: Rows) -> str:
    """Give the table of what an agent holds when all ranks come."""
    heads = ["ranks", "staging in use (before)", "kept (before)", "answers (before)"]
    heads += ["requests queued (before)", "credit of one that is alone (before)"]
    lines = []
    for fields in rows["crowds"]:
        ranks, staged, kept, _, queued, most, after = (int(n) for n in fields)
        credit = former_credit(ranks)
        former = size_text(ranks * 256 * KIB)
        answers = 40 * KIB * min(1024, ranks * credit)
        lines.append(
            [
                f"{ranks:,}",
                f"{size_text(staged)} ({former})",
                f"{size_text(kept)} ({former})",
                f"{size_text(answers)} ({size_text(40 * KIB * credit * ranks)})",
                f"{queued:,} ({credit * ranks:,})",
                f"{most} after {after} answers ({credit})",
            ]
        )
    return table(heads, lines)


def locks(rows: Rows) -> str:
    """Give the table of those who wait for one lock."""
    heads = ["waiters", "requests a grant, before", "now", "lock idle between two, us"]
    lines = [[number_text(float(n)) for n in fields] for fields in rows["locks"]]
    return table(heads, lines)


def merges(rows: Rows) -> str:
    """Give the table of merges."""
    heads = ["ranks", "nodes", "plan, us", "parcels of a rank", "largest"]
    heads += ["buffers of a rank, at most (before)", "messages a rank", "sent a rank"]
    heads += ["marks a node"]
    lines = []
    for fields in rows["merges"]:
        ranks, nodes, time, parcels, largest, buffers, messages, sent, marks = (
            float(n) for n in fields
        )
        former = 4 * nodes * 2 * MIB
        lines.append(
            [
                f"{ranks:,.0f}",
                f"{nodes:,.0f}",
                f"{time:,.0f}",
                f"{parcels:,.0f}",
                size_text(largest),
                f"{size_text(buffers)} ({size_text(former)})",
                f"{messages:,.0f}",
                size_text(sent),
                size_text(marks),
            ]
        )
    return table(heads, lines)


def products(rows: Rows) -> str:
    """Give the table of products."""
    heads = ["ranks", "shape", "m x n x k", "chosen", "moved by owners", "moved by the chosen"]
    heads += ["by the grid that moves least", "least of all", "chosen to that", "memory"]
    heads += ["choice, ms"]
    lines = []
    for ranks, shape, m, n, k, grid, owners, moved, fewest, least, room, time in rows["products"]:
        lines.append(
            [
                f"{int(ranks):,}",
                shape,
                f"{int(m):,} x {int(n):,} x {int(k):,}",
                grid,
                size_text(float(owners)),
                size_text(float(moved)),
                size_text(float(fewest)),
                size_text(float(least)),
                f"{float(moved) / float(least):.2f}",
                size_text(float(room)),
                f"{float(time) / 1000:,.1f}",
            ]
        )
    return table(heads, lines)


TABLES = {
    "layouts": layouts,
    "memory": memory,
    "crowds": crowds,
    "locks": locks,
    "merges": merges,
    "products": products,
}


def write(rows: Rows) -> None:
    """Put the tables between their marks in the page."""
    text = PAGE.read_text()
    for name, make in TABLES.items():
        begin, end = f"<!-- table {name} -->", f"<!-- end {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise SystemExit(f"{PAGE} has not one place for the table {name}")
        before, _, rest = text.partition(begin)
        _, _, behind = rest.partition(end)
        text = f"{before}{begin}\n\n{make(rows)}\n\n{end}{behind}"
    PAGE.write_text(text)


def plot(rows: Rows, picture: Path) -> None:
    """Draw memory, crowds and merges against ranks."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    ranks = [int(fields[0]) for fields in rows["memory"]]

    kinds = ("world", "group", "blocked array", "dealt array", "mirrored array", "agents")
    for place, kind in enumerate(kinds, start=1):
        axes[0].loglog(ranks, [int(f[place]) for f in rows["memory"]], "o-", label=kind)
    axes[0].loglog(ranks, [72 * count for count in ranks], "k:", label="dealt array, before")
    axes[0].axhline(MIB, color="grey", linewidth=0.8)
    axes[0].set_title("kept of all others by a rank, bytes")

    axes[1].loglog(ranks, [int(f[1]) for f in rows["crowds"]], "o-", label="staging")
    axes[1].loglog(
        ranks, [40 * KIB * min(1024, n * former_credit(n)) for n in ranks], "s-", label="answers"
    )
    axes[1].loglog(ranks, [n * 256 * KIB for n in ranks], "C0:", label="staging, before")
    before = [40 * KIB * former_credit(n) * n for n in ranks]
    axes[1].loglog(ranks, before, "C1:", label="answers, before")
    axes[1].set_title("of an agent to which all ranks come, bytes")

    axes[2].loglog(ranks, [int(f[5]) for f in rows["merges"]], "o-", label="buffers of a merge")
    former = [4 * int(f[1]) * 2 * MIB for f in rows["merges"]]
    axes[2].loglog(ranks, former, "C0:", label="before")
    axes[2].loglog(ranks, [int(f[8]) for f in rows["merges"]], "s-", label="marks, a node")
    axes[2].set_title("a merge of 1 GiB a node, bytes")
    for each in axes:
        each.set_xlabel("ranks")
        each.legend(fontsize=7)
    figure.savefig(picture, dpi=110)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--plot", type=Path, metavar="PICTURE.png")
    arguments = parser.parse_args()
    rows = measured(arguments.program)
    write(rows)
    if arguments.plot:
        plot(rows, arguments.plot)


if __name__ == "__main__":
    main()

"""The table of `run.py`: each figure beside its peers, with the goal and whether it is met."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from goals import GOALS, Figure, Goal

HEADINGS = ("figure", "best", "median", "unit", "beside", "its best", "median", "ratio", "goal", "")


@dataclass(frozen=True)
class Row:
    """A figure beside one peer (none: peer empty). The ratio is figure / peer."""

    figure: str
    unit: str
    best: float
    median: float
    peer: str = ""
    peer_best: float | None = None
    peer_median: float | None = None
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None

    def cells(self, repeated: bool) -> tuple[str, ...]:
        own = ("", "", "", "") if repeated else (
            self.figure, number(self.best), number(self.median), self.unit,
        )  # fmt: skip
        met = "" if self.met is None else ("met" if self.met else "MISSED")
        peer = (self.peer, number(self.peer_best), number(self.peer_median), number(self.ratio))
        return (*own, *peer, self.goal, met)


def number(value: float | None) -> str:
    """Three digits, without an exponent where that stays short."""
    if value is None:
        return ""
    return f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"


def rows_of(figure: Figure, goals: dict[str, Goal] = GOALS) -> list[Row]:
    """One row a peer; the goal stands in the row of the peer that decides."""
    goal = goals.get(figure["name"])
    base = Row(figure["name"], figure["unit"], figure["best"], figure["median"])
    decisive = goal.toughest(figure) if goal is not None else None
    rows = []
    for peer in figure["peers"]:
        statistic = goal.statistic if goal is not None else "best"
        ratio = figure[statistic] / peer[statistic] if peer[statistic] else None
        row = replace(
            base,
            peer=peer["name"],
            peer_best=peer["best"],
            peer_median=peer["median"],
            ratio=ratio,
        )
        if goal is not None and peer is decisive and ratio is not None:
            row = replace(row, goal=str(goal), met=goal.met(ratio))
        rows.append(row)
    rows = rows or [base]
    if goal is not None and not goal.peers:
        met = goal.met(figure[goal.statistic])
        rows[0] = replace(rows[0], goal=str(goal), met=met)
    return rows


def text_of(rows: list[Row]) -> str:
    """Lay the rows out in columns."""
    lines: list[tuple[str, ...]] = [HEADINGS]
    for i, row in enumerate(rows):
        lines.append(row.cells(i > 0 and rows[i - 1].figure == row.figure))
    widths = [max(len(line[c]) for line in lines) for c in range(len(HEADINGS))]
    left = {0, 3, 4, 8, 9}
    return "\n".join(
        "  ".join(
            cell.ljust(widths[c]) if c in left else cell.rjust(widths[c])
            for c, cell in enumerate(line)
        ).rstrip()
        for line in lines
    )


def summary_of(rows: list[Row]) -> str:
    """Count the goals, and name those missed."""
    judged = [row for row in rows if row.met is not None]
    missed = [row.figure for row in judged if not row.met]
    text = f"{len(judged) - len(missed)} of {len(judged)} goals met"
    return text + "".join(f"\n  missed: {name}" for name in missed)


def as_data(rows: list[Row]) -> list[dict[str, object]]:
    """Turn the rows into plain values for JSON."""
    return [asdict(row) for row in rows]

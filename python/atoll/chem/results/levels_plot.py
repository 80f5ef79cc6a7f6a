"""A picture of the levels of molecular orbitals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from atoll._agreement import collective
from atoll.chem.results.frontier import OCCUPIED, by_spin, frontier_of
from atoll.chem.results.pictures import BLUE, GREY, ORANGE, new_figure, save

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from atoll.chem.self_consistency.mean_field import MeanField

SAME_LEVEL = 2e-3
"""Hartree between levels that stand beside each other."""
WIDTH, GAP = 0.16, 0.04
"""Of a level, and between two, where columns are 1 apart; less where many are degenerate."""
COLUMN = 0.8
"""The most that levels beside each other take."""
CROWDED = 40
"""Levels of a column beyond which electrons are not drawn."""
EMPTY_SHARE = 0.35
"""Of the height, for empty levels, where the range is not given."""
SAME_TEXT = 0.05
"""Of the height, between HOMO and LUMO whose names would cover each other."""
ELECTRON_VOLT = 27.211386245988


class Level(NamedTuple):
    """One orbital in the picture."""

    energy: float
    electrons: float
    x: float
    """Of its left end."""
    width: float


@collective
def plot_levels(
    mean_field: MeanField,
    path: str | Path,
    lowest: float | None = None,
    highest: float | None = None,
) -> None:
    """Draw orbital energies, a column a spin, with the electrons in them. Collective.

    Below and above each column stands how many levels the picture leaves out, and where they are.

    Args:
        mean_field: One with orbitals.
        path: File, png, pdf or svg; the first rank writes it.
        lowest: Hartree at the bottom; None: below the valence levels.
        highest: Hartree at the top; None: a little above the lowest empty level.

    Raises:
        RuntimeError: There are no orbitals.
        ImportError: The first rank has no matplotlib.
        OSError, ValueError: The file cannot be written, or its name ends with no known format.

    On all ranks.

    """
    if not mean_field.orbitals:
        raise RuntimeError("there are no orbitals yet: call kernel() or run()")
    group = mean_field.group
    if group.rank == 0:
        _show(mean_field, path, lowest, highest)
    group.sync()


def _show(
    mean_field: MeanField, path: str | Path, lowest: float | None, highest: float | None
) -> None:
    spins = by_spin(mean_field)
    energies = np.array([each[1] for each in spins])
    occupations = np.array([each[2] for each in spins])
    bottom, top = _range(energies, occupations)
    bottom = bottom if lowest is None else lowest
    top = top if highest is None else highest
    figure = new_figure(2.2 + 2.2 * mean_field.spins, 5.6)
    _draw(figure.add_subplot(), energies, occupations, (bottom, top))
    figure.axes[0].set_title(mean_field.method, fontsize=11)
    save(figure, path)


def _range(energies: NDArray[np.float64], occupations: NDArray[np.float64]) -> tuple[float, float]:
    """Give the energies between which it is worth while: no core levels, few empty ones."""
    filled = np.sort(energies[occupations > OCCUPIED])
    if len(filled) == 0:
        return float(energies.min()) - 0.1, float(energies.min()) + 1.0
    # Core levels lie below the largest gap, where that is larger than a valence shell is deep.
    gaps = np.diff(filled)
    first = int(gaps.argmax()) + 1 if len(gaps) and gaps.max() > 2.0 else 0
    bottom, homo = float(filled[first]), float(filled[-1])
    empty = energies[occupations <= OCCUPIED]
    lumo = float(empty.min()) if len(empty) else homo
    height = max(lumo - bottom, 0.5)
    margin = 0.06 * height
    return bottom - margin, lumo + EMPTY_SHARE * height


def _levels(
    energies: NDArray[np.float64], occupations: NDArray[np.float64], centre: float
) -> list[Level]:
    """Put degenerate levels beside each other, around `centre`."""
    levels = []
    begin = 0
    for end in range(1, len(energies) + 1):
        if end < len(energies) and energies[end] - energies[end - 1] < SAME_LEVEL:
            continue
        count = end - begin
        whole = count * WIDTH + (count - 1) * GAP
        scale = min(1.0, COLUMN / whole)
        for place, number in enumerate(range(begin, end)):
            x = centre + scale * (place * (WIDTH + GAP) - whole / 2)
            energy, electrons = float(energies[number]), float(occupations[number])
            levels.append(Level(energy, electrons, x, scale * WIDTH))
        begin = end
    return levels


def _draw(
    axes: Any,
    energies: NDArray[np.float64],
    occupations: NDArray[np.float64],
    limits: tuple[float, float],
) -> None:
    spins = len(energies)
    names = ["alpha", "beta"] if spins == 2 else [""]
    labels = []
    for spin in range(spins):
        below, above = _beyond(energies[spin], limits)
        labels.append("\n".join(filter(None, [below, names[spin]])))
        axes.text(spin, limits[1], above, ha="center", va="top", color=GREY, fontsize=9)
        levels = _levels(energies[spin], occupations[spin], float(spin))
        shown = [level for level in levels if limits[0] <= level.energy <= limits[1]]
        directions = [1, -1] if spins == 1 else [1 - 2 * spin]
        for level in shown:
            _draw_level(axes, level)
            if level.electrons > OCCUPIED and len(shown) <= CROWDED:
                arrows = directions[: max(1, round(level.electrons))]
                _draw_electrons(axes, level, arrows, 0.018 * (limits[1] - limits[0]))
        _draw_frontier(axes, energies[spin], occupations[spin], spin, limits[1] - limits[0])
    axes.set_ylim(*limits)
    # Names of HOMO and LUMO stand left of all levels of their energy.
    leftmost = min(level.x for level in _levels(energies[0], occupations[0], 0.0))
    axes.set_xlim(min(-0.6, leftmost - 0.56), spins - 0.4)
    axes.set_xticks(range(spins), labels)
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("energy, hartree")
    in_volts = axes.secondary_yaxis(
        "right", functions=(lambda e: e * ELECTRON_VOLT, lambda v: v / ELECTRON_VOLT)
    )
    in_volts.set_ylabel("eV")
    axes.spines["top"].set_visible(False)


def _draw_level(axes: Any, level: Level) -> None:
    axes.plot(
        [level.x, level.x + level.width], [level.energy] * 2,
        color=BLUE if level.electrons > OCCUPIED else GREY, linewidth=2.0, solid_capstyle="butt",
    )  # fmt: skip


def _draw_electrons(axes: Any, level: Level, directions: list[int], half: float) -> None:
    """Draw an arrow an electron; `half` is half of its length."""
    for number, direction in enumerate(directions, 1):
        x = level.x + number / (len(directions) + 1) * level.width
        axes.annotate(
            "", (x, level.energy + direction * half), (x, level.energy - direction * half),
            arrowprops={"arrowstyle": "->", "color": ORANGE, "linewidth": 1.0},
        )  # fmt: skip


def _draw_frontier(
    axes: Any,
    energies: NDArray[np.float64],
    occupations: NDArray[np.float64],
    spin: int,
    height: float,
) -> None:
    """Name HOMO and LUMO of a spin, and write how far they are from each other."""
    found = frontier_of(energies, occupations)
    levels = _levels(energies, occupations, float(spin))
    apart = None not in found and energies[found.lumo] - energies[found.homo] > SAME_TEXT * height
    for name, orbital, side in (("HOMO", found.homo, "top"), ("LUMO", found.lumo, "bottom")):
        if orbital is None:
            continue
        energy = float(energies[orbital])
        beside = [level.x for level in levels if abs(level.energy - energy) < SAME_LEVEL]
        at = "center" if apart else side
        axes.text(min(beside) - 0.03, energy, f"{name} {energy:.4f}", ha="right", va=at, fontsize=9)
    if found.homo is None or found.lumo is None:
        return
    homo, lumo = float(energies[found.homo]), float(energies[found.lumo])
    x = spin + 0.3
    axes.annotate("", (x, lumo), (x, homo), arrowprops={"arrowstyle": "<->", "color": GREY})
    text = f"{(lumo - homo) * ELECTRON_VOLT:.2f} eV"
    axes.text(x + 0.02, (homo + lumo) / 2, text, va="center", color=GREY, fontsize=9)


def _beyond(energies: NDArray[np.float64], limits: tuple[float, float]) -> tuple[str, str]:
    """Say how many levels of a spin the picture leaves out, below and above; empty: none."""
    below, above = energies[energies < limits[0]], energies[energies > limits[1]]
    texts = []
    for left, where in ((below, "below"), (above, "above")):
        text = ""
        if len(left) > 0:
            span = f"{left.min():.2f}"
            if f"{left.max():.2f}" != span:
                span += f" to {left.max():.2f}"
            text = f"{len(left)} level{'' if len(left) == 1 else 's'} {where}: {span}"
        texts.append(text)
    return texts[0], texts[1]

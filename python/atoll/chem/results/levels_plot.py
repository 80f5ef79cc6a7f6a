"""A picture of the levels of molecular orbitals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from atoll._agreement import collective
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
        energies = np.reshape(np.asarray(mean_field.mo_energy), (mean_field.spins, -1))
        occupations = np.reshape(np.asarray(mean_field.mo_occ), (mean_field.spins, -1))
        bottom, top = _range(energies, occupations)
        bottom = bottom if lowest is None else lowest
        top = top if highest is None else highest
        figure = new_figure(2.2 + 2.2 * mean_field.spins, 5.6)
        _draw(figure.add_subplot(), energies, occupations, (bottom, top))
        figure.axes[0].set_title(mean_field.method, fontsize=11)
        save(figure, path)
    group.sync()


def _range(energies: NDArray[np.float64], occupations: NDArray[np.float64]) -> tuple[float, float]:
    """Give the energies between which it is worth while: no core levels, few empty ones."""
    filled = np.sort(energies[occupations > 0.0])
    if len(filled) == 0:
        return float(energies.min()) - 0.1, float(energies.min()) + 1.0
    # Core levels lie below the largest gap, where that is larger than a valence shell is deep.
    gaps = np.diff(filled)
    first = int(gaps.argmax()) + 1 if len(gaps) and gaps.max() > 2.0 else 0
    bottom, homo = float(filled[first]), float(filled[-1])
    empty = energies[occupations == 0.0]
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
    for spin in range(spins):
        levels = _levels(energies[spin], occupations[spin], float(spin))
        shown = [level for level in levels if limits[0] <= level.energy <= limits[1]]
        directions = [1, -1] if spins == 1 else [1 - 2 * spin]
        for level in shown:
            _draw_level(axes, level)
            if level.electrons > 0.0 and len(shown) <= CROWDED:
                _draw_electrons(axes, level, directions, 0.018 * (limits[1] - limits[0]))
    _draw_frontier(axes, energies, occupations, spins)
    axes.set_ylim(*limits)
    axes.set_xlim(-0.6, spins - 0.4)
    axes.set_xticks(range(spins), ["alpha", "beta"] if spins == 2 else [""])
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
        color=BLUE if level.electrons > 0.0 else GREY, linewidth=2.0, solid_capstyle="butt",
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
    axes: Any, energies: NDArray[np.float64], occupations: NDArray[np.float64], spins: int
) -> None:
    """Write how far the lowest empty level is above the highest occupied one, for each spin."""
    for spin in range(spins):
        filled, empty = (
            energies[spin][of] for of in (occupations[spin] > 0, occupations[spin] == 0)
        )
        if len(filled) == 0 or len(empty) == 0:
            continue
        homo, lumo = filled.max(), empty.min()
        x = spin + 0.3
        axes.annotate("", (x, lumo), (x, homo), arrowprops={"arrowstyle": "<->", "color": GREY})
        text = f"{(lumo - homo) * ELECTRON_VOLT:.2f} eV"
        axes.text(x + 0.02, (homo + lumo) / 2, text, va="center", color=GREY, fontsize=9)

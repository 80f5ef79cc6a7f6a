"""Cutting a molecule's shells into blocks, and blocks into the patches of ranks.

A block is what a task handles at once: the shells of one atom or of several neighbours in the file;
only an atom much larger than a block is cut itself. Arrays are distributed along block boundaries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SMALLEST, LARGEST_COUNT = 8, 48
"""Functions of a block that is worth a task; number of blocks beyond which blocks grow instead."""
TASKS_PER_RANK = 100
"""Enough for an even load when tasks are handed out one by one, the costly first."""


@dataclass(frozen=True)
class Blocks:
    """Consecutive shells in blocks. Both tables have one entry more than there are blocks."""

    shells: NDArray[np.int32]
    """First shell of each block; at the end the number of shells."""
    functions: NDArray[np.int32]
    """First basis function of each block; at the end the number of functions."""

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.shells) - 1

    def shell_range(self, block: int) -> slice:
        """Return the shells of a block."""
        return slice(int(self.shells[block]), int(self.shells[block + 1]))

    def function_range(self, block: int) -> slice:
        """Return the basis functions of a block."""
        return slice(int(self.functions[block]), int(self.functions[block + 1]))


def target_width(functions: int, ranks: int) -> int:
    """Choose the functions per block so that `ranks` have enough tasks: n blocks make n^4/8."""
    wanted = min(LARGEST_COUNT, int(np.ceil((8 * TASKS_PER_RANK * ranks) ** 0.25)) + 1)
    return max(SMALLEST, -(-functions // wanted))


def cut_shells(widths: Sequence[int], atoms: Sequence[int], target: int) -> list[int]:
    """Return the first shell of every block, and the number of shells at the end.

    `widths` and `atoms` are those of the shells. Blocks are filled with whole atoms to about
    `target` functions; atoms of more than twice as many are cut into pieces.
    """
    of_atom = np.bincount(atoms, weights=widths)
    starts = [0]
    filled = 0
    for shell, (width, atom) in enumerate(zip(widths, atoms, strict=True)):
        large = of_atom[atom] > 2 * target
        begins_atom = shell == 0 or atoms[shell - 1] != atom
        unit = width if large else of_atom[atom]
        may_cut = large or begins_atom
        if filled > 0 and may_cut and filled + unit / 2 > target:  # nearer to it without the unit
            starts.append(shell)
            filled = 0
        filled += width
    return [*starts, len(widths)]


def make_blocks(mole: Any, ranks: int) -> Blocks:
    """Cut blocks for a molecule (PySCF's `Mole`) that `ranks` compute."""
    first = np.asarray(mole.ao_loc, dtype=np.int32)
    widths = np.diff(first).tolist()
    atoms = [int(mole.bas_atom(shell)) for shell in range(mole.nbas)]
    starts = cut_shells(widths, atoms, target_width(int(first[-1]), ranks))
    shells = np.array(starts, dtype=np.int32)
    return Blocks(shells, first[shells])


def grid_of(ranks: int, blocks: int) -> tuple[int, int]:
    """Choose rows and columns of ranks for a square of blocks: as full and as square as can be."""
    return max(
        ((rows, min(ranks // rows, blocks)) for rows in range(1, min(ranks, blocks) + 1)),
        key=lambda grid: (grid[0] * grid[1], -abs(grid[0] - grid[1])),
    )


def even_starts(boundaries: NDArray[np.int32], parts: int) -> list[int]:
    """Return where `parts` parts of nearly equal extent begin, at block boundaries."""
    inner = boundaries[:-1].astype(np.int64)
    extent = int(boundaries[-1])
    chosen: list[int] = [0]
    for part in range(1, parts):
        # At least one block for this part and each that follows.
        lowest = int(np.searchsorted(inner, chosen[-1], side="right"))
        highest = len(inner) - (parts - part)
        ideal = part * extent / parts
        candidates = inner[lowest : highest + 1]
        chosen.append(int(candidates[np.abs(candidates - ideal).argmin()]))
    return chosen


def matrix_starts(boundaries: NDArray[np.int32], ranks: int) -> list[list[int]]:
    """Return row and column starts that spread a square matrix over `ranks`."""
    rows, columns = grid_of(ranks, len(boundaries) - 1)
    return [even_starts(boundaries, rows), even_starts(boundaries, columns)]

"""How pairs of basis functions are stored: rows of blocks, each without what is right of it.

Block I has its functions m as rows and all functions n up to its end as columns: half of the square
and half of the diagonal blocks. A block times a matrix is a product of matrices as they lie, with
nothing to unpack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll.chem.integrals.blocks import cut_shells

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST, LARGEST = 32, 128
"""Functions of a block: products of matrices want many, the diagonal blocks' other half few."""
BLOCKS = 4


class PairTask(NamedTuple):
    """The pairs of some shells of a block, with all functions up to the block's end."""

    shells: tuple[int, int]
    """First and end of the shells of m."""
    end: int
    """End of the shells of n."""
    pairs: slice
    """Where the pairs lie, m slowest."""


@dataclass(frozen=True)
class PairBlocks:
    """Blocks of a molecule's shells, and where the pairs of each begin."""

    shells: NDArray[np.int32]
    """First shell of each block; at the end the number of shells."""
    functions: NDArray[np.int32]
    """First function of each block; at the end the number of functions."""
    pairs: NDArray[np.int64]
    """First pair of each block; at the end the number of pairs."""
    shell_functions: NDArray[np.int32]
    """First function of each shell; at the end the number of functions."""

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.functions) - 1

    @property
    def size(self) -> int:
        """Number of pairs."""
        return int(self.pairs[-1])

    def rows(self, block: int) -> slice:
        """Give the functions of a block."""
        return slice(int(self.functions[block]), int(self.functions[block + 1]))

    def block(self, strip: NDArray[np.float64], block: int) -> NDArray[np.float64]:
        """View a block of a strip (pairs x Q) as m x n x Q."""
        rows = self.rows(block)
        part = strip[int(self.pairs[block]) : int(self.pairs[block + 1])]
        return part.reshape(rows.stop - rows.start, rows.stop, strip.shape[1])

    def tasks(self, most: int) -> list[PairTask]:
        """Cut the blocks into runs of shells with `most` pairs, or one shell, in order."""
        made: list[PairTask] = []
        for block in range(self.count):
            begin, end = int(self.shells[block]), int(self.shells[block + 1])
            columns = int(self.functions[block + 1])
            while begin < end:
                stop = begin + 1
                while stop < end and self._width(begin, stop + 1) * columns <= most:
                    stop += 1
                first = (
                    int(self.pairs[block]) + self._width(int(self.shells[block]), begin) * columns
                )
                pairs = slice(first, first + self._width(begin, stop) * columns)
                made.append(PairTask((begin, stop), end, pairs))
                begin = stop
        return made

    def block_of(self, task: PairTask) -> int:
        """Give the block that a task is a part of."""
        return int(np.searchsorted(self.shells, task.shells[0], side="right")) - 1

    def functions_of(self, task: PairTask) -> tuple[slice, int]:
        """Give the functions m of a task, and the end of its functions n."""
        begin, end = (int(self.shell_functions[shell]) for shell in task.shells)
        return slice(begin, end), int(self.shell_functions[task.end])

    def _width(self, begin: int, end: int) -> int:
        return int(self.shell_functions[end] - self.shell_functions[begin])


def pair_blocks(mole: Any, width: int | None = None) -> PairBlocks:
    """Cut a molecule's (PySCF's `Mole`) shells; `width`: functions of a block."""
    first = np.asarray(mole.ao_loc, dtype=np.int32)
    atoms = [int(mole.bas_atom(shell)) for shell in range(mole.nbas)]
    target = width or min(LARGEST, max(SMALLEST, int(first[-1]) // BLOCKS))
    shells = np.array(cut_shells(np.diff(first).tolist(), atoms, target), dtype=np.int32)
    functions = first[shells]
    sizes = np.diff(functions).astype(np.int64) * functions[1:]
    return PairBlocks(shells, functions, np.concatenate([[0], np.cumsum(sizes)]), first)

"""The ladder from integrals over basis functions, computed anew each time: nothing of v^4 is kept.

Amplitudes are transformed from orbitals cd to pairs of functions, multiplied there by quartets of
blocks, and transformed back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.correlation.coupled_cluster.function_pairs import FunctionPairs
from atoll.chem.correlation.coupled_cluster.quartet_products import QuartetProducts
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.blocks import Blocks, cut_shells
from atoll.chem.integrals.one_electron import schwarz_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    import atoll
    from atoll.chem.correlation.coupled_cluster.function_pairs import PairKind

SCREENING = 1e-12
"""Integrals that add less to an element of the ladder are left out."""
TASKS_PER_RANK = 30
NARROWEST, WIDEST = 8, 24
"""Functions of a block."""


class DirectLadder:
    """Sums over cd of (ac|bd) +- (ad|bc) and amplitudes, for a molecule. Collective throughout.

    Args:
        mole: PySCF's `Mole`, of spherical functions.
        kinds: Amplitudes that will come.
        group: Who computes.
        memory: Bytes a rank for the work.

    Attributes:
        seconds_waited: For a disk: none.

    """

    def __init__(
        self, mole: Any, kinds: Sequence[PairKind], group: atoll.Group, memory: int
    ) -> None:
        self.seconds_waited = 0.0
        blocks = function_blocks(mole, group.size)
        shells = np.asarray(mole.ao_loc, dtype=np.int32)
        self._pairs = FunctionPairs(blocks, shells, kinds, group, memory // 4)
        bounds = schwarz_bounds(mole, blocks, SCREENING, group)
        integrals, self._optimizer = pyscf_wheel.make_block_integrals(
            mole, blocks.shells, SCREENING
        )
        integrals.set_bounds(bounds, SCREENING)
        weights = _weights(mole, blocks)
        self._products = QuartetProducts(integrals, blocks, weights, self._pairs, group)
        self._amplitudes: dict[int, atoll.Array] = {}
        self._out: dict[int, atoll.Array] = {}

    def multiply(self, amplitudes: Sequence[atoll.Array], out: Sequence[atoll.Array]) -> None:
        """Set out[ab, ij] to the sum over pairs cd, for each kind."""
        if not self._out:  # not before it is wanted: other things are in memory then
            self._amplitudes = self._pairs.matrices("amplitudes over functions")
            self._out = self._pairs.matrices("ladder over functions")
        for array in self._out.values():
            array.fill(0)
        maxima = self._pairs.spread(amplitudes, self._amplitudes)
        self._products.add(self._amplitudes, maxima, self._out)
        self._pairs.collect(self._out, out)

    def close(self) -> None:
        """Free the memory. Collective."""
        for matrices in (self._amplitudes, self._out):
            for array in matrices.values():
                array.destroy()
            matrices.clear()


def function_blocks(mole: Any, ranks: int) -> Blocks:
    """Cut the shells of a molecule so that there are tasks enough for so many ranks."""
    first = np.asarray(mole.ao_loc, dtype=np.int32)
    atoms = [int(mole.bas_atom(shell)) for shell in range(mole.nbas)]
    wanted = (24 * TASKS_PER_RANK * ranks) ** 0.25  # n blocks make about n^4 / 24
    target = int(min(WIDEST, max(NARROWEST, first[-1] / wanted)))
    shells = np.array(cut_shells(np.diff(first).tolist(), atoms, target), dtype=np.int32)
    return Blocks(shells, first[shells])


def bytes_of_direct_ladder(functions: int, columns: int, ranks: int) -> int:
    """Give about the bytes of a rank: amplitudes and sums of half the pairs of functions."""
    return 2 * 8 * (functions * (functions + WIDEST) // 2) * columns // ranks


def _weights(mole: Any, blocks: Blocks) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Give what a block adds to the cost of integrals: functions by their primitives."""
    of_shell = [
        (2 * mole.bas_angular(shell) + 1) * (mole.bas_nprim(shell) + mole.bas_nctr(shell))
        for shell in range(mole.nbas)
    ]
    return np.add.reduceat(np.array(of_shell, dtype=np.int64), blocks.shells[:-1])

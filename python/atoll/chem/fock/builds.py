"""What every way to build has in common: checks, maxima of densities, the end, the statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.fock.tasks import LARGEST_DENSITY_ELEMENT, BlockMaxima

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.blocks import Blocks


def check_densities(basis: BlockedBasis, densities: Sequence[Density]) -> None:
    """Raise ValueError unless these are matrices over the basis functions; all ranks alike."""
    if len(densities) == 0:
        raise ValueError("densities is empty, expected at least one")
    for number, density in enumerate(densities):
        _check_shape(basis, f"densities[{number}].matrix", density.matrix)


def check_arguments(
    basis: BlockedBasis,
    densities: Sequence[Density],
    coulomb: atoll.Array | None,
    exchange: Sequence[atoll.Array],
) -> None:
    """Raise ValueError unless these are densities and matrices for them; all ranks alike."""
    check_densities(basis, densities)
    if len(exchange) not in (0, len(densities)):
        raise ValueError(
            f"exchange has {len(exchange)} matrices, expected none or {len(densities)}, "
            "one for each density"
        )
    if coulomb is None and len(exchange) == 0:
        raise ValueError("coulomb is None and exchange is empty, expected a matrix to build")
    for number, matrix in enumerate(exchange):
        _check_shape(basis, f"exchange[{number}]", matrix)
    if coulomb is not None:
        _check_shape(basis, "coulomb", coulomb)


def _check_shape(basis: BlockedBasis, name: str, matrix: atoll.Array) -> None:
    expected = (basis.functions, basis.functions)
    if tuple(matrix.shape) != expected:
        raise ValueError(f"{name} is of shape {tuple(matrix.shape)}, expected {expected}")


def block_maxima(
    basis: BlockedBasis, densities: Sequence[Density], *, coulomb: bool, exchange: bool
) -> BlockMaxima:
    """Give the largest elements of the densities, on every rank. Collective.

    Raises ValueError, on all ranks, for an element above 1e8 or that is no number.
    """
    count = basis.blocks.count
    of_sum, of_each = np.zeros((2, count, count))
    parts = [density.matrix.blocks() for density in densities]
    for same_place in zip(*parts, strict=True):
        place = _blocks_at(basis.blocks, same_place[0][0])
        patches = [patch for _, patch in same_place]
        of_sum[place.rows, place.columns] = place.maxima(sum(patches[1:], start=patches[0]))
        of_each[place.rows, place.columns] = np.max(list(map(place.maxima, patches)), axis=0)
    both = np.asarray(basis.group.reduce(np.stack([of_sum, of_each]), "max"))
    if both.max(initial=0.0) > LARGEST_DENSITY_ELEMENT:
        raise ValueError(
            "densities have an element that is no number or larger than "
            f"{LARGEST_DENSITY_ELEMENT:g}"
        )
    both = np.maximum(both, both.transpose(0, 2, 1))
    return BlockMaxima(both[0] if coulomb else None, both[1] if exchange else None)


class _Place:
    """Which blocks a patch of a matrix holds whole, and where they begin in it."""

    def __init__(self, blocks: Blocks, rows: slice, columns: slice) -> None:
        self.rows, self._row_starts = self._within(blocks, rows)
        self.columns, self._column_starts = self._within(blocks, columns)

    @staticmethod
    def _within(blocks: Blocks, functions: slice) -> tuple[slice, NDArray[np.int32]]:
        starts = blocks.functions
        first, end = np.searchsorted(starts, [functions.start, functions.stop])
        return slice(int(first), int(end)), starts[first:end] - functions.start

    def maxima(self, patch: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the largest absolute value of each pair of blocks; infinite for no numbers."""
        sizes = np.nan_to_num(np.abs(patch), copy=False, nan=np.inf, posinf=np.inf)
        by_rows = np.maximum.reduceat(sizes, self._row_starts, axis=0)
        result: NDArray[np.float64] = np.maximum.reduceat(by_rows, self._column_starts, axis=1)
        return result


def _blocks_at(blocks: Blocks, place: tuple[slice, ...]) -> _Place:
    rows, columns = place
    return _Place(blocks, rows, columns)


def complete(group: atoll.Group, matrices: Sequence[atoll.Array]) -> None:
    """Make J + J^T of what the tasks of all ranks have added to each. Collective."""
    group.sync()
    for matrix in matrices:
        atoll.linalg.symmetrize(matrix)
        matrix.at[...].scale(2.0)


def efficiency(group: atoll.Group, busy: float) -> float:
    """Give the mean over the largest of the seconds that ranks were busy. Collective."""
    most = float(group.reduce(busy, "max"))
    mean = float(group.reduce(busy, "sum")) / group.size
    return mean / most if most > 0 else 1.0

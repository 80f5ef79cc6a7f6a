"""What is computed once: Schwarz bounds and one-electron integrals, spread over the ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.integrals import pyscf_wheel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.blocks import Blocks


@dataclass(frozen=True)
class OneElectron:
    """Matrices over the basis functions, made by `BlockedBasis.matrix`."""

    overlap: atoll.Array
    kinetic: atoll.Array
    attraction: atoll.Array
    """To the nuclei, core potentials included."""
    core: atoll.Array
    """The sum of the two."""


def _fill_symmetric(
    array: atoll.Array,
    ranges: list[slice],
    patch: Callable[[int, int], NDArray[np.float64]],
    group: atoll.Group,
) -> None:
    """Compute a symmetric matrix by patches that are handed out to all ranks. Collective."""
    pairs = [(p, q) for p in range(len(ranges)) for q in range(p + 1)]
    for task in atoll.Counter(group=group).below(len(pairs)):
        p, q = pairs[task]
        values = patch(p, q)
        array[ranges[p], ranges[q]] = values
        if p != q:
            array[ranges[q], ranges[p]] = values.T
    group.sync()


def derivative_bounds(
    mole: Any, blocks: Blocks, tolerance: float, group: atoll.Group
) -> NDArray[np.float64]:
    """Compute sqrt(max |(i'j|i'j)|) of all shell pairs, on every rank. Collective.

    i' is the derivative of i by x, y or z; symmetric: the larger one of (i, j) and (j, i).
    """
    kernel = pyscf_wheel.make_bounds_kernel(mole, blocks.shells, tolerance, derivatives=True)

    def patch(p: int, q: int) -> NDArray[np.float64]:
        larger: NDArray[np.float64] = np.maximum(
            kernel.schwarz_bounds(p, q), kernel.schwarz_bounds(q, p).T
        )
        return larger

    ranges = [blocks.shell_range(block) for block in range(blocks.count)]
    with atoll.zeros((mole.nbas, mole.nbas), group=group, name="derivative bounds") as array:
        _fill_symmetric(array, ranges, patch, group)
        bounds: NDArray[np.float64] = array[...]
    return bounds


def schwarz_bounds(
    mole: Any, blocks: Blocks, tolerance: float, group: atoll.Group
) -> NDArray[np.float64]:
    """Compute sqrt(max |(ij|ij)|) of all shell pairs, on every rank. Collective."""
    kernel = pyscf_wheel.make_bounds_kernel(mole, blocks.shells, tolerance)
    ranges = [blocks.shell_range(block) for block in range(blocks.count)]
    with atoll.zeros((mole.nbas, mole.nbas), group=group, name="Schwarz bounds") as array:
        _fill_symmetric(array, ranges, kernel.schwarz_bounds, group)
        bounds: NDArray[np.float64] = array[...]
    # A block pair with itself was computed as a full square, equal but for the last digit.
    symmetric: NDArray[np.float64] = np.maximum(bounds, bounds.T)
    return symmetric


def symmetric_matrix(basis: BlockedBasis, names: Sequence[str]) -> atoll.Array:
    """Compute the sum of one-electron matrices of one component, by libcint's names. Collective."""
    blocks = basis.blocks

    def patch(p: int, q: int) -> NDArray[np.float64]:
        rows, columns = blocks.shell_range(p), blocks.shell_range(q)
        shells = (rows.start, rows.stop, columns.start, columns.stop)
        parts = [pyscf_wheel.one_electron(basis.mole, name, shells) for name in names]
        total: NDArray[np.float64] = np.sum(parts, axis=0)
        return total

    matrix = basis.matrix(names[0])
    ranges = [blocks.function_range(block) for block in range(blocks.count)]
    _fill_symmetric(matrix, ranges, patch, basis.group)
    return matrix


def one_electron_integrals(basis: BlockedBasis) -> OneElectron:
    """Compute overlap, kinetic energy and attraction. Collective."""
    has_cores = len(basis.mole._ecpbas) > 0
    overlap = symmetric_matrix(basis, ["int1e_ovlp"])
    kinetic = symmetric_matrix(basis, ["int1e_kin"])
    attraction = symmetric_matrix(basis, ["int1e_nuc"] + (["ECPscalar"] if has_cores else []))
    return OneElectron(overlap, kinetic, attraction, kinetic + attraction)

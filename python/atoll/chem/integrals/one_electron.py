"""What is computed once: Schwarz bounds and one-electron integrals, spread over the ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.integrals import pyscf_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocks import Blocks


@dataclass(frozen=True)
class OneElectron:
    """Matrices over the basis functions, on the rank that asked for them."""

    overlap: NDArray[np.float64]
    kinetic: NDArray[np.float64]
    attraction: NDArray[np.float64]
    """To the nuclei, core potentials included."""


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


def one_electron_integrals(mole: Any, blocks: Blocks, group: atoll.Group) -> OneElectron | None:
    """Compute overlap, kinetic energy and attraction, on rank 0 of the group. Collective."""
    ranges = [blocks.function_range(block) for block in range(blocks.count)]

    def matrix(names: list[str]) -> NDArray[np.float64] | None:
        def patch(p: int, q: int) -> NDArray[np.float64]:
            rows, columns = blocks.shell_range(p), blocks.shell_range(q)
            shells = (rows.start, rows.stop, columns.start, columns.stop)
            return sum(
                (pyscf_wheel.one_electron(mole, name, shells) for name in names[1:]),
                start=pyscf_wheel.one_electron(mole, names[0], shells),
            )

        functions = int(blocks.functions[-1])
        with atoll.zeros((functions, functions), group=group, name=names[0]) as array:
            _fill_symmetric(array, ranges, patch, group)
            whole: NDArray[np.float64] | None = array[...] if group.rank == 0 else None
            group.sync()  # before the array goes
        return whole

    overlap = matrix(["int1e_ovlp"])
    kinetic = matrix(["int1e_kin"])
    attraction = matrix(["int1e_nuc"] + (["ECPscalar"] if len(mole._ecpbas) > 0 else []))
    if overlap is None or kinetic is None or attraction is None:
        return None
    return OneElectron(overlap, kinetic, attraction)

"""Derivatives of kinetic energy, attraction and overlap, contracted with densities.

Integrals of derived functions exist for the function on the left only. Densities are symmetric, so
each such integral counts twice; and as an atom moves with its functions, minus the derivative by
the electron's position is that by the atom's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.integrals import pyscf_wheel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.blocks import Blocks

WIDEST = 512
"""Functions that a task takes on the right, at most, unless a block has more."""


def one_electron_gradient(
    basis: BlockedBasis, density: atoll.Array, weighted: atoll.Array
) -> NDArray[np.float64]:
    """Give the derivative of tr D h less tr W S, atoms x 3 on every rank. Collective.

    Args:
        basis: The basis functions.
        density: D of all electrons, made by `BlockedBasis.matrix`.
        weighted: W, the density weighted with orbital energies: what keeps orbitals orthonormal.

    """
    blocks = basis.blocks
    stripes = _stripes(blocks)
    # Tasks may end out of order but are added up per rank: sums differ by rounding only.
    tasks = [(p, stripe) for p in range(blocks.count) for stripe in stripes]
    gradient = np.zeros((basis.mole.natm, 3))
    for number in atoll.Counter(group=basis.group).below(len(tasks)):
        p, stripe = tasks[number]
        rows, columns = blocks.function_range(p), _functions(blocks, stripe)
        task = _Task(basis, p, stripe)
        task.add_attraction_of_nuclei(gradient, density[rows, columns])
        task.add_functions(gradient, density[rows, columns], weighted[rows, columns])
    return np.asarray(basis.group.reduce(gradient))


class _Task:
    """Integrals of the functions of a block, derived, with those of some blocks on the right."""

    def __init__(self, basis: BlockedBasis, block: int, stripe: range) -> None:
        self._mole = basis.mole
        shells = basis.blocks.shells
        self._shells = (
            int(shells[block]), int(shells[block + 1]), int(shells[stripe.start]),
            int(shells[stripe.stop]),
        )  # fmt: skip
        self._first = int(basis.blocks.functions[block])

    def add_functions(
        self, gradient: NDArray[np.float64], D: NDArray[np.float64], W: NDArray[np.float64]
    ) -> None:
        """Add what comes of functions that move with their atoms."""
        of_row = -2.0 * self._contracted("int1e_ipkin", D)
        of_row -= 2.0 * self._contracted("int1e_ipnuc", D)
        if len(self._mole._ecpbas) > 0:
            of_row -= 2.0 * self._contracted("ECPscalar_ipnuc", D)
        of_row += 2.0 * self._contracted("int1e_ipovlp", W)
        for atom, (_, _, begin, end) in enumerate(self._mole.aoslice_by_atom()):
            inside = of_row[:, max(0, begin - self._first) : max(0, end - self._first)]
            gradient[atom] += inside.sum(axis=1)

    def add_attraction_of_nuclei(
        self, gradient: NDArray[np.float64], D: NDArray[np.float64]
    ) -> None:
        """Add what comes of nuclei, and their core potentials, that move."""
        for atom in range(self._mole.natm):
            integrals = pyscf_wheel.derived_attraction_of(self._mole, atom, self._shells)
            if integrals is not None:
                gradient[atom] += 2.0 * np.einsum("xij,ij->x", integrals, D)

    def _contracted(self, name: str, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        integrals = pyscf_wheel.one_electron(self._mole, name, self._shells)
        return np.asarray(np.einsum("xij,ij->xi", integrals, matrix))


def _stripes(blocks: Blocks) -> list[range]:
    """Put neighbouring blocks together, so that fewer calls compute more integrals each."""
    stripes = []
    begin = 0
    for block in range(1, blocks.count + 1):
        if block == blocks.count or blocks.functions[block + 1] - blocks.functions[begin] > WIDEST:
            stripes.append(range(begin, block))
            begin = block
    return stripes


def _functions(blocks: Blocks, stripe: range) -> slice:
    return slice(int(blocks.functions[stripe.start]), int(blocks.functions[stripe.stop]))

"""Derivatives of three-centre integrals, contracted with three-index densities.

The derivative of sum Z[P, mn] (P|mn), where Z is symmetric in m and n, takes integrals of one kind
only, those with m derived: n counts like m, and as nothing changes when all atoms are moved, the
derivatives by the three centres add up to zero.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll.chem.integrals import pyscf_fitting
from atoll.chem.integrals.runs import shell_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis

DERIVED, OTHER, FITTING = 64, 256, 64
"""Functions m, n and P of a block of integrals, at most, unless a shell has more."""
TASKS_PER_RANK = 12


class ProductDensity(NamedTuple):
    """Z[P, mn] = weights_P matrix_mn."""

    weights: NDArray[np.float64]
    """Of the fitting functions, on every rank."""
    matrix: atoll.Array
    """Functions x functions, symmetric; one copy a node."""


class PairDensity(NamedTuple):
    """Z[P, mn] = factor times the sum of L_mi values[P, ij] R_nj.

    It need not be symmetric by itself: what is contracted in the end is the sum of all.
    """

    values: atoll.Array
    """P x pairs ij, j fastest, or P x i x j; distributed."""
    left: atoll.Array
    """Functions x orbitals, one copy a node; i are some of its columns."""
    columns: slice
    right: atoll.Array
    """Functions x orbitals j, one copy a node."""
    factor: float
    both_ways: bool = False
    """Whether Z[P, nm] is added, so that it is symmetric."""


class _Half(NamedTuple):
    """Z[P, nm] = the sum over k of orbitals_nk values[P, km]."""

    orbitals: atoll.Array
    columns: slice
    values: NDArray[np.float64]


def three_centre_gradient(
    basis: BlockedBasis,
    auxiliary: Any,
    products: Sequence[ProductDensity],
    pairs: Sequence[PairDensity],
    memory: int,
) -> NDArray[np.float64]:
    """Give the derivative of sum Z[P, mn] (P|mn), Z held fixed. Collective.

    Args:
        basis: The functions m and n.
        auxiliary: The fitting functions P, a `Mole` of PySCF.
        products: Parts of Z.
        pairs: Parts of Z; all parts together are symmetric in m and n.
        memory: Bytes a rank for the work on it.

    Returns:
        Atoms x 3, hartree/bohr, the same on every rank.

    """
    contraction = _Contraction(basis, auxiliary, products, pairs)
    widest = max((part.values.size // len(part.values) for part in pairs), default=0)
    tasks = contraction.tasks(_fitting_of_a_task(memory, widest))
    for number in atoll.Counter(group=basis.group).below(len(tasks)):
        contraction.add(*tasks[number])
    return np.asarray(basis.group.reduce(contraction.gradient))


def _fitting_of_a_task(memory: int, pairs: int) -> int:
    """Choose how many P fit a quarter of the memory with integrals, densities and pairs."""
    doubles = 5 * DERIVED * OTHER + 2 * pairs
    return max(1, min(FITTING, memory // (4 * 8 * doubles)))


class _Contraction:
    """Adds up the forces that the tasks of this rank give."""

    def __init__(
        self,
        basis: BlockedBasis,
        auxiliary: Any,
        products: Sequence[ProductDensity],
        pairs: Sequence[PairDensity],
    ) -> None:
        self._products, self._pairs = products, pairs
        self._ranks = basis.group.size
        self._integrals = pyscf_fitting.DerivedThreeCentre(basis.mole, auxiliary)
        self._first = np.asarray(basis.mole.ao_loc_nr())
        self._first_fitting = np.asarray(auxiliary.ao_loc_nr())
        self._atoms, self._fitting_atoms = atoms_of(basis.mole), atoms_of(auxiliary)
        self.gradient = np.zeros((basis.mole.natm, 3))

    def tasks(self, most: int) -> list[tuple[tuple[int, int], Sequence[tuple[int, int]]]]:
        """Give shells of fitting functions, `most` of these, and runs of shells m to derive.

        Few P are better than few m where tasks are to be many: what belongs to P is read once.
        """
        wanted = TASKS_PER_RANK * self._ranks
        width = max(1, min(most, int(self._first_fitting[-1]) // wanted))
        fitting = list(pairwise(shell_runs(self._first_fitting, width)))
        derived = list(pairwise(shell_runs(self._first, DERIVED)))
        parts = min(len(derived), -(-wanted // len(fitting)))
        cuts = [len(derived) * part // parts for part in range(parts + 1)]
        return [(shells, derived[a:b]) for shells in fitting for a, b in pairwise(cuts)]

    def add(self, fitting: tuple[int, int], derived: Sequence[tuple[int, int]]) -> None:
        """Do a task."""
        of_fitting = _functions(self._first_fitting, fitting)
        values = [part.values[of_fitting] for part in self._pairs]
        others = list(pairwise(shell_runs(self._first, OTHER)))
        for rows in derived:
            m = _functions(self._first, rows)
            halves = [
                half
                for part, found in zip(self._pairs, values, strict=True)
                for half in _halves(part, found, m)
            ]
            forces = np.zeros((3, of_fitting.stop - of_fitting.start, m.stop - m.start))
            for columns in others:
                density = self._density(of_fitting, _functions(self._first, columns), m, halves)
                integrals = self._integrals.block(rows, columns, fitting)
                forces += np.einsum("xpnm,pnm->xpm", integrals, density)
            # The integrals' derivative is by the electron: minus that by the atom of m.
            np.add.at(self.gradient, self._atoms[m], -2.0 * forces.sum(axis=1).T)
            np.add.at(self.gradient, self._fitting_atoms[of_fitting], 2.0 * forces.sum(axis=2).T)

    def _density(
        self, fitting: slice, n: slice, m: slice, halves: Sequence[_Half]
    ) -> NDArray[np.float64]:
        """Compute Z[P, nm]: P x n x m."""
        density = np.zeros((fitting.stop - fitting.start, n.stop - n.start, m.stop - m.start))
        for product in self._products:
            density += product.weights[fitting, None, None] * product.matrix[n, m]
        for half in halves:
            density += np.matmul(half.orbitals[n, half.columns], half.values)
        return density


def _halves(part: PairDensity, values: NDArray[np.float64], m: slice) -> list[_Half]:
    """Sum over i, times L_mi, and with `both_ways` over j, times R_mj, too."""
    left = part.factor * part.left[m, part.columns]
    by_pair = values.reshape(len(values), left.shape[1], -1)
    every = slice(0, part.right.shape[1])
    halves = [_Half(part.right, every, np.matmul(by_pair.transpose(0, 2, 1), left.T))]
    if part.both_ways:
        right = part.factor * part.right[m, :]
        halves.append(_Half(part.left, part.columns, np.matmul(by_pair, right.T)))
    return halves


def _functions(first: NDArray[np.int32], shells: tuple[int, int]) -> slice:
    return slice(int(first[shells[0]]), int(first[shells[1]]))


def atoms_of(mole: Any) -> NDArray[np.intp]:
    """Give the atom of each function of a molecule."""
    widths = [end - begin for _, _, begin, end in mole.aoslice_by_atom()]
    return np.repeat(np.arange(mole.natm), widths)

"""Derivatives of the Coulomb metric of a fitting set, contracted with a two-index density."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.gradients.three_centre import atoms_of
from atoll.chem.integrals import pyscf_fitting
from atoll.chem.integrals.runs import shell_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

TASKS_PER_RANK = 8
WIDEST = 32
"""Fitting functions that a task takes on the left, at most, unless a shell has more."""


def metric_gradient(auxiliary: Any, density: atoll.Array) -> NDArray[np.float64]:
    """Give the derivative of sum w_PQ (P|Q), the symmetric w held fixed. Collective.

    Args:
        auxiliary: The fitting functions, a `Mole` of PySCF.
        density: w, distributed.

    Returns:
        Atoms x 3, hartree/bohr, the same on every rank.

    """
    group = density.group
    first = np.asarray(auxiliary.ao_loc_nr())
    width = max(1, min(WIDEST, int(first[-1]) // (TASKS_PER_RANK * group.size)))
    tasks = list(pairwise(shell_runs(first, width)))
    atoms = atoms_of(auxiliary)
    gradient = np.zeros((auxiliary.natm, 3))
    for number in atoll.Counter(group=group).below(len(tasks)):
        shells = tasks[number]
        rows = slice(int(first[shells[0]]), int(first[shells[1]]))
        integrals = pyscf_fitting.derived_two_centre(auxiliary, shells)
        forces = np.einsum("xpq,pq->px", integrals, density[rows, :])
        # Q counts like P, and minus the derivative by the electron is that by the atom.
        np.add.at(gradient, atoms[rows], -2.0 * forces)
    return np.asarray(group.reduce(gradient))

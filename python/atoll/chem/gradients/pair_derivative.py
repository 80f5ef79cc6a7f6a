"""The derivative of a sum of fitted pairs (P|ia) by the coefficients of the orbitals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.gradients.fitted_pairs import row_blocks

if TYPE_CHECKING:
    from atoll.chem.correlation.three_index import FittingSet
    from atoll.chem.gradients.reference import SpinOrbitals
    from atoll.chem.gradients.three_centre import PairDensity


def add_derivative(
    derivative: atoll.Array,
    spin: SpinOrbitals,
    fitting: FittingSet,
    pairs: PairDensity,
    memory: int,
) -> None:
    """Add the derivative of 2 sum values[P, ia] (P|ia) by the orbitals' coefficients. Collective.

    Args:
        derivative: Functions x all orbitals.
        spin: The orbitals.
        fitting: The fitting set.
        pairs: Its values are held fixed; i are the correlated orbitals of `spin`, a the virtual.
        memory: Bytes a rank for the work.

    """
    shape, group = spin.orbitals.shape, fitting.group
    left, right = pairs.left, pairs.right
    of_i, of_a = slice(spin.frozen, spin.count), slice(spin.count, shape[1])
    tasks = fitting.tasks(memory // 4)
    for number in atoll.Counter(group=group).below(len(tasks)):
        run, fitted = tasks[number]
        integrals, y = fitting.integrals.square(run), pairs.values[fitted]
        by_function = np.empty((len(y), shape[0], left.shape[1]))  # the sum over a of y_ia C_na
        half = np.zeros_like(by_function)  # (P|mi)
        for n in row_blocks(shape[0]):
            by_function[:, n] = np.matmul(right[n, :], y.transpose(0, 2, 1))
            half += np.matmul(integrals[:, :, n], left[n, :])
        for m in row_blocks(shape[0]):
            with_i = np.tensordot(integrals[:, m], by_function, axes=([0, 2], [0, 1]))
            derivative.at[m, of_i] += 2.0 * with_i
            with_a = np.tensordot(half[:, m], y, axes=([0, 2], [0, 1]))
            derivative.at[m, of_a] += 2.0 * with_a
    group.sync()

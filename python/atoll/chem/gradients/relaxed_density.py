"""The density of RI-MP2 of closed shells with the response of the orbitals.

An energy whose derivative by a change U of the orbitals, C -> C (1 + U), is X keeps its derivatives
by the positions of the atoms simple where X is symmetric; then -X/2 are the multipliers of the
orbitals' overlap. What is missing in symmetry the density between occupied and virtual orbitals
mends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.gradients.fitted_pairs import row_blocks
from atoll.chem.gradients.z_vector import solve_z_vector

if TYPE_CHECKING:
    from atoll.chem.correlation.three_index import FittingSet
    from atoll.chem.gradients.closed_shells import ClosedShells


class Relaxed(NamedTuple):
    """Over the basis functions, of both spins; to be added to those of Hartree-Fock."""

    density: atoll.Array
    weighted: atoll.Array
    """Weighted with energies: what keeps the orbitals orthonormal."""


def derivative_by_orbitals(
    shells: ClosedShells,
    fitting: FittingSet,
    weighted: atoll.Array,
    left: atoll.Array,
    right: atoll.Array,
    memory: int,
) -> atoll.Array:
    """Give the derivative of 2 sum s (ia|jb) by coefficients of orbitals, s held. Collective.

    Args:
        shells: The orbitals.
        fitting: The fitting set.
        weighted: Y, the sum over j and b of s_ij^ab V^-1 (Q|jb): Q x i x a.
        left: Functions x orbitals i, one copy a node.
        right: Functions x orbitals a, one copy a node.
        memory: Bytes a rank for the work.

    Returns:
        Functions x all orbitals.

    """
    shape, group = shells.orbitals.shape, fitting.group
    derivative = atoll.zeros(shape, group=group, name="derivative by orbitals")
    of_i, of_a = slice(shells.frozen, shells.count), slice(shells.count, shape[1])
    tasks = fitting.tasks(memory // 4)
    for number in atoll.Counter(group=group).below(len(tasks)):
        run, fitted = tasks[number]
        integrals, y = fitting.integrals.square(run), weighted[fitted]
        by_function = np.empty((len(y), shape[0], left.shape[1]))  # the sum over a of Y_ia C_na
        half = np.zeros_like(by_function)  # (P|mi)
        for n in row_blocks(shape[0]):
            by_function[:, n] = np.matmul(right[n, :], y.transpose(0, 2, 1))
            half += np.matmul(integrals[:, :, n], left[n, :])
        for m in row_blocks(shape[0]):
            with_i = np.tensordot(integrals[:, m], by_function, axes=([0, 2], [0, 1]))
            derivative.at[m, of_i] += 4.0 * with_i
            with_a = np.tensordot(half[:, m], y, axes=([0, 2], [0, 1]))
            derivative.at[m, of_a] += 4.0 * with_a
    group.sync()
    return derivative


def relaxed_density(
    shells: ClosedShells, derivative: atoll.Array, occupied: atoll.Array, virtual: atoll.Array
) -> Relaxed:
    """Let the orbitals answer. Collective.

    Args:
        shells: The orbitals.
        derivative: What `derivative_by_orbitals` gives.
        occupied: Change of the density of the correlated occupied orbitals.
        virtual: That of the virtual orbitals.

    Raises:
        RuntimeError: On all ranks: the response does not converge.

    """
    count, total = shells.count, len(shells.energies)
    filled, active, empty = slice(0, count), slice(shells.frozen, count), slice(count, total)
    X = atoll.matmul(shells.orbitals.at[...].T, derivative)
    asymmetry = X - X.T
    density = _between_frozen_and_correlated(shells, asymmetry)
    density.at[active, active].copy_from(occupied)
    density.at[empty, empty].copy_from(virtual)
    right = _part(asymmetry, empty, filled)
    answer = _part(_response(shells, density), empty, filled)
    right.add_scaled(-0.5, right, -2.0, answer)
    x = solve_z_vector(shells, right)
    density.at[empty, filled].copy_from(x)
    density.at[filled, empty].copy_from(x.at[...].T)
    response = _response(shells, density)
    for (rows, columns), block in X.blocks():
        block += 2.0 * shells.energies[rows, None] * density[rows, columns]
        is_filled = np.arange(columns.start, columns.stop) < count
        block += 4.0 * is_filled * response[rows, columns]
    shells.basis.group.sync()
    atoll.linalg.symmetrize(X)
    X.scale(0.5)
    return Relaxed(shells.over_functions(density), shells.over_functions(X))


def _response(shells: ClosedShells, density: atoll.Array) -> atoll.Array:
    """Give J - K/2 of a density, both over the orbitals."""
    return shells.transformed(shells.response(shells.over_functions(density)))


def _part(matrix: atoll.Array, rows: slice, columns: slice) -> atoll.Array:
    shape = (rows.stop - rows.start, columns.stop - columns.start)
    part = atoll.zeros(shape, group=matrix.group, name="virtual and occupied")
    part.copy_from(matrix.at[rows, columns])
    return part


def _between_frozen_and_correlated(shells: ClosedShells, asymmetry: atoll.Array) -> atoll.Array:
    """Give the density that mends the symmetry there; all else is zero."""
    density = asymmetry.duplicate()
    number = np.arange(len(shells.energies))
    frozen = number < shells.frozen
    correlated = ~frozen & (number < shells.count)
    energies = shells.energies
    both = zip(density.blocks(), asymmetry.blocks(), strict=True)
    for ((rows, columns), block), (_, given) in both:
        wanted = np.logical_and.outer(frozen[rows], correlated[columns])
        wanted |= np.logical_and.outer(correlated[rows], frozen[columns])
        apart = energies[None, columns] - energies[rows, None]
        block[wanted] = given[wanted] / (2.0 * apart[wanted])
    shells.basis.group.sync()
    return density

"""How orbitals of closed shells answer a change: the Z-vector equations (Handy, Schaefer 1984)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import atoll

if TYPE_CHECKING:
    from atoll.chem.gradients.closed_shells import ClosedShells

RESIDUAL = 1e-9
"""Norm of what is left of the equations, hartree."""
MOST_ITERATIONS = 60


def solve_z_vector(shells: ClosedShells, right: atoll.Array) -> atoll.Array:
    """Solve (e_a - e_i) x_ai + 2 G(C_v x C_o^T + transpose)_ai = right_ai, G = J - K/2. Collective.

    The matrix is positive where the energy is a minimum, so conjugate gradients are taken.

    Args:
        shells: The orbitals.
        right: Virtual x occupied, hartree.

    Returns:
        x, virtual x occupied.

    Raises:
        RuntimeError: On all ranks: no solution in `MOST_ITERATIONS`, or the energy is no minimum.

    """
    gaps = _gaps(shells, right)
    x = right / gaps
    residual = right - _applied(shells, gaps, x)
    direction = preconditioned = residual / gaps
    product = _dot(residual, preconditioned)
    for _ in range(MOST_ITERATIONS):
        if _dot(residual, residual) ** 0.5 < RESIDUAL:
            return x
        image = _applied(shells, gaps, direction)
        curvature = _dot(direction, image)
        if not curvature > 0.0:
            break
        step = product / curvature
        x.add_scaled(1.0, x, step, direction)
        residual.add_scaled(1.0, residual, -step, image)
        preconditioned = residual / gaps
        before, product = product, _dot(residual, preconditioned)
        direction = preconditioned + direction * (product / before)
    raise RuntimeError(
        "the equations for the response of the orbitals have no solution: is the self-consistent "
        "field a minimum, and converged?"
    )


def _gaps(shells: ClosedShells, like: atoll.Array) -> atoll.Array:
    """Give e_a - e_i, virtual x occupied."""
    gaps = like.duplicate()
    virtual, occupied = shells.energies[shells.count :], shells.energies[: shells.count]
    for (rows, columns), block in gaps.blocks():
        block[...] = virtual[rows, None] - occupied[None, columns]
    return gaps


def _applied(shells: ClosedShells, gaps: atoll.Array, x: atoll.Array) -> atoll.Array:
    density = shells.basis.matrix("rotation")
    atoll.matmul(shells.virtual @ x, shells.occupied.at[...].T, density)
    atoll.linalg.symmetrize(density)
    density.scale(2.0)
    response = shells.response(density)
    image = atoll.matmul(shells.virtual.at[...].T, response @ shells.occupied, alpha=2.0)
    image += x * gaps
    return image


def _dot(left: atoll.Array, right: atoll.Array) -> float:
    return float(atoll.algebra.sum_of_products(left, right))

"""How orbitals answer a change: the Z-vector equations (Handy, Schaefer 1984)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import atoll

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atoll.chem.gradients.reference import Reference, SpinOrbitals

RESIDUAL = 1e-9
"""Norm of what is left of the equations, hartree."""
MOST_ITERATIONS = 60


def solve_z_vector(reference: Reference, right: Sequence[atoll.Array]) -> list[atoll.Array]:
    """Solve (e_a - e_i) x_ai + C_v^T G C_o = right_ai for each spin. Collective.

    G is what the Fock matrix changes by with the densities C_v x C_o^T and its transpose. The
    equations' matrix is positive where the energy is a minimum, so conjugate gradients are taken.

    Args:
        reference: The orbitals.
        right: Of each spin: virtual x occupied, hartree.

    Returns:
        x of each spin, virtual x occupied.

    Raises:
        RuntimeError: On all ranks: no solution in `MOST_ITERATIONS`, or the energy is no minimum.

    """
    gaps = [_gaps(spin, each) for spin, each in zip(reference.spins, right, strict=True)]
    x = _divided(right, gaps)
    residual = [each.copy() for each in right]
    _add(residual, -1.0, _applied(reference, gaps, x))
    direction = _divided(residual, gaps)
    product = _dot(residual, direction)
    for _ in range(MOST_ITERATIONS):
        if _dot(residual, residual) ** 0.5 < RESIDUAL:
            return x
        image = _applied(reference, gaps, direction)
        curvature = _dot(direction, image)
        if not curvature > 0.0:
            break
        _add(x, product / curvature, direction)
        _add(residual, -product / curvature, image)
        preconditioned = _divided(residual, gaps)
        before, product = product, _dot(residual, preconditioned)
        _add(preconditioned, product / before, direction)
        direction = preconditioned
    raise RuntimeError(
        "the equations for the response of the orbitals have no solution: is the self-consistent "
        "field converged, and a minimum?"
    )


def _applied(
    reference: Reference, gaps: Sequence[atoll.Array], x: Sequence[atoll.Array]
) -> list[atoll.Array]:
    spins = reference.spins
    densities = [_rotation(spin, each) for spin, each in zip(spins, x, strict=True)]
    images = []
    for spin, each, gap, G in zip(spins, x, gaps, reference.response(densities), strict=True):
        image = each * gap
        atoll.matmul(spin.virtual.at[...].T, G @ spin.occupied, image, beta=1.0)
        images.append(image)
    return images


def _rotation(spin: SpinOrbitals, x: atoll.Array) -> atoll.Array:
    """Give C_v x C_o^T and its transpose, together."""
    density = spin.basis.matrix("rotation")
    atoll.matmul(spin.virtual @ x, spin.occupied.at[...].T, density)
    atoll.linalg.symmetrize(density)
    density.scale(2.0)
    return density


def _gaps(spin: SpinOrbitals, like: atoll.Array) -> atoll.Array:
    """Give e_a - e_i, virtual x occupied."""
    gaps = like.duplicate()
    virtual, occupied = spin.energies[spin.count :], spin.energies[: spin.count]
    for (rows, columns), block in gaps.blocks():
        block[...] = virtual[rows, None] - occupied[None, columns]
    gaps.group.sync()
    return gaps


def _divided(vector: Sequence[atoll.Array], gaps: Sequence[atoll.Array]) -> list[atoll.Array]:
    return [each / gap for each, gap in zip(vector, gaps, strict=True)]


def _add(vector: Sequence[atoll.Array], factor: float, other: Sequence[atoll.Array]) -> None:
    for each, added in zip(vector, other, strict=True):
        each.add_scaled(1.0, each, factor, added)


def _dot(left: Sequence[atoll.Array], right: Sequence[atoll.Array]) -> float:
    return sum(float(atoll.algebra.sum_of_products(a, b)) for a, b in zip(left, right, strict=True))

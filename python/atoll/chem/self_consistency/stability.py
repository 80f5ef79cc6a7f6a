"""Whether a Hartree-Fock energy is a minimum (Seeger and Pople 1977).

The second derivative of the energy by rotations x of occupied into empty orbitals is
    H x = (e_a - e_i) x_ai + C_v^T dF C_o,   dF = J(dD) - K(dD_s),   dD_s = C_v x C_o^T + transpose.
A negative eigenvalue says that the energy falls along its vector. Rotations of both spins alike
keep closed shells closed; opposite ones lead to unrestricted orbitals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.fock.two_electron import Density
from atoll.chem.self_consistency.davidson import lowest_eigenvalue
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.fock.two_electron import TwoElectron
    from atoll.chem.integrals.blocked_basis import BlockedBasis

UNSTABLE = -1e-4
"""Hartree: eigenvalues below this are taken for negative."""
_MIXED = 0.05
"""Share of all rotations in the first guess, so that no symmetry keeps the lowest one out."""


@dataclass(frozen=True)
class Spin:
    """Orbitals of one spin, split."""

    occupied: atoll.Array
    virtual: atoll.Array
    gaps: NDArray[np.float64]
    """Virtual x occupied: e_a - e_i."""


@dataclass(frozen=True)
class Stability:
    """What was found of one kind of rotation."""

    eigenvalue: float
    rotation: list[atoll.Array]
    """Virtual x occupied, of each spin, of length 1."""
    converged: bool

    @property
    def stable(self) -> bool:
        """Whether no rotation lowers the energy."""
        return self.eigenvalue > UNSTABLE


def spins_of(
    orbitals: Sequence[atoll.Array],
    energies: Sequence[NDArray[np.float64]],
    occupations: Sequence[NDArray[np.float64]],
) -> list[Spin]:
    """Split orbitals into occupied and virtual ones. Collective."""
    found = []
    for c, e, n in zip(orbitals, energies, occupations, strict=True):
        count = int(np.count_nonzero(n))
        gaps = e[count:, None] - e[None, :count]
        found.append(Spin(columns(c, 0, count), columns(c, count, len(e)), gaps))
    return found


def check(
    basis: BlockedBasis, builder: TwoElectron, spins: Sequence[Spin], opposite: bool = False
) -> Stability:
    """Find the rotation that the energy curves least along. Collective.

    Args:
        basis: The molecule's functions.
        builder: Builds Coulomb and exchange matrices, exactly.
        spins: One for closed shells, else two; each with occupied and virtual orbitals.
        opposite: Of closed shells: rotations of the spins against each other.

    """
    gaps = [_array(spin.gaps, basis.group) for spin in spins]

    def apply(vector: list[atoll.Array]) -> list[atoll.Array]:
        changes = [_change(basis, spin, x) for spin, x in zip(spins, vector, strict=True)]
        coulomb = None if opposite else basis.matrix("Coulomb")
        exchange = [basis.matrix("exchange") for _ in spins]
        builder.build([Density(change) for change in changes], coulomb, exchange)
        images = []
        for spin, x, gap, K in zip(spins, vector, gaps, exchange, strict=True):
            fock = K
            fock.scale(-1.0)
            if coulomb is not None:  # of closed shells the other spin changes alike
                fock.add_scaled(1.0, fock, 2.0 if len(spins) == 1 else 1.0, coulomb)
            image = atoll.matmul(spin.virtual.at[...].T, fock @ spin.occupied)
            image += x * gap
            images.append(image)
        return images

    found = lowest_eigenvalue(apply, gaps, _first(spins, gaps))
    return Stability(found.value, found.vector, found.converged)


def rotated(spin: Spin, rotation: atoll.Array, angle: float) -> atoll.Array:
    """Give occupied orbitals, orthonormal, turned along a rotation. Collective."""
    step = rotation.copy()
    step.scale(angle)
    turned = spin.occupied + spin.virtual @ step
    # Their overlap is 1 + x^T x, as occupied and virtual orbitals are orthonormal.
    gram = atoll.matmul(step.at[...].T, step)
    values, vectors = atoll.linalg.eigh(gram)
    scale = atoll.from_numpy((1.0 + np.maximum(values, 0.0)) ** -0.5, group=gram.group)
    scaled = vectors.copy()
    atoll.linalg.scale_columns(scaled, scale)
    return turned @ atoll.matmul(scaled, vectors.at[...].T)


def _change(basis: BlockedBasis, spin: Spin, x: atoll.Array) -> atoll.Array:
    """Give C_v x C_o^T and its transpose, together."""
    half = basis.matrix("change of the density")
    atoll.matmul(spin.virtual @ x, spin.occupied.at[...].T, half)
    atoll.linalg.symmetrize(half)
    half.scale(2.0)
    return half


def _first(spins: Sequence[Spin], gaps: Sequence[atoll.Array]) -> list[atoll.Array]:
    """Begin with the smallest gap, and a little of all else."""
    vector = []
    for number, (spin, gap) in enumerate(zip(spins, gaps, strict=True)):
        values = _MIXED * np.random.default_rng(number).uniform(0.5, 1.0, spin.gaps.shape)
        if values.size:
            values[np.unravel_index(spin.gaps.argmin(), values.shape)] += 1.0
        vector.append(_array(values, gap.group))
    return vector


def _array(values: NDArray[np.float64], group: atoll.Group) -> atoll.Array:
    return atoll.from_numpy(np.ascontiguousarray(values), group=group)

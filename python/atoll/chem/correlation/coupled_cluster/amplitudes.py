"""The amplitudes of closed-shell coupled cluster, and what follows from them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.shares import Shares, own

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.integrals import Integrals

    Matrix = NDArray[np.float64]


@dataclass
class Amplitudes:
    """t_i^a and t_ij^ab."""

    singles: Matrix
    """a x i, the same on every rank."""
    doubles: atoll.Array
    """Rows ai, columns bj, distributed by a."""

    @property
    def virtual(self) -> int:
        """Number of virtual orbitals."""
        return len(self.singles)

    @property
    def occupied(self) -> int:
        """Number of occupied orbitals."""
        return int(self.singles.shape[1])

    def own(self) -> NDArray[np.float64]:
        """View this rank's doubles: a x i x b x j."""
        return own(self.doubles, self.occupied, self.virtual, self.occupied)


def first_order(integrals: Integrals, energies: tuple[Matrix, Matrix]) -> Amplitudes:
    """Give the amplitudes of MP2. Collective; `energies`: occupied, virtual, hartree."""
    o, v = integrals.occupied, integrals.virtual
    doubles = integrals.shares.rows(v * o, o, "amplitudes")
    amplitudes = Amplitudes(np.zeros((v, o)), doubles)
    np.negative(own(integrals.ovov, o, v, o), out=amplitudes.own())
    divide(amplitudes.own(), energies, integrals.shares)
    integrals.group.sync()
    return amplitudes


def divide(rows: NDArray[np.float64], energies: tuple[Matrix, Matrix], shares: Shares) -> None:
    """Divide this rank's a x i x b x j by e_a + e_b - e_i - e_j."""
    occupied, virtual = energies
    pair = virtual[:, None] - occupied  # of one electron
    for gap, part in zip(pair[shares.own], rows, strict=True):
        part /= gap[:, None, None] + pair


def energy(amplitudes: Amplitudes, integrals: Integrals, fock: OrbitalFock) -> float:
    """Give the correlation energy in hartree. Collective."""
    contrast = own(integrals.ovov_contrast, amplitudes.doubles.shape[1])
    flat = amplitudes.singles.reshape(-1)
    mine = amplitudes.singles[integrals.shares.own].reshape(-1)
    part = np.vdot(contrast, amplitudes.own()) + mine @ (contrast @ flat)
    of_singles = 2 * np.vdot(fock.vo, amplitudes.singles)
    return float(integrals.group.reduce(float(part)) + of_singles)


def turned(amplitudes: Amplitudes, group: atoll.Group) -> tuple[atoll.Array, atoll.Array]:
    """Give t1[i, a] and t2[i, j, a, b] as new arrays, distributed by a. Collective."""
    o, v = amplitudes.occupied, amplitudes.virtual
    mine = Shares(group, v).own
    singles = by_dimension(group, (o, v), 1, "t1")
    doubles = by_dimension(group, (o, o, v, v), 2, "t2")
    store(singles, amplitudes.singles[mine].T)
    store(doubles, amplitudes.own().transpose(1, 3, 0, 2))
    group.sync()
    return singles, doubles


def by_dimension(
    group: atoll.Group, shape: tuple[int, ...], dimension: int, name: str
) -> atoll.Array:
    """Make an array of zeros that is shared along one dimension as `Shares` do. Collective."""
    if 0 in shape:
        return atoll.zeros(shape, group=group, name=name)
    starts: list[list[int]] = [[0] for _ in shape]
    shares = Shares(group, shape[dimension])
    starts[dimension] = [
        shares.of(rank).start
        for rank in range(group.size)
        if shares.of(rank).start < shape[dimension]
    ]
    return atoll.zeros(shape, distribution=atoll.irregular(starts), group=group, name=name)


def store(array: atoll.Array, values: NDArray[np.float64]) -> None:
    """Set this rank's part, if it has one."""
    local = array.local()
    if local.size > 0:
        local[...] = values


def from_turned(singles: atoll.Array, doubles: atoll.Array) -> Amplitudes:
    """Give amplitudes of arrays as `turned` makes, distributed anyhow. Collective."""
    o, v = singles.shape
    shares = Shares(doubles.group, v)
    amplitudes = Amplitudes(
        np.ascontiguousarray(singles[...].T), shares.rows(v * o, o, "amplitudes")
    )
    take_own(amplitudes.own(), doubles, shares.own)
    doubles.group.sync()
    return amplitudes


def take_own(mine: NDArray[np.float64], doubles: atoll.Array, share: slice) -> None:
    """Read t2[i, j, a, b] of this rank's a into `mine`, a x i x b x j."""
    if share.start == share.stop:
        return
    for i in range(doubles.shape[0]):  # one at a time: no second array of the size
        mine[:, i] = np.asarray(doubles[i, :, share, :]).transpose(1, 2, 0)

"""The amplitudes of open-shell coupled cluster, and what follows from them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.amplitudes import by_dimension, store, take_own
from atoll.chem.correlation.coupled_cluster.shares import Shares, own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.open_shell.integrals import OpenShellIntegrals
    from atoll.chem.correlation.open_shell.spin_pairs import Spins

    Matrix = NDArray[np.float64]
    Energies = Mapping[int, tuple[Matrix, Matrix]]
    """Of occupied and of virtual orbitals by spin, hartree."""


@dataclass
class OpenShellAmplitudes:
    """t_i^a by spin, and t_ij^ab by spins, where those of two equal spins change their sign."""

    singles: dict[int, Matrix]
    """a x i, the same on every rank."""
    doubles: dict[Spins, atoll.Array]
    """Rows ai of s, columns bj of t, distributed by a; s up to t."""

    def own(self, spins: Spins) -> NDArray[np.float64]:
        """View this rank's doubles: a x i x b x j."""
        return own_square(self.doubles[spins], self.singles, spins)

    def destroy(self) -> None:
        """Free the doubles. Collective."""
        for array in self.doubles.values():
            array.destroy()


def own_square(
    array: atoll.Array, singles: Mapping[int, Matrix], spins: Spins
) -> NDArray[np.float64]:
    """View this rank's rows ai x bj as a x i x b x j."""
    (_, i), (b, j) = (singles[spin].shape for spin in spins)
    return own(array, i, b, j)


def first_order(integrals: OpenShellIntegrals, energies: Energies) -> OpenShellAmplitudes:
    """Give the amplitudes of MP2. Collective."""
    singles = {s: np.zeros((integrals.virtual[s], integrals.occupied[s])) for s in integrals.spins}
    ordered = [both for both in integrals.both if both[0] <= both[1]]
    doubles = {both: integrals.square(both, "amplitudes") for both in ordered}
    amplitudes = OpenShellAmplitudes(singles, doubles)
    for both in ordered:
        rows = amplitudes.own(both)
        np.negative(own_square(integrals.antisymmetric[both], singles, both), out=rows)
        divide(rows, energies, integrals.shares[both[0]], both)
    integrals.group.sync()
    return amplitudes


def divide(rows: NDArray[np.float64], energies: Energies, shares: Shares, spins: Spins) -> None:
    """Divide this rank's a x i x b x j by e_a + e_b - e_i - e_j."""
    left, right = (energies[s][1][:, None] - energies[s][0] for s in spins)
    for gap, part in zip(left[shares.own], rows, strict=True):
        part /= gap[:, None, None] + right


def energy(
    amplitudes: OpenShellAmplitudes,
    integrals: OpenShellIntegrals,
    fock: Mapping[int, OrbitalFock],
) -> float:
    """Give the correlation energy in hartree. Collective."""
    part = 0.0
    for s, t in amplitudes.doubles:
        # Antisymmetric integrals and amplitudes have each pair of electrons four times.
        of_doubles, of_singles = (0.25, 0.5) if s == t else (1.0, 1.0)
        rows = own(integrals.antisymmetric[s, t], amplitudes.singles[t].size)
        mine = amplitudes.singles[s][integrals.shares[s].own].ravel()
        part += of_doubles * float(np.vdot(rows, amplitudes.own((s, t))))
        part += of_singles * float(mine @ (rows @ amplitudes.singles[t].ravel()))
    with_fock = sum(float(np.vdot(fock[s].vo, amplitudes.singles[s])) for s in amplitudes.singles)
    return float(integrals.group.reduce(part)) + with_fock


def turned(
    amplitudes: OpenShellAmplitudes, counts: Mapping[int, tuple[int, int]], group: atoll.Group
) -> tuple[list[atoll.Array], list[atoll.Array]]:
    """Give t1[i, a] by spin and t2[i, j, a, b] by spins 00, 01, 11. Collective.

    `counts`: occupied and virtual orbitals of each spin; what is missing is zero, or empty.
    """
    singles = []
    for spin, (o, v) in counts.items():
        array = by_dimension(group, (o, v), 1, f"t1 of spin {spin}")
        if spin in amplitudes.singles:
            store(array, amplitudes.singles[spin][Shares(group, v).own].T)
        singles.append(array)
    doubles = []
    for s, t in ((0, 0), (0, 1), (1, 1)):
        (i, a), (j, b) = counts[s], counts[t]
        array = by_dimension(group, (i, j, a, b), 2, f"t2 of spins {s}{t}")
        if (s, t) in amplitudes.doubles:
            store(array, amplitudes.own((s, t)).transpose(1, 3, 0, 2))
        doubles.append(array)
    group.sync()
    return singles, doubles


def from_turned(
    singles: tuple[atoll.Array, ...], doubles: tuple[atoll.Array, ...], spins: list[int]
) -> OpenShellAmplitudes:
    """Give amplitudes of arrays as `turned` makes, distributed anyhow. Collective."""
    whole = {s: np.ascontiguousarray(singles[s][...].T) for s in spins}
    made = OpenShellAmplitudes(whole, {})
    for both, array in zip(((0, 0), (0, 1), (1, 1)), doubles, strict=True):
        if set(both) <= set(spins):
            (a, i), (b, j) = (whole[s].shape for s in both)
            shares = Shares(array.group, a)
            made.doubles[both] = shares.rows(b * j, i, "amplitudes")
            take_own(made.own(both), array, shares.own)
    doubles[0].group.sync()
    return made

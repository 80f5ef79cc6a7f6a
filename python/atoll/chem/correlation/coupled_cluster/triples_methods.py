"""The (T) correction as a method of coupled cluster, for closed and open shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll._agreement import warn
from atoll.chem.correlation.coupled_cluster import open_triples, triples
from atoll.chem.correlation.coupled_cluster.triples_result import INTERVAL

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.four_index import FourIndex
    from atoll.chem.correlation.coupled_cluster.triples_result import Triples
    from atoll.chem.correlation.open_shell.four_index import OpenShellFourIndex

    Matrix = NDArray[np.float64]
    Counts = dict[int, tuple[int, int]]

CANONICAL = 1e-5
"""Largest element of the Fock matrix between two occupied or two virtual orbitals, hartree."""
STATIONARY = 1e-4
"""Largest one between occupied and virtual orbitals of closed shells."""


class TriplesOptions:
    """How (T) is computed, and what it came to."""

    triples_checkpoint: str | os.PathLike[str] | None = None
    triples_interval: float = INTERVAL
    triples_observer: Callable[[float], object] | None = None
    triples: Triples | None = None

    @property
    def e_triples(self) -> float:
        """The energy (T) in hartree, after `ccsd_t`."""
        if self.triples is None:
            raise RuntimeError("there is no energy of triples yet: call ccsd_t()")
        return self.triples.energy


def require_canonical(fock: Iterable[OrbitalFock], *, closed: bool) -> None:
    """Raise ValueError where the Fock matrix is not diagonal enough for (T)."""
    for each in fock:
        for block, name in ((each.oo, "occupied"), (each.vv, "virtual")):
            largest = _largest(block - np.diag(np.diag(block)))
            if largest > CANONICAL:
                raise ValueError(
                    f"mf.mo_coeff has a Fock matrix element of {largest:.1e} hartree between "
                    f"{name} orbitals, expected at most {CANONICAL:.0e} for (T): converge mf "
                    "further, or diagonalise its Fock matrix among them"
                )
        largest = _largest(each.vo)
        if closed and largest > STATIONARY:
            raise ValueError(
                f"mf.mo_coeff has a Fock matrix element of {largest:.1e} hartree between occupied "
                f"and virtual orbitals, expected at most {STATIONARY:.0e} for (T): converge mf "
                "further, or take cc.UCCSD"
            )


def warn_of_amplitudes(group: atoll.Group, converged: bool) -> None:
    """Say on rank 0 that amplitudes are not final."""
    if not converged and group.rank == 0:
        warn("(T) of amplitudes that have not converged")


def of_closed_shells(
    owner: TriplesOptions,
    group: atoll.Group,
    amplitudes: tuple[atoll.Array, atoll.Array],
    integrals: FourIndex,
    fock: OrbitalFock,
    memory: int,
) -> Triples:
    """Compute it, and free the integrals. Collective."""
    try:
        return triples.correction(
            group,
            *amplitudes,
            *integrals,
            *fock.energies,
            memory=memory,
            checkpoint=owner.triples_checkpoint,
            interval=owner.triples_interval,
            progress=owner.triples_observer,
        )
    finally:
        integrals.destroy()


def of_open_shells(
    owner: TriplesOptions,
    group: atoll.Group,
    amplitudes: tuple[tuple[atoll.Array, ...], tuple[atoll.Array, ...]],
    integrals: OpenShellFourIndex,
    fock: dict[int, OrbitalFock],
    counts: Counts,
    memory: int,
) -> Triples:
    """Compute it, and free the integrals. Collective. `counts`: orbitals of both spins."""
    energies = {s: each.energies for s, each in fock.items()}
    mixed = {s: np.ascontiguousarray(each.vo.T) for s, each in fock.items()}
    for s, (o, v) in counts.items():  # a spin that nothing can be excited in
        if s not in fock:
            energies[s], mixed[s] = (np.zeros(o), np.zeros(v)), np.zeros((o, v))
    _complete(integrals, counts, group)
    first, second = (0, 0), (1, 1)
    ovov, ovvv, ovoo = integrals
    given = open_triples.Integrals(
        *(ovov[both] for both in (first, (0, 1), second)),
        *(ovvv[both] for both in (first, (0, 1), (1, 0), second)),
        *(ovoo[both] for both in (first, (0, 1), (1, 0), second)),
    )
    singles, doubles = amplitudes
    try:
        return open_triples.correction(
            group,
            (singles[0], singles[1]),
            (doubles[0], doubles[1], doubles[2]),
            given,
            (energies[0][0], energies[1][0]),
            (energies[0][1], energies[1][1]),
            memory=memory,
            fock=(mixed[0], mixed[1]),
            checkpoint=owner.triples_checkpoint,
            interval=owner.triples_interval,
            progress=owner.triples_observer,
        )
    finally:
        integrals.destroy()


def _complete(integrals: OpenShellFourIndex, counts: Counts, group: atoll.Group) -> None:
    """Add zeros for the spins that are not there, which nobody reads."""
    for s in (0, 1):
        for t in (0, 1):
            o, v = counts[s]
            others, empty = counts[t]
            if (s, t) not in integrals.ovov:
                integrals.ovov[s, t] = atoll.zeros((o, v, others, empty), group=group)
                integrals.ovvv[s, t] = atoll.zeros((o, v, empty, empty), group=group)
                integrals.ovoo[s, t] = atoll.zeros((o, v, others, others), group=group)


def _largest(block: Matrix) -> float:
    return float(np.max(np.abs(block), initial=0.0))

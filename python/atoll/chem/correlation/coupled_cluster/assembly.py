"""From a molecule and its orbitals to what the iterations of CCSD work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll.chem.correlation.coupled_cluster.direct_ladder import DirectLadder
from atoll.chem.correlation.coupled_cluster.fitted_integrals import FittedIntegrals
from atoll.chem.correlation.coupled_cluster.fock_matrix import (
    TwoElectronSum,
    canonical,
    of_orbitals,
)
from atoll.chem.correlation.coupled_cluster.function_pairs import PairKind
from atoll.chem.correlation.coupled_cluster.half_transform import AtomicIntegrals
from atoll.chem.correlation.coupled_cluster.integrals import Integrals
from atoll.chem.correlation.coupled_cluster.ladder import Ladder
from atoll.chem.correlation.coupled_cluster.pairs import occupied_pairs, virtual_pairs

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.half_transform import Repulsion
    from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderProduct
    from atoll.chem.correlation.coupled_cluster.storage import Storage
    from atoll.chem.correlation.mean_field_hamiltonian import MeanFieldHamiltonian
    from atoll.chem.correlation.orbitals import Correlated


class Parts(NamedTuple):
    """All that is computed before the iterations."""

    integrals: Integrals
    ladder: LadderProduct
    fock: OrbitalFock


def repulsion(mole: Any, fit: Any, group: atoll.Group, memory: int) -> Repulsion:
    """Give integrals over basis functions, or fitted ones where there is a fit. Collective."""
    if fit is None:
        return AtomicIntegrals(mole, group, memory // 4)
    return FittedIntegrals(mole, fit, group, memory)


def assemble(
    mole: Any,
    fit: Any,
    orbitals: Correlated,
    density: NDArray[np.float64],
    hamiltonian: MeanFieldHamiltonian,
    plan: Storage,
    scratch: str | os.PathLike[str] | None,
    group: atoll.Group,
) -> Parts:
    """Compute integrals and the Fock matrix. Collective.

    Args:
        mole: PySCF's `Mole`.
        fit: A mean field's `with_df`, by which integrals are fitted; None: they are not.
        orbitals: The correlated ones; there are some of both kinds.
        density: Of all electrons, functions x functions.
        hamiltonian: The mean field's, whose energy is compared; where it has no part of one
            electron, orbital energies stand for the Fock matrix.
        plan: What lies on disk or is computed anew, and the memory for the work.
        scratch: Folder of disk arrays.
        group: Who computes.

    Raises:
        OSError: On all ranks: the disk is full, or failed.

    """
    atomic = repulsion(mole, fit, group, plan.work)
    stored = None
    if plan.ladder_from != "direct":
        stored = _stored_ladder(atomic, orbitals, plan, scratch)
    wanted = Integrals.wanted(orbitals)
    in_one_pass = stored is not None and stored.strips == 1
    if stored is not None and in_one_pass:
        wanted.append(stored.wanted(0))
    potential = TwoElectronSum(density)
    halves = atomic.half_transformed(wanted, potential)
    integrals = Integrals(atomic, halves[:2], orbitals, plan.work)
    if stored is not None:
        stored.fill(halves[2] if in_one_pass else None)
    atomic.close()
    ladder = stored or _direct_ladder(mole, orbitals, plan, group)
    return Parts(integrals, ladder, _fock(potential, density, hamiltonian, orbitals))


def _stored_ladder(
    atomic: Repulsion,
    orbitals: Correlated,
    plan: Storage,
    scratch: str | os.PathLike[str] | None,
) -> Ladder:
    """Give the ladder that keeps its integrals, which are not computed yet."""
    return Ladder(
        atomic,
        orbitals.virtual,
        virtual_pairs(orbitals.virtual.shape[1]),
        [kind.sign for kind in occupied_pairs(orbitals.occupied.shape[1])],
        plan.work,
        on_disk=plan.ladder_on_disk,
        scratch=scratch,
    )


def _direct_ladder(
    mole: Any, orbitals: Correlated, plan: Storage, group: atoll.Group
) -> DirectLadder:
    """Give the ladder that computes integrals anew."""
    virtual = orbitals.virtual
    pairs = virtual_pairs(virtual.shape[1])
    kinds = [
        PairKind(kind.sign, virtual, virtual, pairs, kind.size)
        for kind in occupied_pairs(orbitals.occupied.shape[1])
    ]
    return DirectLadder(mole, kinds, group, plan.work)


def assemble_without_ladder(
    mole: Any,
    fit: Any,
    orbitals: Correlated,
    density: NDArray[np.float64],
    hamiltonian: MeanFieldHamiltonian,
    plan: Storage,
    group: atoll.Group,
) -> tuple[Integrals, OrbitalFock]:
    """Compute as `assemble` what is needed when there are amplitudes already. Collective."""
    atomic = repulsion(mole, fit, group, plan.work)
    potential = TwoElectronSum(density)
    halves = atomic.half_transformed(Integrals.wanted(orbitals), potential)
    integrals = Integrals(atomic, halves, orbitals, plan.work)
    atomic.close()
    return integrals, _fock(potential, density, hamiltonian, orbitals)


def _fock(
    potential: TwoElectronSum,
    density: NDArray[np.float64],
    hamiltonian: MeanFieldHamiltonian,
    orbitals: Correlated,
) -> OrbitalFock:
    core = hamiltonian.core
    if core is None:
        return canonical(orbitals)
    total = np.asarray(hamiltonian.group.reduce(potential.matrix)).reshape(core.shape)
    hamiltonian.check(float(np.vdot(density, core + 0.5 * total)))
    return of_orbitals(core + total, orbitals)

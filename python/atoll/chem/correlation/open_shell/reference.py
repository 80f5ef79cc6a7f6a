"""The determinant that open shells are correlated upon: two sets of orbitals."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.correlation import orbitals
from atoll.chem.correlation.coupled_cluster.fock_matrix import of_orbitals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    import atoll

    Matrix = NDArray[np.float64]


def agreed(mf: Any, group: atoll.Group, caller: str) -> orbitals.Reference:
    """Give the orbitals of rank 0's mean field, two sets in any case. Collective.

    Raises what `orbitals.agreed` does.
    """
    shared = np.ndim(mf.mo_coeff) == 2
    spread = _by_spin(mf) if shared else mf
    return orbitals.agreed(spread, group, caller)


def has_shared_open_shells(mf: Any) -> bool:
    """Tell whether a mean field has singly occupied orbitals, the same for both spins."""
    return np.ndim(mf.mo_coeff) == 2 and bool(np.any(np.asarray(mf.mo_occ) == 1))


def is_open(mf: Any) -> bool:
    """Tell whether a mean field has two sets of orbitals, or singly occupied ones."""
    return np.ndim(mf.mo_coeff) != 2 or has_shared_open_shells(mf)


def _by_spin(mf: Any) -> Any:
    """Give a restricted mean field, of closed or open shells, as an unrestricted one."""
    occupations = np.asarray(mf.mo_occ)
    whole = (occupations == 0) | (occupations == 1) | (occupations == 2)
    if not np.all(whole):
        found = sorted({float(x) for x in occupations.ravel()})
        raise ValueError(f"mf.mo_occ holds {found}, expected 0, 1 and 2")
    spread = SimpleNamespace(
        mo_coeff=np.array([mf.mo_coeff, mf.mo_coeff]),
        mo_energy=np.array([mf.mo_energy, mf.mo_energy]),
        mo_occ=np.array([occupations > 0, occupations == 2], dtype=np.float64),
        e_tot=mf.e_tot,
    )
    if hasattr(mf, "xc"):
        spread.xc = mf.xc
    return spread


def correlated(
    reference: orbitals.Reference, frozen: int | Sequence[int] | None
) -> dict[int, orbitals.Correlated]:
    """Give the correlated orbitals of each spin; raises ValueError for a wrong `frozen`."""
    if isinstance(frozen, (list, tuple)):
        by_spin = [np.ndim(each) for each in frozen]
        if any(by_spin) and by_spin != [1, 1]:
            raise ValueError(f"frozen is {frozen!r}, expected a list for each of two spins")
    return {spin: reference.correlated(spin, frozen) for spin in (0, 1)}


def semicanonical(
    spaces: Mapping[int, orbitals.Correlated], fock: Mapping[int, Matrix], group: atoll.Group
) -> dict[int, orbitals.Correlated]:
    """Diagonalise each spin's Fock matrix within occupied and within virtual orbitals.

    Collective: rank 0's orbitals are used everywhere. `fock`: over basis functions, hartree.
    """
    turned = {}
    for spin, space in spaces.items():
        blocks = of_orbitals(fock[spin], space)
        occupied, occupied_energies = _diagonal(blocks.oo, space.occupied, group)
        virtual, virtual_energies = _diagonal(blocks.vv, space.virtual, group)
        turned[spin] = orbitals.Correlated(occupied, occupied_energies, virtual, virtual_energies)
    return turned


def _diagonal(block: Matrix, orbitals: Matrix, group: atoll.Group) -> tuple[Matrix, Matrix]:
    if len(block) == 0:
        return orbitals, np.zeros(0)
    energies, turn = np.linalg.eigh(block)
    energies = np.asarray(group.broadcast(energies)).reshape(energies.shape)
    turn = np.asarray(group.broadcast(np.ascontiguousarray(turn))).reshape(turn.shape)
    return orbitals @ turn, energies

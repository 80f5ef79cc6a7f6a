"""The Hamiltonian of a mean field, whoever has made it: what correlated methods start from.

PySCF's mean fields, and ours, may have other one-electron integrals than their molecule (fields,
X2C, charges of QM/MM), or another energy of the nuclei. Those are taken. What cannot be, such as
two-electron integrals or potentials of one's own, is refused: by its name, or since the energy of
the determinant is then not the mean field's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll.chem.df import settings_of
from atoll.chem.integrals import pyscf_checks
from atoll.chem.molecules.supported import require_supported
from atoll.chem.self_consistency.field import Field

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll

    Matrix = NDArray[np.float64]

SAME_ENERGY = 1e-6
"""Hartree, and a hundredth of it for each hartree: energies of one determinant differ by less."""
_TWO_ELECTRON = ("get_veff", "get_jk", "get_j", "get_k")
"""Methods that other two-electron integrals or potentials would be put in."""


@dataclass(eq=False)
class MeanFieldHamiltonian:
    """What the orbitals of a mean field are a solution of; equal on every rank."""

    mean_field: Any
    group: atoll.Group
    caller: str
    core: Matrix | None
    """Of one electron over basis functions; None: the mean field does not say."""
    constant: float
    """Energy without electrons, hartree."""
    energy: float
    """Of the mean field's determinant, hartree: as it says, until `check` knows better."""

    def check(self, electronic: float) -> None:
        """Compare the mean field's energy with what its electrons have by these integrals.

        Collective. Orbitals that the mean field has not made keep their own energy, as in PySCF.
        Raises NotImplementedError on all ranks where the mean field gives another energy for them.
        """
        mine, mean_field = self.constant + electronic, self.mean_field
        if self.core is None or _are_same(mine, self.energy):
            return
        again = mine
        if not isinstance(getattr(mean_field, "of", mean_field), Field):  # ours have no other parts
            again = float(self.group.broadcast(self._told_again() if self.group.rank == 0 else 0.0))
        self.energy = mine
        if _are_same(mine, again):
            return
        raise NotImplementedError(
            f"{self.caller} of {type(mean_field).__name__}: its energy is {again:.8f} hartree, and "
            f"{mine:.8f} with its get_hcore() and energy_nuc() and the molecule's other integrals: "
            "it has parts that cannot be passed on"
        )

    def check_determinant(self) -> None:
        """Compare likewise, where nothing else makes the Fock matrix. Collective.

        Of Hartree-Fock of PySCF's alone, also beneath an active space: ours has no other parts.
        """
        beneath = getattr(self.mean_field, "_scf", self.mean_field)
        if isinstance(beneath, Field) or hasattr(beneath, "xc") or not hasattr(beneath, "mo_occ"):
            return
        if self.core is None or np.shape(beneath.mo_coeff) == ():
            return
        electronic = 0.0
        if self.group.rank == 0:
            fit = getattr(beneath, "with_df", None)
            densities = _by_spin(beneath)
            electronic = pyscf_checks.electronic_energy(beneath.mol, self.core, densities, fit)
        electronic = float(self.group.broadcast(electronic))
        energy = float(self.group.broadcast(float(beneath.e_tot)))
        replace(self, mean_field=beneath, energy=energy).check(electronic)

    def _told_again(self) -> float:
        """Ask the mean field for the energy of its orbitals, which may not be those of `e_tot`."""
        if not hasattr(self.mean_field, "energy_tot"):
            return float(self.mean_field.e_tot)
        return float(self.mean_field.energy_tot(self.mean_field.make_rdm1()))


def forget_if_changed(mf: Any) -> None:
    """Have a mean field of ours forget orbitals of its molecule as it was. Collective then."""
    if isinstance(mf, Field):
        mf.forget_if_changed()


def require_orbitals(mf: Any, caller: str) -> None:
    """Refuse what is no mean field of a molecule with real orbitals of one spin each.

    Raises:
        RuntimeError: It has not run.
        NotImplementedError: Its molecule, its kind, its fit or its methods are not supported.
        TypeError, ValueError: Its orbitals are complex, or not over the molecule's functions.

    """
    require_supported(mf.mol, caller, cartesian=True)
    forget_if_changed(mf)
    if mf.mo_coeff is None:
        raise RuntimeError("mf has no orbitals yet: call mf.kernel() or mf.run()")
    if any(np.iscomplexobj(each) for each in (mf.mo_coeff, *mf.mo_coeff)):
        raise TypeError("mf.mo_coeff is complex, expected real orbitals")
    shape, functions = np.shape(mf.mo_coeff), int(mf.mol.nao_nr())
    if len(shape) == 2 and shape[0] == 2 * functions:
        raise NotImplementedError(
            f"{caller} of generalized spin orbitals ({type(mf).__name__}): expected those of RHF, "
            "UHF or ROHF"
        )
    if len(shape) not in (2, 3) or shape[-2] != functions:
        raise ValueError(
            f"mf.mo_coeff has shape {shape}, expected {functions} functions x orbitals, or two of "
            "these"
        )
    for name in _TWO_ELECTRON:
        if not isinstance(mf, Field) and _is_of_user(mf, name):
            raise NotImplementedError(f"{caller} of a mean field whose {name} was replaced")
    settings_of(getattr(mf, "with_df", None))


def hamiltonian_of(mf: Any, group: atoll.Group, caller: str) -> MeanFieldHamiltonian:
    """Give the Hamiltonian of a mean field, that of the group's first rank. Collective.

    Raises NotImplementedError where it has a part that is not there: a solvent.
    """
    if getattr(mf, "with_solvent", None) is not None:
        raise NotImplementedError(f"{caller} of a mean field in a solvent (mf.with_solvent)")
    core = _core_of(mf)
    constant = mf.energy_nuc() if hasattr(mf, "energy_nuc") else mf.mol.enuc
    constant = float(constant) + float(_parts_of(mf).get("dispersion", 0.0))
    _core.enter(group, caller, b"hamiltonian" if core is None else b"with its core")
    if core is not None:
        core = np.asarray(group.broadcast(core)).reshape(core.shape)
    constant, energy = (float(group.broadcast(float(each))) for each in (constant, mf.e_tot))
    return MeanFieldHamiltonian(mf, group, caller, core, constant, energy)


def _by_spin(mf: Any) -> Matrix:
    """Give the densities of both spins."""
    occupations = np.asarray(mf.mo_occ)
    if occupations.ndim == 1:
        both = [(occupations > 0).astype(float), (occupations > 1).astype(float)]
        sets = [np.asarray(mf.mo_coeff)] * 2
    else:
        both, sets = list(occupations), list(np.asarray(mf.mo_coeff))
    return np.stack([(c * n) @ c.T for c, n in zip(sets, both, strict=True)])


def _core_of(mf: Any) -> Matrix | None:
    mf = getattr(mf, "of", mf)
    if isinstance(mf, Field):  # as it was in the last calculation
        return np.ascontiguousarray(mf.integrals.core[...])
    if not hasattr(mf, "get_hcore"):
        return None
    core = np.asarray(mf.get_hcore())
    functions = int(mf.mol.nao_nr())
    if np.iscomplexobj(core) or core.shape != (functions, functions):
        raise NotImplementedError(
            f"mf.get_hcore() gives {core.dtype} of shape {core.shape}, expected real numbers of "
            f"shape {(functions, functions)}"
        )
    return np.ascontiguousarray(core, dtype=np.float64)


def _parts_of(mf: Any) -> dict[str, Any]:
    """Give the parts of the energy that a mean field has told."""
    return dict(getattr(mf, "scf_summary", None) or {})


def _is_of_user(mf: Any, name: str) -> bool:
    """Tell whether a method of PySCF's mean field is a user's."""
    method = getattr(mf, name, None)
    if method is None or name in vars(mf):
        return method is not None and not _is_of_pyscf(method)
    return not _is_of_pyscf(getattr(type(mf), name, method))


def _is_of_pyscf(method: Any) -> bool:
    return str(getattr(method, "__module__", "pyscf.")).startswith("pyscf.")


def _are_same(one: float, other: float) -> bool:
    return abs(one - other) <= SAME_ENERGY * (1.0 + 0.01 * abs(other))

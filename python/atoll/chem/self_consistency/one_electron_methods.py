"""What a mean field has of one electron, and how others are put in its place, as PySCF's users do.

`mf.get_hcore = f`, `mf.get_ovlp = f` and `mf.energy_nuc = f`, or the same in a class of one's own,
are called in each calculation, with the molecule as PySCF calls them: matrices by `integrals`, the
number by `nuclear_energy`. What the ranks get must be the same; that of the first is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll.chem.guarded import NotSupportedError, is_replaced
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.one_electron import OneElectron, one_electron_integrals
from atoll.chem.molecules.agreed import SAME
from atoll.chem.molecules.supported import has_own_nuclear_energy
from atoll.chem.self_consistency.field import Field
from atoll.chem.self_consistency.orthonormal import OrthonormalBasis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll

HCORE, OVERLAP, NUCLEAR = "get_hcore", "get_ovlp", "energy_nuc"
REPLACEABLE = frozenset({HCORE, OVERLAP, NUCLEAR})


class OneElectronMethods(Field):
    """Matrices of one electron, and the energy of the nuclei."""

    _group: atoll.Group
    _bare: OneElectron | None = None
    _integrals: OneElectron | None = None
    _orthonormal: OrthonormalBasis | None = None
    _replaced: frozenset[str] = frozenset()
    """Which methods were others when the matrices were made."""

    @property
    def integrals(self) -> OneElectron:
        """One-electron integrals, distributed. Collective when first asked for.

        They are those of the last calculation.
        """
        self.forget_if_changed()
        if self._integrals is None:
            self._replaced = replaced_in(self)
            self._integrals = self._with_replaced(self._bare_integrals())
        return self._integrals

    @property
    def orthonormal(self) -> OrthonormalBasis:
        """The orthonormal basis. Collective when first asked for."""
        self.forget_if_changed()
        if self._orthonormal is None:
            self._orthonormal = OrthonormalBasis(self.integrals.overlap)
        return self._orthonormal

    @collective
    def get_hcore(self, mol: Any = None) -> NDArray[np.float64]:
        """Give kinetic energy and attraction as a NumPy array; `mol`: of another. Collective."""
        if mol is not None and mol is not self.mol:
            return self._of_another(mol, HCORE)
        return np.asarray(self._bare_integrals().core[...])

    @collective
    def get_ovlp(self, mol: Any = None) -> NDArray[np.float64]:
        """Give the overlap as a NumPy array; `mol`: of another molecule. Collective."""
        if mol is not None and mol is not self.mol:
            return self._of_another(mol, OVERLAP)
        return np.asarray(self._bare_integrals().overlap[...])

    def energy_nuc(self) -> float:
        """Give the energy of the nuclei among themselves, hartree: `mol.enuc`."""
        return float(self.mol.enuc)

    def nuclear_energy(self) -> float:
        """Give what `energy_nuc`, or what stands in its place, gives on the first rank. Collective.

        Raises ValueError on all ranks where it is no number, or another one elsewhere.
        """
        mine = float(self.energy_nuc())
        _core.enter(self._group, NUCLEAR, b"")
        first = float(self._group.broadcast(mine))
        if not np.isfinite(first) or abs(first - mine) > SAME * max(1.0, abs(first)):
            raise ValueError(f"{NUCLEAR} gives {mine!r} on this rank and {first!r} on the first")
        return first

    def forget_replaced(self) -> None:
        """Forget matrices that may be others in the next calculation."""
        now = replaced_in(self)
        changed = (now | self._replaced) - {NUCLEAR}
        if changed:
            self._integrals = None
        if OVERLAP in changed:
            self._orthonormal = None

    def forget_integrals(self) -> None:
        """Forget all that hangs on the molecule."""
        self._bare = self._integrals = self._orthonormal = None

    def require_own_hamiltonian(self, what: str) -> None:
        """Raise NotSupportedError for `what`, which would take replaced methods for the plain ones.

        Such as derivatives, which nobody has given.
        """
        for name in sorted(replaced_in(self)):
            raise NotSupportedError(f"{what} of a mean field whose {name} was replaced")
        if has_own_nuclear_energy(self.mol):
            raise NotSupportedError(f"{what} of a molecule whose energy of the nuclei was set")

    def _bare_integrals(self) -> OneElectron:
        self.forget_if_changed()
        if self._bare is None:
            self._bare = one_electron_integrals(self.basis)
        return self._bare

    def _with_replaced(self, bare: OneElectron) -> OneElectron:
        overlap, core, attraction = bare.overlap, bare.core, bare.attraction
        if OVERLAP in self._replaced:
            overlap = self._given(OVERLAP)
        if HCORE in self._replaced:
            core = self._given(HCORE)
            attraction = core - bare.kinetic
        return OneElectron(overlap, bare.kinetic, attraction, core)

    def _given(self, name: str) -> atoll.Array:
        """Give the matrix that a replaced method gives, distributed. Collective."""
        n = self.basis.functions
        mine = np.asarray(getattr(self, name)(self.mol))
        if np.iscomplexobj(mine):
            raise TypeError(f"{name} gives a complex matrix, expected a real one")
        mine = np.ascontiguousarray(mine, dtype=np.float64)
        if mine.shape == (2, n, n):
            raise NotImplementedError(  # not an AttributeError: a property comes here
                f"{name} gives a matrix for each spin, which is not supported: expected one"
            )
        if mine.shape != (n, n):
            raise ValueError(f"{name} gives an array of shape {mine.shape}, expected {(n, n)}")
        if not np.isfinite(mine).all():
            raise ValueError(f"{name} gives a matrix that is not finite")
        size = float(np.abs(mine).max(initial=1.0))
        if not np.allclose(mine, mine.T, rtol=0.0, atol=SAME * size):
            raise ValueError(f"{name} gives a matrix that is not symmetric")
        _core.enter(self._group, name, b"")
        first = np.asarray(self._group.broadcast(mine)).reshape(n, n)
        if not np.allclose(first, mine, rtol=0.0, atol=SAME * size):
            raise ValueError(f"{name} gives another matrix on this rank than on the first")
        matrix = self.basis.matrix(name)
        for key, block in matrix.blocks():
            block[...] = 0.5 * (first[key] + first.T[key])
        self._group.sync()
        return matrix

    def _of_another(self, mol: Any, name: str) -> NDArray[np.float64]:
        own = np.ascontiguousarray(pyscf_wheel.whole_matrix(mol, name))
        return np.asarray(self._group.broadcast(own)).reshape(own.shape)


def replaced_in(mean_field: Any) -> frozenset[str]:
    """Give the methods that are others than ours."""
    return frozenset(name for name in REPLACEABLE if is_replaced(mean_field, name))

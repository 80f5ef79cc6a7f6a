"""The scalar relativistic Hamiltonian of one electron: a mean field's `x2c`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from atoll.chem.guarded import NotSupportedError
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.self_consistency.field import Field
from atoll.chem.self_consistency.one_electron_methods import HCORE, replaced_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self


class ScalarX2C:
    """What stands in the place of `get_hcore`: PySCF's spin-free X2C of a molecule."""

    def __init__(self, mol: Any) -> None:
        self._mol = mol

    def __call__(self, mol: Any = None) -> NDArray[np.float64]:
        """Give the matrix over the functions of `mol`; none: of the mean field's molecule."""
        return pyscf_wheel.x2c_core(self._mol if mol is None else mol)

    def moved_to(self, mol: Any) -> ScalarX2C:
        """Give the same of another molecule."""
        return ScalarX2C(mol)


class Relativity(Field):
    """`x2c`, under PySCF's names."""

    def x2c(self) -> Self:
        """Give a mean field like this one with PySCF's spin-free X2C Hamiltonian of one electron.

        The Hamiltonian is made by PySCF, whole on every rank. There is no gradient of it here.
        Raises NotSupportedError where `get_hcore` is one of the user's, which would be lost.
        """
        if HCORE in replaced_in(self) and not isinstance(vars(self).get(HCORE), ScalarX2C):
            raise NotSupportedError(f"x2c of a mean field whose {HCORE} was replaced")
        made = copy.copy(self)
        changed: Any = made
        changed.reset()
        changed.get_hcore = ScalarX2C(self.mol)
        return made

    x2c1e = sfx2c1e = x2c

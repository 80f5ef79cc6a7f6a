"""All of PySCF's shapes of calls that a mean field has, together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.pyscf_calls.absent import refusal
from atoll.chem.pyscf_calls.configured import Configured
from atoll.chem.pyscf_calls.conversions import Conversions
from atoll.chem.pyscf_calls.correlated import CorrelatedMethods
from atoll.chem.pyscf_calls.orbitals import GivenOrbitals
from atoll.chem.pyscf_calls.potentials import Potentials
from atoll.chem.pyscf_calls.relativity import Relativity
from atoll.chem.pyscf_calls.twin import methods_of_twin

if TYPE_CHECKING:
    from typing_extensions import Self


@methods_of_twin
class PyscfCalls(Configured, GivenOrbitals, Potentials, Conversions, CorrelatedMethods, Relativity):
    """What a mean field has beside `kernel`, under PySCF's names."""

    diis: bool | str
    chkfile: str | None

    def build(self, mol: Any = None) -> Self:
        """Give this object: nothing has to be made beforehand. `mol`: for another molecule."""
        if mol is not None and mol is not self.mol:
            self.reset(mol)
        return self

    def update_(self, chkfile: str | None = None) -> Self:
        """Take the result in a checkpoint file; give this object. Collective."""
        path = chkfile or self.chkfile
        if path is None:
            raise refusal("a checkpoint file that nobody has named", "set chkfile")
        found = pyscf_wheel.saved_results(path)
        self.mo_coeff, self.mo_energy = found["mo_coeff"], found["mo_energy"]
        self.mo_occ = found["mo_occ"]
        self.e_tot = float(self.group.broadcast(float(found["e_tot"])))
        return self

    update = update_

    @property
    def DIIS(self) -> Any:  # noqa: N802  # PySCF's name
        """PySCF's class of the extrapolation: CDIIS or ADIIS."""
        return pyscf_wheel.diis_class("ADIIS" if self.diis == "adiis" else "CDIIS")

    @DIIS.setter
    def DIIS(self, kind: Any) -> None:  # noqa: N802
        if kind is pyscf_wheel.diis_class("ADIIS"):
            self.diis = "adiis"
        elif kind is pyscf_wheel.diis_class("CDIIS"):
            self.diis = True if self.diis == "adiis" else self.diis
        else:
            raise refusal(f"DIIS = {getattr(kind, '__name__', kind)}", "expected CDIIS or ADIIS")

    if TYPE_CHECKING:

        def reset(self, mol: Any = None) -> Self:
            """Take a changed molecule, or another one."""

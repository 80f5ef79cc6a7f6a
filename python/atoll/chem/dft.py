"""Kohn-Sham density functional theory under PySCF's names, over any number of ranks.

>>> from pyscf import gto
>>> from atoll.chem import dft
>>> mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="cc-pvdz", verbose=0)
>>> round(dft.RKS(mol).run(xc="pbe").e_tot, 5)
-1.15985
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from atoll.chem.exchange_correlation import grid_settings
from atoll.chem.exchange_correlation.dispersion import Dispersion, dispersion
from atoll.chem.exchange_correlation.functional import Functional
from atoll.chem.exchange_correlation.matrix import ExchangeCorrelation
from atoll.chem.integrals import fitting_sets
from atoll.chem.molecules import InputError
from atoll.chem.pyscf_calls import modules
from atoll.chem.scf import RHF, ROHF, UHF
from atoll.chem.self_consistency.assembly import ExactExchange
from atoll.chem.self_consistency.field import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.mean_field import MeanField

__all__ = ["KS", "RKS", "UKS"]

__getattr__ = modules.stand_in(__name__)


class _KohnSham(Field):
    """What Kohn-Sham has beyond Hartree-Fock.

    Attributes:
        xc: Functional, by any name that libxc through PySCF knows.
        grids: PySCF's settings of the grid: `level`, `prune`, `atom_grid` and so on; or the points
            themselves, `coords` and `weights`.
        xc_arrays: "mirrored", "distributed" or "auto": where the matrices of exchange and
            correlation are while they are added up (docs/chemistry.md).
        disp: Dispersion correction, "d3bj", or "d3bj:b2plyp" with the parameters of another
            method; None: what the name of the functional asks for; False: none.

    """

    mol: Any
    basis: BlockedBasis
    xc: str
    disp: str | bool | None
    grids: Any

    small_rho_cutoff = 0.0
    """Points with less density may be left out, in PySCF: here none are."""
    _without_effect: ClassVar[dict[str, tuple[Any, ...]]] = {
        **RHF._without_effect,
        "nlc": ("", None, False),
        "omega": (None,),
    }
    _converted: ClassVar[dict[str, Callable[[Any], Any]]] = {
        **RHF._converted,
        "grids": grid_settings.checked,
    }

    def _begin(self) -> None:
        self.xc = "LDA,VWN"
        self.grids = grid_settings.Grids(self.mol)
        self.xc_arrays = "auto"
        self.disp = None

    def _moved(self) -> None:
        grid_settings.moved_to(self.grids, self.mol)

    @property
    def functional(self) -> Functional:
        """The functional that `xc` names."""
        return Functional.from_name(self.xc)

    def exact_exchange(self) -> ExactExchange:
        """Give the exchange of the functional."""
        found = self.functional
        if found.omega == 0.0:
            return ExactExchange(found.hybrid)
        return ExactExchange(found.hybrid, found.long_range - found.hybrid, found.omega)

    def fitting_set(self) -> Any:
        """Give the fitting set that PySCF's `density_fit()` would choose for `xc`.

        Raises InputError or NotImplementedError for a functional that is not here.
        """
        Functional.from_name(self.xc)
        return fitting_sets.of_mean_field(self.mol, self.xc)

    def make_xc(self, basis: BlockedBasis) -> ExchangeCorrelation | None:
        """Make what integrates the functional. Collective."""
        found = self.functional
        if found.kind == "HF":
            return None
        grids = grid_settings.checked(self.grids)
        return ExchangeCorrelation(basis, found, arrays=self.xc_arrays, grids=grids)

    def other_gradients(self, densities: Sequence[Density]) -> dict[str, NDArray[np.float64]]:
        """Give the parts of the gradient that Hartree-Fock has not. Collective."""
        parts = {}
        integrator = self.make_xc(self.basis)
        if integrator is not None:
            matrices = [density.matrix for density in densities]
            parts["exchange-correlation"] = integrator.gradient(matrices)
            integrator.close()
        found = self._dispersion()
        if found is not None:
            parts["dispersion"] = found.gradient
        return parts

    def correction(self) -> dict[str, float]:
        """Give the dispersion energy, if there is one.

        Raises NotImplementedError for a functional that was made with a correction that is not
        here, as B97-D: one has to be chosen.
        """
        found = self._dispersion()
        return {} if found is None else {"dispersion": found.energy}

    def _dispersion(self) -> Dispersion | None:
        functional = self.functional
        version = functional.dispersion if self.disp is None else self.disp
        if not version:
            if functional.incomplete and self.disp is None:
                raise NotImplementedError(
                    f"functional '{self.xc}' was made with a dispersion correction that is not in "
                    "it: choose one (d3bj, for one), or none to have it without"
                )
            return None
        return dispersion(self.mol, functional.name, str(version))


class RKS(_KohnSham, RHF):
    """Kohn-Sham of closed shells: see `scf.RHF`, and `xc`, `grids`, `xc_arrays`, `disp`.

    Of open shells it makes `ROKS`, as PySCF's function does.
    """

    method = "RKS"

    def __new__(cls, mol: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Make this class, or `ROKS`; a copy is made without arguments."""
        if cls is RKS and int(getattr(mol, "spin", None) or 0) != 0:
            return ROKS(mol, *args, **kwargs)
        return super().__new__(cls)

    def __init__(self, mol: Any, xc: str | None = None, group: atoll.Group | None = None) -> None:
        super().__init__(mol, group)
        if xc is not None:
            self.xc = xc


class UKS(_KohnSham, UHF):
    """Kohn-Sham with orbitals of their own for each spin: see `RKS`."""

    method = "UKS"

    def __init__(self, mol: Any, xc: str | None = None, group: atoll.Group | None = None) -> None:
        super().__init__(mol, group)
        if xc is not None:
            self.xc = xc


class ROKS(_KohnSham, ROHF):
    """Kohn-Sham of open shells with the same orbitals for both spins: see `ROHF` and `RKS`."""

    method = "ROKS"

    def __init__(self, mol: Any, xc: str | None = None, group: atoll.Group | None = None) -> None:
        super().__init__(mol, group)
        if xc is not None:
            self.xc = xc


def KS(  # noqa: N802  # PySCF's name
    mol: Any, xc: str | None = None, group: atoll.Group | None = None
) -> MeanField:
    """Make an RKS for closed shells, a UKS else. Collective."""
    if int(mol.spin) < 0:
        raise InputError(f"spin is {mol.spin}, expected 0 or more unpaired electrons")
    return RKS(mol, xc, group) if int(mol.spin) == 0 else UKS(mol, xc, group)

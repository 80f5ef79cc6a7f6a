"""RI-MP2 and double hybrids."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atoll.chem import mp
from atoll.chem.calculations import fits, restarts
from atoll.chem.calculations.calculation import UNCORRELATED, Needs, Outcome, readable
from atoll.chem.calculations.mean_fields import outcome_of, title_of
from atoll.chem.grad import SecondOrderGradients
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError
from atoll.chem.properties.summary import properties_of

if TYPE_CHECKING:
    import atoll
    from atoll.chem.grad import Gradients
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.mean_field import MeanField


@dataclass(frozen=True)
class DoubleHybrid:
    """A functional with second-order correlation.

    Attributes:
        functional: In libxc's words, exact exchange included.
        opposite, same: Shares of the correlation of opposite and of equal spins.

    """

    functional: str
    opposite: float
    same: float


DOUBLE_HYBRIDS = {
    "b2plyp": DoubleHybrid("0.53*HF + 0.47*B88, 0.73*LYP", 0.27, 0.27),  # Grimme 2006
    "b2gpplyp": DoubleHybrid("0.65*HF + 0.35*B88, 0.64*LYP", 0.36, 0.36),  # Karton et al. 2008
    "pbe0-dh": DoubleHybrid("0.5*HF + 0.5*PBE, 0.875*PBE", 0.125, 0.125),  # Bremond, Adamo 2011
}
SCALED = {"ri-mp2": (1.0, 1.0), "scs-ri-mp2": (6 / 5, 1 / 3), "sos-ri-mp2": (1.3, 0.0)}
"""Shares of the correlation of opposite and of equal spins (Grimme 2003; Jung et al. 2004)."""


def split_double_hybrid(name: str) -> tuple[str, str]:
    """Give "b2plyp" and "d3bj" of "b2plyp-d3bj"; other names as they are, and nothing."""
    hybrid, mark, version = name.partition("-d3")
    return (hybrid, "d3" + version if mark else "") if hybrid in DOUBLE_HYBRIDS else (name, "")


def dispersion_of_double_hybrid(name: str, version: str) -> str:
    """Give the correction with its parameters, as PySCF's `disp`: its functional has no name."""
    return version if version in ("", "none") or ":" in version else f"{version}:{name}"


class SecondOrder:
    """MP2, or a double hybrid, upon a mean field."""

    correlated = True

    def __init__(
        self, mean_field: MeanField, options: Options, name: str, opposite: float, same: float
    ) -> None:
        self.mean_field = mean_field
        self.method = name
        self.title = f"{name.upper()} upon {title_of(mean_field, options, name)}"
        self._options, self._opposite, self._same = options, opposite, same
        self._fitting_set = fits.chosen_for_correlation(mean_field, options)
        self.fits = fits.fits_with_correlation(mean_field, options, self._fitting_set)

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        restarts.go_on(self.mean_field, self._options)
        self.mean_field.kernel()
        reference = outcome_of(self.mean_field, time.perf_counter() - started)
        if not reference.converged:
            return reference
        started = time.perf_counter()
        frozen = self._frozen()
        correlation = mp.DFMP2(
            self.mean_field,
            frozen,
            self._fitting_set,
            memory=self._options.memory_or_default,
            scratch=self._options.scratch or None,
            kohn_sham=True,
            group=self.mean_field.group,
        ).run()
        assert correlation.e_corr_os is not None
        assert correlation.e_corr_ss is not None
        parts = {
            "opposite spins": self._opposite * correlation.e_corr_os,
            "same spin": self._same * correlation.e_corr_ss,
        }
        components = {**reference.components, **parts}
        return Outcome(
            converged=True,
            energy=sum(components.values()),
            components=components,
            seconds={**reference.seconds, "correlation": time.perf_counter() - started},
            within=reference.within,
            facts={
                **reference.facts,
                "reference_energy": reference.energy,
                "correlation_energy": sum(parts.values()),
                "frozen_orbitals": frozen,
            },
        )

    def gradients(self) -> Gradients:
        """Give what computes the gradient; InputError for double hybrids."""
        if self.method not in SCALED:
            raise InputError(f"method '{self.method}' has no gradient here")
        return SecondOrderGradients(
            self.mean_field,
            self._frozen(),
            self._fitting_set,
            memory=self._options.memory_or_default,
            opposite=self._opposite,
            same=self._same,
        )

    def _frozen(self) -> int:
        return pyscf_wheel.core_orbitals(self.mean_field.mol) if self._options.frozen_core else 0

    def needs(self, group: atoll.Group) -> Needs:
        """Estimate the three-index integrals."""
        mole, spins = self.mean_field.mol, self.mean_field.spins
        n = int(mole.nao_nr())
        x = self.fits[-1].functions
        counts = [int(count) for count in mole.nelec][:spins]
        tensor = 8.0 * x * sum(count * (n - count) for count in counts)
        work = x * (counts[0] * (n - counts[0])) ** 2
        return Needs(
            (f"tensor of {readable(tensor)} over all ranks", f"{work:.2e} operations"),
            tensor if tensor / group.size > self._options.memory_or_default else 0.0,
        )

    def properties(self) -> dict[str, Any]:
        """Give those of the mean field, and say so. Collective."""
        return {"density": UNCORRELATED, **properties_of(self.mean_field)}

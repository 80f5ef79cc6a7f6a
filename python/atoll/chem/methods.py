"""Methods by name: what `--method` takes, and how each is computed.

A method is one class here. The command line, restarts and the report ask nothing but what
`Calculation` and `Outcome` promise.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from atoll.chem import dft, mp, mrci, scf
from atoll.chem.correlation.multireference.reference import make_reference
from atoll.chem.correlation.multireference.space import count_determinants
from atoll.chem.df import DF
from atoll.chem.exchange_correlation.functional import Functional
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError
from atoll.chem.molecules.options import active_space

if TYPE_CHECKING:
    import atoll
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.mean_field import MeanField


@dataclass(frozen=True)
class Outcome:
    """What a calculation ends with, equal on every rank. Energies in hartree, times in seconds."""

    converged: bool
    energy: float
    components: dict[str, float]
    """Parts of the energy, by name; they add up to it."""
    seconds: dict[str, float]
    """What the time went to, by name."""
    within: dict[str, dict[str, float]] = field(default_factory=dict)
    """What of these times went to waiting, moving and so on; means of the ranks."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What else is to be told, by name."""


class Calculation(Protocol):
    """A method for a molecule, ready to run."""

    correlated: bool
    """Whether orbitals of a mean field are correlated."""
    title: str
    """For people: "Restricted Hartree-Fock, direct"."""
    method: str
    """The method's short name, for files."""
    mean_field: MeanField

    def run(self) -> Outcome:
        """Compute. Collective."""


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


def calculation(mol: Any, options: Options, group: atoll.Group) -> Calculation:
    """Make the calculation of a method. Collective.

    Raises InputError for a method that is unknown, or an option that it would ignore.
    """
    name = options.method.lower()
    fitted = name in SCALED or name in DOUBLE_HYBRIDS
    _refuse_what_would_be_ignored(options, mol, fitted or name == "mrci", fitted)
    if name in SCALED:
        return SecondOrder(_hartree_fock(mol, options, group), options, name, *SCALED[name])
    if name in DOUBLE_HYBRIDS:
        hybrid = DOUBLE_HYBRIDS[name]
        mean_field = _kohn_sham(mol, hybrid.functional, options, group)
        return SecondOrder(mean_field, options, name, hybrid.opposite, hybrid.same)
    if name == "hf":
        return SelfConsistent(_hartree_fock(mol, options, group), options, "HF")
    if name == "mrci":
        return MultiReference(_hartree_fock(mol, options, group), options)
    if name in ("mp2", "scs-mp2"):
        raise InputError(f"method '{options.method}' is here with fitted integrals: ri-{name}")
    Functional.from_name(options.method)  # InputError or NotImplementedError
    return SelfConsistent(_kohn_sham(mol, options.method, options, group), options, options.method)


def with_gradient(calculation: Calculation) -> MeanField:
    """Give the mean field whose gradient is that of a calculation.

    Raises InputError where there is no gradient.
    """
    if calculation.correlated:
        raise InputError(f"method '{calculation.method}' has no gradient here")
    if calculation.mean_field.with_df is not None:
        raise InputError("fitted mean fields have no gradient here")
    return calculation.mean_field


def require_stability(calculation: Calculation) -> None:
    """Raise InputError unless the stability of a calculation can be found out."""
    field = calculation.mean_field
    if calculation.correlated or calculation.method != "HF" or field.with_df or field.smearing:
        raise InputError("stability is of Hartree-Fock without fitting or smearing")


class SelfConsistent:
    """Hartree-Fock or Kohn-Sham."""

    correlated = False

    def __init__(self, mean_field: MeanField, options: Options, name: str) -> None:
        self.mean_field = mean_field
        self.method = name
        self.title = _title(mean_field, options, name)

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        self.mean_field.kernel()
        return outcome_of(self.mean_field, time.perf_counter() - started)


class SecondOrder:
    """MP2, or a double hybrid, upon a mean field."""

    correlated = True

    def __init__(
        self, mean_field: MeanField, options: Options, name: str, opposite: float, same: float
    ) -> None:
        self.mean_field = mean_field
        self.method = name
        self.title = f"{name.upper()} upon {_title(mean_field, options, name)}"
        self._options, self._opposite, self._same = options, opposite, same

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        self.mean_field.kernel()
        reference = outcome_of(self.mean_field, time.perf_counter() - started)
        if not reference.converged:
            return reference
        started = time.perf_counter()
        frozen = pyscf_wheel.core_orbitals(self.mean_field.mol) if self._options.frozen_core else 0
        correlation = mp.DFMP2(
            self.mean_field,
            frozen,
            self._options.auxiliary_basis or None,
            memory=self._options.memory,
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


class MultiReference:
    """Single and double excitations from a complete active space of Hartree-Fock orbitals."""

    correlated = True
    method = "mrci"

    def __init__(self, mean_field: MeanField, options: Options) -> None:
        """Check the active space. Raises InputError for one that the molecule has not."""
        self.mean_field = mean_field
        if not options.active:
            raise InputError("method 'mrci' needs active: ELECTRONS,ORBITALS, as 6,6; 0,0 for CISD")
        if mean_field.spins != 1:
            raise InputError(
                "method 'mrci' needs orbitals that both spins share: for open shells give those of "
                "PySCF's ROHF or CASSCF to atoll.chem.mrci.MRCI"
            )
        self.active = active_space(options.active)
        self.frozen = pyscf_wheel.core_orbitals(mean_field.mol) if options.frozen_core else 0
        any_orbitals = SimpleNamespace(mol=mean_field.mol, mo_coeff=np.eye(mean_field.mol.nao_nr()))
        try:
            reference = make_reference(any_orbitals, self.active, self.frozen)
        except ValueError as error:
            raise InputError(str(error)) from None
        self.determinants = count_determinants(reference.orbitals, reference.electrons)
        if options.roots > self.determinants:
            raise InputError(f"roots is {options.roots}, there are {self.determinants} states")
        self.title = f"MRCI ({options.active}) upon {_title(mean_field, options, 'HF')}"
        self._options = options

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        self.mean_field.kernel()
        reference = outcome_of(self.mean_field, time.perf_counter() - started)
        if not reference.converged:
            return reference
        started = time.perf_counter()
        options = self._options
        states = mrci.MRCI(
            self.mean_field,
            self.active,
            options.roots,
            self.frozen,
            memory=options.memory,
            scratch=options.scratch or None,
            conv_tol=options.convergence,
            max_cycle=options.max_iterations,
            group=self.mean_field.group,
        ).run()
        energy = float(np.atleast_1d(states.e_tot)[0])
        components = {**reference.components, "correlation": energy - reference.energy}
        facts = {
            **reference.facts,
            "reference_energy": reference.energy,
            "correlation_energy": energy - reference.energy,
            "frozen_orbitals": self.frozen,
            "determinants": states.determinants,
            "states": states.summary(),
        }
        for number, state in enumerate(states.summary(), 1):
            facts[f"state {number}"] = (
                f"{state['energy']:23.12f} hartree, multiplicity {state['multiplicity']:.3f}, "
                f"reference {state['reference_weight']:.3f}, +Q {state['energy_q']:.8f}"
            )
        seconds = {**reference.seconds, "configurations": time.perf_counter() - started}
        return Outcome(states.converged, energy, components, seconds, reference.within, facts)


def outcome_of(mean_field: MeanField, seconds: float) -> Outcome:
    """Give the outcome of a mean field that has been computed in so many seconds."""
    solution = mean_field.solution
    assert solution is not None
    builds = [iteration.effective for iteration in solution.iterations]
    two_electron = sum(build.statistics.seconds for build in builds)
    xc = sum(build.xc_seconds for build in builds)
    spent = {"Fock builds": two_electron}
    within = {"Fock builds": _seconds_in([build.statistics.details for build in builds])}
    if xc > 0.0:
        spent["exchange-correlation"] = xc
        details = [build.xc.details for build in builds if build.xc is not None]
        within["exchange-correlation"] = _totals(details)
    spent["linear algebra, setup"] = seconds - two_electron - xc
    components = dict(solution.effective.components)
    if solution.entropy:
        components["entropy"] = -solution.entropy
    facts = _stored(solution.effective.statistics.details)
    return Outcome(mean_field.converged, mean_field.e_tot, components, spent, within, facts)


def _seconds_in(details: list[dict[str, float]]) -> dict[str, float]:
    totals = _totals(details)
    return {
        name.removeprefix("seconds "): value
        for name, value in totals.items()
        if name.startswith("seconds ")
    }


def _totals(details: list[dict[str, float]]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for each in details:
        for name, value in each.items():
            totals[name] = totals.get(name, 0.0) + value
    return totals


def _stored(details: dict[str, float]) -> dict[str, Any]:
    if "bytes in memory" not in details:
        return {}
    memory, disk = details["bytes in memory"] / 1e6, details.get("bytes on disk", 0.0) / 1e6
    return {"stored integrals": f"{memory:.1f} MB in memory, {disk:.1f} MB on disk, of all ranks"}


def _refuse_what_would_be_ignored(
    options: Options, mol: Any, correlated: bool, fits_pairs: bool
) -> None:
    fitted = options.density_fitting or options.fit_coulomb
    if options.method.lower() != "mrci":
        for name in ("active", "roots"):
            if getattr(options, name) != type(options).__dataclass_fields__[name].default:
                raise InputError(f"{name} means nothing to method '{options.method}'")
    if options.frozen_core and not correlated:
        raise InputError(f"frozen-core means nothing to method '{options.method}'")
    if options.auxiliary_basis and not (fitted or fits_pairs):
        raise InputError(f"auxiliary-basis means nothing to method '{options.method}' unfitted")
    if options.density_fitting and options.fit_coulomb:
        raise InputError("density-fitting and fit-coulomb: expected one of them")
    if options.break_symmetry and int(mol.spin) > 0:
        raise InputError(f"break-symmetry means nothing to {mol.spin} unpaired electrons")
    if options.smearing and correlated:
        raise InputError(f"smearing does not go with method '{options.method}'")


def _hartree_fock(mol: Any, options: Options, group: atoll.Group) -> MeanField:
    for name in ("xc_arrays", "grid_level"):
        default = type(options).__dataclass_fields__[name].default
        if getattr(options, name) != default:
            raise InputError(f"{name.replace('_', '-')} means nothing to Hartree-Fock")
    if options.dispersion:
        raise InputError("dispersion means nothing to Hartree-Fock here")
    kind = scf.UHF if _is_unrestricted(mol, options) else scf.RHF
    return _configured(kind(mol, group), options)


def _kohn_sham(mol: Any, functional: str, options: Options, group: atoll.Group) -> MeanField:
    kind = dft.UKS if _is_unrestricted(mol, options) else dft.RKS
    mean_field = kind(mol, functional, group)
    mean_field.grids.level = options.grid_level
    mean_field.xc_arrays = options.xc_arrays
    mean_field.disp = options.dispersion or None
    return _configured(mean_field, options)


def _is_unrestricted(mol: Any, options: Options) -> bool:
    return int(mol.spin) > 0 or options.break_symmetry


def _configured(mean_field: MeanField, options: Options) -> MeanField:
    diis: dict[str, bool | str] = {"auto": True, "none": False}
    mean_field.verbose = 0
    mean_field.conv_tol = options.convergence
    mean_field.direct_scf_tol = options.screening
    mean_field.max_cycle = options.max_iterations
    mean_field.level_shift = options.level_shift
    mean_field.damp = options.damping
    mean_field.diis = diis.get(options.diis, options.diis)
    mean_field.smearing = options.smearing
    mean_field.init_guess = options.guess
    if isinstance(mean_field, scf.UHF):
        mean_field.init_guess_breaksym = options.break_symmetry
    mean_field.chkfile = options.chkfile or None
    mean_field.restart_from = options.restart or None
    mean_field.integral_storage = options.integrals
    mean_field.scratch = options.scratch or None
    mean_field.memory = options.memory
    mean_field.disk_quota = options.disk_quota or None
    if not (options.density_fitting or options.fit_coulomb):
        return mean_field
    exact = mean_field.exact_exchange().full != 0.0
    if options.integrals != "direct" and (options.density_fitting or not exact):
        raise InputError(f"integrals is '{options.integrals}', which fitting has no use for")
    fit = DF(
        mean_field.mol, options.auxiliary_basis or None, options.memory, options.scratch or None
    )
    return mean_field.density_fit(with_df=fit, only_dfj=options.fit_coulomb)


def _title(mean_field: MeanField, options: Options, name: str) -> str:
    spins = "Restricted" if mean_field.spins == 1 else "Unrestricted"
    kind = f"Kohn-Sham, {name}" if isinstance(mean_field, (dft.RKS, dft.UKS)) else "Hartree-Fock"
    if options.fit_coulomb:
        return f"{spins} {kind}, Coulomb matrix fitted"
    if options.density_fitting:
        return f"{spins} {kind}, fitted"
    ways = {"direct": "direct", "disk": "all integrals stored", "auto": "semi-direct"}
    return f"{spins} {kind}, {ways[options.integrals]}"

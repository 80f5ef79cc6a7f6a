"""Methods by name: what `--method` takes, and how each is computed.

A method is one class here. The command line, restarts and the report ask nothing but what
`Calculation` and `Outcome` promise.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from atoll.chem import cc, dft, mp, scf
from atoll.chem.correlation.coupled_cluster.storage import storage
from atoll.chem.df import DF
from atoll.chem.exchange_correlation.functional import Functional
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError
from atoll.chem.properties.given_density import GivenDensity
from atoll.chem.properties.summary import properties_of
from atoll.chem.results.report import Reporter

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


@dataclass(frozen=True)
class Needs:
    """What a correlated method would take beside its mean field."""

    lines: tuple[str, ...] = ()
    """For people."""
    disk: float = 0.0
    """Bytes over all ranks."""


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

    def needs(self, group: atoll.Group) -> Needs:
        """Estimate what correlation takes. Not collective."""

    def properties(self) -> dict[str, Any] | None:
        """Give moments and charges by name, of what `run` has come to. Collective.

        `density` says of what density, where it is not plain; None: there is no result.
        """


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


COUPLED_CLUSTER = ("ccsd",)
AMPLITUDES = ".amplitudes"
"""What is added to a checkpoint's name for the folder of coupled cluster's."""


def calculation(mol: Any, options: Options, group: atoll.Group) -> Calculation:
    """Make the calculation of a method. Collective.

    Raises InputError for a method that is unknown, or an option that it would ignore.
    """
    name = options.method.lower()
    fits = name in SCALED or name in DOUBLE_HYBRIDS
    _refuse_what_would_be_ignored(options, mol, fits, fits or name in COUPLED_CLUSTER)
    if name in COUPLED_CLUSTER:
        _refuse_for_coupled_cluster(options, mol)
        return CoupledCluster(_hartree_fock(mol, options, group), options, name)
    if name in SCALED:
        return SecondOrder(_hartree_fock(mol, options, group), options, name, *SCALED[name])
    if name in DOUBLE_HYBRIDS:
        hybrid = DOUBLE_HYBRIDS[name]
        mean_field = _kohn_sham(mol, hybrid.functional, options, group)
        return SecondOrder(mean_field, options, name, hybrid.opposite, hybrid.same)
    if name == "hf":
        return SelfConsistent(_hartree_fock(mol, options, group), options, "HF")
    if name == "ccsd(t)":
        raise InputError(f"method '{options.method}' is not here yet: ccsd")
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


def require_density_on_grid(calculation: Calculation) -> None:
    """Raise InputError unless the density of a calculation can be had on a grid."""
    if calculation.method in COUPLED_CLUSTER:
        raise InputError(
            f"cube-of 'density' is not here for method '{calculation.method}': expected homo, "
            "lumo or an orbital's number"
        )


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

    def needs(self, group: atoll.Group) -> Needs:  # noqa: ARG002
        """There is no correlation."""
        return Needs()

    def properties(self) -> dict[str, Any]:
        """Give those of the mean field. Collective."""
        return properties_of(self.mean_field)


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

    def needs(self, group: atoll.Group) -> Needs:
        """Estimate the three-index integrals."""
        mole, spins = self.mean_field.mol, self.mean_field.spins
        n = int(mole.nao_nr())
        x = pyscf_wheel.fitting_functions(mole, self._options.auxiliary_basis or None).nao_nr()
        counts = [int(count) for count in mole.nelec][:spins]
        tensor = 8.0 * x * sum(count * (n - count) for count in counts)
        work = x * (counts[0] * (n - counts[0])) ** 2
        return Needs(
            (f"tensor of {readable(tensor)} over all ranks", f"{work:.2e} operations"),
            tensor if tensor / group.size > self._options.memory else 0.0,
        )

    def properties(self) -> dict[str, Any]:
        """Give those of the mean field, and say so. Collective."""
        return {"density": "of the mean field, uncorrelated", **properties_of(self.mean_field)}


class CoupledCluster:
    """Closed-shell coupled cluster upon Hartree-Fock."""

    correlated = True

    def __init__(self, mean_field: MeanField, options: Options, name: str) -> None:
        self.mean_field = mean_field
        self.method = name
        self.title = f"{name.upper()} upon {_title(mean_field, options, name)}"
        self._options = options
        self._computed: cc.CCSD | None = None

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        self.mean_field.kernel()
        reference = outcome_of(self.mean_field, time.perf_counter() - started)
        if not reference.converged:
            return reference
        correlation = self._computed = self._configured()
        try:
            correlation.kernel()
        finally:
            correlation.close()
        assert correlation.e_corr is not None
        components = {**reference.components, "CCSD correlation": correlation.e_corr}
        count = len(correlation.iterations)
        t1, d1 = correlation.t1_diagnostic, correlation.d1_diagnostic
        word = "converged in" if correlation.converged else "NOT CONVERGED after"
        return Outcome(
            converged=correlation.converged,
            energy=sum(components.values()),
            components=components,
            seconds={
                **reference.seconds,
                "integrals of orbitals": correlation.seconds["integrals"],
                "amplitudes": correlation.seconds["iterations"],
            },
            within=reference.within,
            facts={
                **reference.facts,
                "amplitudes": f"{word} {count} iterations; T1 {t1:.4f}, D1 {d1:.4f}",
                "reference_energy": reference.energy,
                "correlation_energy": correlation.e_corr,
                "frozen_orbitals": correlation.frozen,
                "amplitude_iterations": count,
                "t1_diagnostic": t1,
                "d1_diagnostic": d1,
            },
        )

    def needs(self, group: atoll.Group) -> Needs:
        """Estimate amplitudes and integrals."""
        mole = self.mean_field.mol
        occupied = int(mole.nelec[0])
        virtual = int(mole.nao_nr()) - occupied
        occupied -= self._frozen()
        found = storage(group, occupied, virtual, cc.DIIS_SPACE, self._options.memory)
        disk = found.ladder * found.ladder_on_disk + found.diis * found.diis_on_disk
        held = found.fixed + found.ladder + found.diis - disk
        work = occupied**2 * virtual**4 / 2 + 8 * (occupied * virtual) ** 3
        return Needs(
            (
                f"{occupied} occupied and {virtual} virtual orbitals",
                f"{readable(held)} of memory a rank",
                f"{work:.2e} operations an iteration",
            ),
            float(disk * group.size),
        )

    def properties(self) -> dict[str, Any] | None:
        """Give those of the correlated density, after solving for the multipliers. Collective."""
        correlation = self._computed
        if correlation is None:
            return None
        try:
            density = correlation.make_rdm1()
        finally:
            correlation.close()
        over_functions = correlation.make_rdm1(ao_repr=True)
        given = GivenDensity(self.mean_field.mol, over_functions, self.mean_field.group)
        return {
            "density": "of CCSD, orbitals not relaxed",
            "converged_lambda": correlation.converged_lambda,
            "natural_occupations": np.linalg.eigvalsh(density)[::-1].tolist(),
            **properties_of(given),
        }

    def _frozen(self) -> int:
        return pyscf_wheel.core_orbitals(self.mean_field.mol) if self._options.frozen_core else 0

    def _configured(self) -> cc.CCSD:
        options = self._options
        correlation = cc.CCSD(
            self.mean_field,
            self._frozen(),
            memory=options.memory,
            scratch=options.scratch or None,
            group=self.mean_field.group,
        )
        correlation.verbose = 0
        correlation.conv_tol = options.convergence
        correlation.conv_tol_normt = 1e3 * options.convergence
        correlation.max_cycle = options.max_iterations
        if options.chkfile:
            correlation.checkpoint = options.chkfile + AMPLITUDES
        if options.restart:
            folder = options.restart + AMPLITUDES
            there = self.mean_field.group.broadcast(float(os.path.isdir(folder)))
            correlation.restart_from = folder if there else None
        if isinstance(self.mean_field.observer, Reporter):
            correlation.observer = self.mean_field.observer.amplitudes
        return correlation


def readable(count: float) -> str:
    """Give a number of bytes with three digits and a unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


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


def _refuse_for_coupled_cluster(options: Options, mol: Any) -> None:
    if _is_unrestricted(mol, options):
        unpaired = int(mol.spin) or "broken symmetry and no"
        raise InputError(
            f"method '{options.method}' is here for closed shells: {unpaired} unpaired electrons"
        )
    for name in ("density_fitting", "fit_coulomb"):
        if getattr(options, name):
            raise InputError(f"{name.replace('_', '-')} does not go with method '{options.method}'")


def _refuse_what_would_be_ignored(options: Options, mol: Any, fits: bool, correlated: bool) -> None:
    fitted = options.density_fitting or options.fit_coulomb
    if options.frozen_core and not correlated:
        raise InputError(f"frozen-core means nothing to method '{options.method}'")
    if options.auxiliary_basis and not (fitted or fits):
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

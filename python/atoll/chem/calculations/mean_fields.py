"""Hartree-Fock and Kohn-Sham, set up from options."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from atoll.chem import dft, scf
from atoll.chem.calculations import fits, restarts
from atoll.chem.calculations.calculation import Needs, Outcome
from atoll.chem.df import DF
from atoll.chem.properties.summary import properties_of
from atoll.chem.self_consistency.cycle import BUILDS
from atoll.chem.self_consistency.unconverged import unconverged

if TYPE_CHECKING:
    import atoll
    from atoll.chem.grad import Gradients
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.cycle import Solution
    from atoll.chem.self_consistency.mean_field import MeanField


class SelfConsistent:
    """Hartree-Fock or Kohn-Sham."""

    correlated = False

    def __init__(self, mean_field: MeanField, options: Options, name: str) -> None:
        self.mean_field = mean_field
        self.method = name
        self.title = title_of(mean_field, options, name)
        self._options = options
        self.fits = fits.fits_of(mean_field, options)

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        restarts.go_on(self.mean_field, self._options)
        self.mean_field.kernel()
        return outcome_of(self.mean_field, time.perf_counter() - started)

    def gradients(self) -> Gradients:
        """Give what computes the gradient."""
        return self.mean_field.nuc_grad_method()

    def needs(self, group: atoll.Group) -> Needs:  # noqa: ARG002
        """There is no correlation."""
        return Needs()

    def properties(self) -> dict[str, Any]:
        """Give those of the mean field. Collective."""
        return properties_of(self.mean_field)


def outcome_of(mean_field: MeanField, seconds: float) -> Outcome:
    """Give the outcome of a mean field that has been computed in so many seconds."""
    solution = mean_field.solution
    assert solution is not None
    builds = [iteration.effective for iteration in solution.iterations]
    two_electron = sum(build.statistics.seconds for build in builds)
    xc = sum(build.xc_seconds for build in builds)
    spent = _before_and_between(solution)
    rest = seconds - sum(spent.values()) - two_electron - xc
    spent["Fock builds"] = two_electron
    within = {"Fock builds": _seconds_in([build.statistics.details for build in builds])}
    if xc > 0.0:
        spent["exchange-correlation"] = xc
        details = [build.xc.details for build in builds if build.xc is not None]
        within["exchange-correlation"] = _totals(details)
    spent["other"] = max(0.0, rest)
    components = dict(solution.effective.components)
    if solution.entropy:
        components["entropy"] = -solution.entropy
    facts = _stored(solution.effective.statistics.details)
    left = unconverged(mean_field)
    return Outcome(mean_field.converged, mean_field.e_free, components, spent, within, facts, left)


def _before_and_between(solution: Solution) -> dict[str, float]:
    """Give the seconds that went to other things than builds, by name."""
    return {
        name: spent
        for name, spent in solution.seconds.items()
        if name not in (BUILDS, "other") and spent > 0.0
    }


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


def hartree_fock(mol: Any, options: Options, group: atoll.Group, shared: bool = False) -> MeanField:
    """Make Hartree-Fock with the options; with `shared` both spins have the same orbitals.

    Collective.
    """
    open_shells = scf.ROHF if shared else scf.UHF
    kind = open_shells if is_unrestricted(mol, options) else scf.RHF
    return _configured(kind(mol, group), options)


def kohn_sham(
    mol: Any, functional: str, options: Options, group: atoll.Group, dispersion: str = ""
) -> MeanField:
    """Make Kohn-Sham with the options. Collective.

    `dispersion` is the correction, as `dft.RKS.disp`; empty: what the functional's name says.
    """
    kind = dft.UKS if is_unrestricted(mol, options) else dft.RKS
    mean_field = kind(mol, functional, group)
    mean_field.grids.level = options.grid_level
    mean_field.xc_arrays = options.xc_arrays
    mean_field.disp = False if dispersion == "none" else dispersion or None
    mean_field.correction()  # who asks for one that is not there is told before the work
    return _configured(mean_field, options)


def is_unrestricted(mol: Any, options: Options) -> bool:
    """Whether each spin has orbitals of its own."""
    return int(mol.spin) > 0 or options.break_symmetry


def _configured(mean_field: MeanField, options: Options) -> MeanField:
    diis: dict[str, bool | str] = {"auto": True, "none": False}
    mean_field.verbose = 0
    mean_field.conv_tol = options.convergence
    mean_field.direct_scf_tol = options.screening
    mean_field.max_cycle = options.max_iterations - 1  # beside the first
    mean_field.level_shift = options.level_shift
    mean_field.damp = options.damping
    mean_field.diis = diis.get(options.diis, options.diis)
    mean_field.smearing = options.smearing
    mean_field.init_guess = options.guess
    if isinstance(mean_field, scf.UHF):
        mean_field.init_guess_breaksym = "atom" if options.break_symmetry else False
    mean_field.chkfile = options.chkfile or None
    mean_field.restart_from = options.restart or None
    mean_field.integral_storage = options.integrals
    mean_field.scratch = options.scratch or None
    mean_field.memory = options.memory or None
    mean_field.disk_quota = options.disk_quota or None
    if not (options.density_fitting or options.fit_coulomb):
        return mean_field
    chosen = fits.chosen(mean_field.mol, options.auxiliary_basis)
    if chosen is None:
        chosen = mean_field.fitting_set()
    fit = DF(mean_field.mol, chosen, options.memory_or_default, options.scratch or None)
    return mean_field.density_fit(with_df=fit, only_dfj=options.fit_coulomb)


def title_of(mean_field: MeanField, options: Options, name: str) -> str:
    """Tell people what mean field it is."""
    spins = "Restricted" if mean_field.spins == 1 else "Unrestricted"
    if mean_field.shared:
        spins = "Restricted open-shell"
    kind = f"Kohn-Sham, {name}" if isinstance(mean_field, (dft.RKS, dft.UKS)) else "Hartree-Fock"
    if options.fit_coulomb:
        return f"{spins} {kind}, Coulomb matrix fitted"
    if options.density_fitting:
        return f"{spins} {kind}, fitted"
    ways = {
        "direct": "direct",
        "disk": "all integrals stored",
        "auto": "integrals kept where that pays",
    }
    return f"{spins} {kind}, {ways[options.integrals]}"

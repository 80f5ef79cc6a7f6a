"""Hartree-Fock and Kohn-Sham, set up from options."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from atoll.chem import dft, scf
from atoll.chem.calculations.calculation import Needs, Outcome
from atoll.chem.df import DF
from atoll.chem.molecules import InputError
from atoll.chem.properties.summary import properties_of

if TYPE_CHECKING:
    import atoll
    from atoll.chem.grad import Gradients
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.mean_field import MeanField


class SelfConsistent:
    """Hartree-Fock or Kohn-Sham."""

    correlated = False

    def __init__(self, mean_field: MeanField, options: Options, name: str) -> None:
        self.mean_field = mean_field
        self.method = name
        self.title = title_of(mean_field, options, name)

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
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


def hartree_fock(mol: Any, options: Options, group: atoll.Group, shared: bool = False) -> MeanField:
    """Make Hartree-Fock with the options; with `shared` both spins have the same orbitals.

    Collective.
    """
    for name in ("xc_arrays", "grid_level"):
        default = type(options).__dataclass_fields__[name].default
        if getattr(options, name) != default:
            raise InputError(f"{name.replace('_', '-')} means nothing to Hartree-Fock")
    if options.dispersion:
        raise InputError("dispersion means nothing to Hartree-Fock here")
    if shared and options.break_symmetry:
        raise InputError(f"break-symmetry means nothing to method '{options.method}'")
    open_shells = scf.ROHF if shared else scf.UHF
    kind = open_shells if is_unrestricted(mol, options) else scf.RHF
    return _configured(kind(mol, group), options)


def kohn_sham(mol: Any, functional: str, options: Options, group: atoll.Group) -> MeanField:
    """Make Kohn-Sham with the options. Collective."""
    kind = dft.UKS if is_unrestricted(mol, options) else dft.RKS
    mean_field = kind(mol, functional, group)
    mean_field.grids.level = options.grid_level
    mean_field.xc_arrays = options.xc_arrays
    mean_field.disp = options.dispersion or None
    return _configured(mean_field, options)


def is_unrestricted(mol: Any, options: Options) -> bool:
    """Whether each spin has orbitals of its own."""
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
    mean_field.memory = options.memory or None
    mean_field.disk_quota = options.disk_quota or None
    if not (options.density_fitting or options.fit_coulomb):
        return mean_field
    exact = mean_field.exact_exchange().full != 0.0
    if options.integrals != "auto" and (options.density_fitting or not exact):
        raise InputError(f"integrals is '{options.integrals}', which fitting has no use for")
    fit = DF(
        mean_field.mol,
        options.auxiliary_basis or None,
        options.memory_or_default,
        options.scratch or None,
    )
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

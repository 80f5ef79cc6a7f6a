"""Functions of PySCF's modules that take a mean field, or another object of a calculation."""

from __future__ import annotations

from typing import Any

OBJECTS = frozenset({
    "mf", "mf_obj", "myhf", "method", "mycc", "mp", "cc", "mc", "scf_method", "mf_grad", "mp_grad",
    "grad_method", "casscf", "mygrad", "td_grad", "self",
})  # fmt: skip
"""What PySCF calls the first parameter of functions that take such an object."""
METHODS = {
    "convert_to_uhf": "to_uhf",
    "convert_to_rhf": "to_rhf",
    "rhf_stability": "stability",
    "uhf_stability": "stability",
}
"""Functions whose methods have other names."""
NO_METHODS = frozenset({"kernel", "energy", "smearing_"})
"""Functions that do something else than the method of their name."""


def run_mean_field(
    mf: Any, conv_tol: float = 1e-10, conv_tol_grad: float | None = None, dump_chk: bool = True,
    dm0: Any = None, callback: Any = None, conv_check: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Compute a mean field as `scf.hf.kernel`: converged, energy, levels, orbitals, filling.

    The mean field itself is left as it was. Collective.
    """
    del conv_check
    calculation = mf.copy()
    if not dump_chk:
        calculation.chkfile = None
    if callback is not None:
        calculation.callback = callback
    calculation.conv_tol, calculation.conv_tol_grad = conv_tol, conv_tol_grad
    energy = calculation.kernel(dm0)
    levels, orbitals = calculation.mo_energy, calculation.mo_coeff
    return calculation.converged, energy, levels, orbitals, calculation.mo_occ


def smear(mf: Any, *args: Any, **kwargs: Any) -> Any:
    """Smear a mean field itself, as `scf.addons.smearing_`; give it."""
    smeared = mf.smearing(*args, **kwargs)
    mf.smearing, mf.fix_spin = float(smeared.smearing), smeared.fix_spin
    return mf


def triples(mycc: Any, eris: Any = None, t1: Any = None, t2: Any = None, **options: Any) -> Any:
    """Give the energy of connected triples, as `cc.ccsd_t.kernel`. Collective."""
    del options
    return mycc.ccsd_t(t1, t2, eris)


OURS: dict[str, Any] = {
    "scf.hf.kernel": run_mean_field,
    "scf.addons.smearing_": smear,
    "scf.smearing.smearing_": smear,
    "cc.ccsd_t.kernel": triples,
    "cc.uccsd_t.kernel": triples,
}
"""By their paths."""

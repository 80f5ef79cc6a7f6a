"""The methods by name, and which option each of them uses. Loads no PySCF, so that help is quick.

What an option means is told by `atoll.chem.molecules.options`. One that was asked for, and that the
method has no use for with the other options as they are, is refused by name: `refusal`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll.chem.molecules.options import Options


class Kind(Enum):
    """What is computed."""

    HARTREE_FOCK = "Hartree-Fock"
    KOHN_SHAM = "a density functional"
    SECOND_ORDER = "RI-MP2"
    DOUBLE_HYBRID = "a double hybrid"
    COUPLED_CLUSTER = "coupled cluster"
    MULTIREFERENCE = "multireference configuration interaction"


@dataclass(frozen=True)
class Method:
    """A method that `--method` names."""

    kind: Kind
    gradient: bool = False
    """Whether there are derivatives by the positions of atoms."""


METHODS = {
    "hf": Method(Kind.HARTREE_FOCK, gradient=True),
    "ri-mp2": Method(Kind.SECOND_ORDER, gradient=True),
    "scs-ri-mp2": Method(Kind.SECOND_ORDER, gradient=True),
    "sos-ri-mp2": Method(Kind.SECOND_ORDER, gradient=True),
    "b2plyp": Method(Kind.DOUBLE_HYBRID),
    "b2gpplyp": Method(Kind.DOUBLE_HYBRID),
    "pbe0-dh": Method(Kind.DOUBLE_HYBRID),
    "ccsd": Method(Kind.COUPLED_CLUSTER),
    "ccsd(t)": Method(Kind.COUPLED_CLUSTER),
    "mrci": Method(Kind.MULTIREFERENCE),
}
"""By name, in small letters; every other name is a functional's."""
FUNCTIONAL = Method(Kind.KOHN_SHAM, gradient=True)


def method_of(name: str) -> Method:
    """Give the method of a name."""
    return METHODS.get(name.lower(), FUNCTIONAL)


def names(with_gradient: bool) -> list[str]:
    """Give the methods for people, functionals as one of them."""
    listed = [name for name, each in METHODS.items() if each.gradient or not with_gradient]
    return [listed[0], "a functional (pbe, b3lyp, ...)", *listed[1:]]


@dataclass(frozen=True)
class Asked:
    """What is asked for, as far as it decides which options are used.

    Attributes:
        method: Of `options.method`.
        options: All of them.
        command: Of the command line: "energy", "gradient", "optimize" or "frequencies".
        spin: Unpaired electrons of the molecule.
        exchange: Whether the self-consistent field has exact exchange.
        long_range: Whether it has some of long range besides.
        integrates: Whether it has a functional that is integrated on a grid.

    """

    method: Method
    options: Options
    command: str = "energy"
    spin: int = 0
    exchange: bool = True
    long_range: bool = False
    integrates: bool = False

    @property
    def fitted(self) -> bool:
        """Whether integrals of the self-consistent field are fitted, all or some."""
        return self.options.density_fitting or self.options.fit_coulomb

    @property
    def four_centre(self) -> bool:
        """Whether it has integrals of four functions, which may be stored."""
        return not self.fitted or (self.options.fit_coulomb and self.exchange)

    @property
    def stored(self) -> bool:
        """Whether these are."""
        return self.four_centre and self.options.integrals != "direct"


@dataclass(frozen=True)
class Use:
    """Who uses an option.

    Attributes:
        kinds: Of the methods that may.
        unless: Why one of them does not, with the other options as they are; empty: it does.
        others: What it is to methods of other kinds.

    """

    kinds: frozenset[Kind] = frozenset(Kind)
    unless: Callable[[Asked], str] = lambda asked: ""  # noqa: ARG005
    others: str = "means nothing to"

    def refusal(self, asked: Asked) -> str:
        """Say why the option is of no use, after its name; empty: it is used."""
        if asked.method.kind not in self.kinds:
            return f"{self.others} method '{asked.options.method}'"
        return self.unless(asked)


def _nothing(asked: Asked, more: str) -> str:
    return f"means nothing to method '{asked.options.method}'{more}"


def _one_fit(asked: Asked) -> str:
    return "and fit-coulomb: expected one of them" if asked.options.fit_coulomb else ""


def _auxiliary_basis(asked: Asked) -> str:
    if asked.fitted:
        return ""
    if asked.method.kind not in _FIT_PAIRS:
        return _nothing(asked, " unfitted")
    own = asked.options.correlation_auxiliary_basis
    return "means nothing beside correlation-auxiliary-basis unfitted" if own else ""


def _integrals(asked: Asked) -> str:
    if asked.four_centre:
        return ""
    computed = asked.options.fit_coulomb and asked.long_range  # by patches, each time anew
    which = "which keeps none" if computed else "whose integrals are all fitted"
    return _nothing(asked, f", {which}")


def _ladder(asked: Asked) -> str:
    direct = asked.options.ladder == "direct" and asked.options.density_fitting
    return "'direct' does not go with density-fitting" if direct else ""


def _memory(asked: Asked) -> str:
    mean_field = asked.method.kind in (Kind.HARTREE_FOCK, Kind.KOHN_SHAM)
    if asked.stored or asked.fitted or not mean_field:
        return ""
    return _nothing(asked, " with integrals 'direct'")


def _scratch(asked: Asked) -> str:
    # The gradient of RI-MP2 keeps its tensors in memory; there is no energy by itself between.
    if asked.command == "optimize" and not (asked.stored or asked.fitted):
        return _nothing(asked, " of optimize with integrals 'direct'")
    return _memory(asked)


def _disk_quota(asked: Asked) -> str:
    if asked.stored:
        return ""
    return _nothing(asked, " with integrals 'direct'") if asked.four_centre else _integrals(asked)


def _grid(asked: Asked) -> str:
    return "" if asked.integrates else _nothing(asked, ", which has nothing to integrate")


def _screening(asked: Asked) -> str:
    used = asked.four_centre or (asked.options.fit_coulomb and asked.long_range)
    return "" if used else _integrals(asked)


def _guess(asked: Asked) -> str:
    return "means nothing beside restart" if asked.options.restart else ""


def _break_symmetry(asked: Asked) -> str:
    return f"means nothing to {asked.spin} unpaired electrons" if asked.spin > 0 else ""


def _checkpoint_interval(asked: Asked) -> str:
    if asked.options.method.lower() != "ccsd(t)":
        return _nothing(asked, "")
    return "" if asked.options.chkfile else "means nothing without chkfile"


_ALL = frozenset(Kind)
_MEAN_FIELDS = frozenset({Kind.HARTREE_FOCK, Kind.KOHN_SHAM})
_FUNCTIONALS = frozenset({Kind.KOHN_SHAM, Kind.DOUBLE_HYBRID})
_MULTIREFERENCE = frozenset({Kind.MULTIREFERENCE})
_COUPLED_CLUSTER = frozenset({Kind.COUPLED_CLUSTER})
_FIT_PAIRS = frozenset({Kind.SECOND_ORDER, Kind.DOUBLE_HYBRID})
_NOT = "does not go with"
USES: dict[str, Use] = {
    "method": Use(),
    "basis": Use(),
    "core_potential": Use(),
    "unit": Use(),
    "ghost": Use(),
    "charge": Use(),
    "spin": Use(),
    "active": Use(_MULTIREFERENCE),
    "roots": Use(_MULTIREFERENCE),
    "frozen_core": Use(_ALL - _MEAN_FIELDS),
    "density_fitting": Use(_ALL - _MULTIREFERENCE, _one_fit, _NOT),
    "fit_coulomb": Use(_ALL - _MULTIREFERENCE - _COUPLED_CLUSTER, others=_NOT),
    "auxiliary_basis": Use(_ALL - _MULTIREFERENCE, _auxiliary_basis),
    "correlation_auxiliary_basis": Use(_FIT_PAIRS),
    "integrals": Use(_ALL, _integrals),
    "ladder": Use(_COUPLED_CLUSTER, _ladder),
    "scratch": Use(_ALL, _scratch),
    "memory": Use(_ALL, _memory),
    "disk_quota": Use(_ALL, _disk_quota),
    "xc_arrays": Use(_FUNCTIONALS, _grid),
    "grid_level": Use(_FUNCTIONALS, _grid),
    "dispersion": Use(_FUNCTIONALS),
    "convergence": Use(),
    "screening": Use(_ALL, _screening),
    "max_iterations": Use(),
    "level_shift": Use(),
    "damping": Use(),
    "diis": Use(),
    "smearing": Use(_MEAN_FIELDS, others=_NOT),
    "guess": Use(_ALL, _guess),
    "break_symmetry": Use(_ALL - _MULTIREFERENCE, _break_symmetry),
    "chkfile": Use(),
    "checkpoint_interval": Use(_COUPLED_CLUSTER, _checkpoint_interval),
    "restart": Use(),
    "time_limit": Use(),
}
"""Of each option who uses it."""


def refusal(asked: Asked) -> str:
    """Name the first option that was asked for and is not used, and say why; empty: there is none.

    Asked for is what was given, though it be the default: `Options.asks_for`.
    """
    for name, use in USES.items():
        why = use.refusal(asked) if asked.options.asks_for(name) else ""
        if why:
            return f"{name.replace('_', '-')} {why}"
    return ""


def refusal_of_gradient(asked: Asked) -> str:
    """Say that a command needs a gradient and the method has none; empty: all is well."""
    if asked.command == "energy" or asked.method.gradient:
        return ""
    return (
        f"method '{asked.options.method}' has no gradient here: expected "
        f"{', '.join(names(with_gradient=True))}"
    )


def used_by_some(name: str, with_gradient: bool) -> bool:
    """Tell whether an option is of use to any method, or to any that has a gradient."""
    listed = [
        each for each in (*METHODS.values(), FUNCTIONAL) if each.gradient or not with_gradient
    ]
    return any(each.kind in USES[name].kinds for each in listed)

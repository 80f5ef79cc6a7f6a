"""What a mean field or a complete active space of PySCF's kind says of orbitals and electrons."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll.chem.correlation.multireference.space import MOST_ORBITALS, Orbitals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Active(NamedTuple):
    """Electrons of each spin in so many active orbitals."""

    alpha: int
    beta: int
    orbitals: int


@dataclass(frozen=True, eq=False)
class Reference:
    """Orbitals, all of them, and what each is for."""

    coefficients: NDArray[np.float64]
    """Functions x orbitals."""
    frozen: NDArray[np.intp]
    """Orbitals with two electrons that are not correlated."""
    correlated: NDArray[np.intp]
    """The others that are not left out."""
    orbitals: Orbitals
    """How many of the correlated ones are inactive, active and external."""
    electrons: tuple[int, int]
    """Correlated ones of alpha and of beta spin."""

    def spaces(self) -> list[NDArray[np.intp]]:
        """Give the frozen, inactive, active and external orbitals: turned within, all is as before.

        What is left out of the external ones is none of them.
        """
        ends = np.cumsum(self.orbitals[:2])
        return [self.frozen, *np.split(self.correlated, ends)]


def restricted_orbitals(mf: Any) -> NDArray[np.float64]:
    """Give the orbitals of a mean field or an active space. TypeError if there are none to take."""
    if getattr(mf, "mo_coeff", None) is None:
        raise TypeError(f"mf is {type(mf).__name__} without mo_coeff, expected converged orbitals")
    coefficients = np.asarray(mf.mo_coeff)
    if np.iscomplexobj(coefficients):
        raise TypeError("mf.mo_coeff is complex, expected real orbitals")
    if coefficients.ndim != 2:
        raise TypeError(
            f"mf.mo_coeff has shape {coefficients.shape}, expected functions x orbitals, the same "
            "for both spins: those of RHF, ROHF, CASCI or CASSCF"
        )
    return np.ascontiguousarray(coefficients, dtype=np.float64)


def active_space(mf: Any, active: Any) -> Active:
    """Give the active electrons and orbitals, as said or as the object's own.

    ValueError, which names `active`, if the molecule has no such space.
    """
    set_ones = getattr(mf, "nelec", None)
    alpha, beta = (int(count) for count in (mf.mol.nelec if set_ones is None else set_ones))
    if active is None:
        if not hasattr(mf, "ncas"):
            raise ValueError("active is None, expected (electrons, orbitals) with a mean field")
        active = mf.nelecas, mf.ncas
    try:
        given, orbitals = active[0], operator.index(active[1])
        if np.ndim(given) == 0:
            electrons = operator.index(given)
            spin = alpha - beta
        else:
            given = [operator.index(count) for count in given]
            electrons, spin = sum(given), given[0] - given[1]
        complete = len(active) == 2
    except (TypeError, IndexError, ValueError):
        complete = False
    if not complete:
        raise ValueError(f"active is {active!r}, expected (electrons, orbitals), as (6, 6)")
    text = f"active is {_text(active)}"
    total = alpha + beta
    if not 0 <= electrons <= total or (total - electrons) % 2 != 0:
        raise ValueError(
            f"{text}: expected {total % 2} to {total} electrons, so that an even number of the "
            f"molecule's {total} is left"
        )
    if (electrons - spin) % 2 != 0 or abs(spin) > electrons:
        raise ValueError(f"{text}: {electrons} electrons cannot have {spin} unpaired ones")
    found = Active((electrons + spin) // 2, (electrons - spin) // 2, orbitals)
    if max(found.alpha, found.beta) > orbitals:
        raise ValueError(
            f"{text}: {found.alpha} + {found.beta} electrons do not fit in {orbitals} orbitals"
        )
    return found


def make_reference(mf: Any, active: Any, frozen: int | Sequence[int] | None) -> Reference:
    """Make it, with checks. ValueError, which names the argument, for what does not fit."""
    coefficients = restricted_orbitals(mf)
    space = active_space(mf, active)
    count = coefficients.shape[1]
    inactive = (sum(int(n) for n in mf.mol.nelec) - space.alpha - space.beta) // 2
    external = count - inactive - space.orbitals
    if external < 0:
        raise ValueError(
            f"active is {_text(active)}: {inactive} inactive and {space.orbitals} active orbitals, "
            f"the molecule has {count} in all"
        )
    left_out = _left_out(frozen, count)
    end = inactive + space.orbitals
    if np.any((left_out >= inactive) & (left_out < end)):
        raise ValueError(
            f"frozen is {frozen!r}, expected none of the active orbitals, {inactive} to {end - 1}"
        )
    core = left_out[left_out < inactive]
    correlated = np.setdiff1d(np.arange(count), left_out)
    if len(correlated) > MOST_ORBITALS:
        raise ValueError(
            f"frozen leaves {len(correlated)} orbitals, expected at most {MOST_ORBITALS}"
        )
    orbitals = Orbitals(inactive - len(core), space.orbitals, len(correlated) - (end - len(core)))
    pairs = orbitals.inactive
    return Reference(
        coefficients, core, correlated, orbitals, (pairs + space.alpha, pairs + space.beta)
    )


def _left_out(frozen: int | Sequence[int] | None, count: int) -> NDArray[np.intp]:
    if frozen is None or isinstance(frozen, (int, np.integer)):
        number = int(frozen or 0)
        if not 0 <= number <= count:
            raise ValueError(f"frozen is {frozen}, expected 0 to {count} orbitals")
        return np.arange(number)
    listed = np.unique(np.asarray(frozen, dtype=int))
    if listed.size > 0 and (listed[0] < 0 or listed[-1] >= count):
        raise ValueError(f"frozen is {frozen!r}, expected orbitals from 0 to {count - 1}")
    return listed.astype(np.intp)


def _text(active: Any) -> str:
    return "the active space's own" if active is None else repr(active)

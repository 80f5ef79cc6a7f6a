"""PySCF's shapes of calls of correlated methods."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.pyscf_calls.absent import refusal
from atoll.chem.pyscf_calls.configured import Configured

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from atoll.chem.correlation.orbitals import Reference


class OwnIntegrals:
    """What `ao2mo` gives: the integrals that a method computes itself, to be handed back to it.

    Nothing is stored. Its numbers are not here: asking for one of PySCF's raises NotSupportedError.
    """

    def __init__(self, method: CoupledClusterCalls) -> None:
        self._of = method
        self._frozen = copy.deepcopy(method.frozen)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refusal(f"{name} of what ao2mo gives", "integrals() gives those that there are")

    def are_of(self, method: Any) -> bool:
        """Tell whether a method's own are these: the same orbitals, the same of them frozen."""
        mine, other = self._of._reference, getattr(method, "_reference", None)
        return (
            type(method) is type(self._of)
            and _same(self._frozen, method.frozen)
            and (mine is other or _same(mine.coefficients, getattr(other, "coefficients", None)))
        )


class CorrelationCalls(Configured):
    """What objects of `cc` and `mp` have beside `kernel`, under PySCF's names."""

    mol: Any
    frozen: Any
    _reference: Reference
    _scf: Any

    @property
    def e_hf(self) -> float:
        """Energy of the mean field, hartree."""
        return self._reference.energy

    @property
    def mo_coeff(self) -> NDArray[np.float64]:
        """Orbitals of the mean field, functions x orbitals; of two spins, both."""
        c = self._reference.coefficients
        return np.asarray(c[0] if self._reference.spins == 1 else c)

    @property
    def mo_occ(self) -> NDArray[np.float64]:
        """Their electrons."""
        n = self._reference.occupations
        return np.asarray(n[0] if self._reference.spins == 1 else n)

    @property
    def nocc(self) -> Any:
        """Correlated occupied orbitals; of two spins, a pair."""
        return self._counts(occupied_only=True)

    @property
    def nmo(self) -> Any:
        """Correlated orbitals, virtual ones too; of two spins, a pair."""
        return self._counts(occupied_only=False)

    def get_nocc(self) -> Any:
        """Give `nocc`."""
        return self.nocc

    def get_nmo(self) -> Any:
        """Give `nmo`."""
        return self.nmo

    def get_frozen_mask(self) -> Any:
        """Tell of each orbital whether it is correlated; of two spins, of both."""
        spins = range(self._reference.spins)
        masks = [self._reference.active(spin, self.frozen) for spin in spins]
        return masks[0] if len(masks) == 1 else masks

    def set_frozen(self, method: str = "auto", window: Any = (-1000.0, 1000.0)) -> Self:
        """Freeze as many lowest orbitals as inner shells have ("auto"); other ways are not here."""
        if method != "auto":
            raise refusal(f"set_frozen({method!r})", "expected 'auto'")
        del window
        self.frozen = pyscf_wheel.core_orbitals(self.mol)
        return self

    def build(self) -> Self:
        """Give this object: nothing has to be made beforehand."""
        return self

    def _counts(self, *, occupied_only: bool) -> Any:
        counts = []
        for spin in range(self._reference.spins):
            kept = self._reference.active(spin, self.frozen)
            if occupied_only:
                kept = kept & (self._reference.occupations[spin] > 0)
            counts.append(int(np.count_nonzero(kept)))
        return counts[0] if len(counts) == 1 else tuple(counts)


class CoupledClusterCalls(CorrelationCalls):
    """What objects of `cc` have besides."""

    def ao2mo(self, mo_coeff: Any = None) -> OwnIntegrals:
        """Give what stands for the integrals over this method's orbitals, for its `kernel`."""
        if mo_coeff is not None and not _same(mo_coeff, self.mo_coeff):
            raise refusal("ao2mo of orbitals of one's own", "give them to the class")
        return OwnIntegrals(self)


def _same(left: Any, right: Any) -> bool:
    """Tell whether two lists of numbers, or of lists of them, are the same; or both None."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    if left is None or right is None:
        return left is right
    return bool(np.array_equal(np.asarray(left), np.asarray(right)))


def refuse_other_integrals(what: str, eris: Any, method: Any) -> None:
    """Raise for integrals that are not those which the method computes itself."""
    if eris is None or (isinstance(eris, OwnIntegrals) and eris.are_of(method)):
        return
    raise refusal(f"eris of {what}", "expected None, or what ao2mo of this method gave")


def refuse_arguments(what: str, **given: Any) -> None:
    """Raise for arguments of PySCF's that are not None and not here."""
    for name, value in given.items():
        if value is not None:
            raise refusal(f"{name} of {what}")


def refuse_half(what: str, t1: Any, t2: Any) -> None:
    """Raise for amplitudes of one kind without the other, which would not be begun with."""
    if (t1 is None) != (t2 is None):
        given, lacking = ("t1", "t2") if t2 is None else ("t2", "t1")
        raise refusal(f"{given} of {what} without {lacking}", "give both")


def as_array(values: Any, group: atoll.Group) -> atoll.Array:
    """Distribute an array that may be so already. Collective."""
    if isinstance(values, atoll.Array):
        return values
    return atoll.from_numpy(np.ascontiguousarray(values, dtype=np.float64), group=group)


def refuse_others(*pairs: tuple[Any, Any]) -> None:
    """Raise for amplitudes that are given, first of a pair, and are not those that were found."""
    if any(given is not None and given is not own for given, own in pairs):
        raise refusal("ccsd_t of amplitudes of one's own", "call kernel(t1, t2) first")

"""PySCF's `Grids` as settings: each of them is heeded, or refused."""

from __future__ import annotations

from typing import Any, ClassVar

from atoll.chem.guarded import Guarded, NotSupportedError
from atoll.chem.integrals import pyscf_grids

_SETTINGS = frozenset({
    "mol", "atom_grid", "atomic_radii", "radii_adjust", "radi_method", "becke_scheme", "prune",
    "level", "coords", "weights",
})  # fmt: skip
_COMPUTED = frozenset({"non0tab", "screen_index", "atm_idx", "quadrature_weights"})
"""What PySCF makes with the points, and throws away with them."""
_OF_OUTPUT = frozenset({"verbose", "stdout", "max_memory", "symmetry", "alignment"})
"""Changes no point: PySCF's `symmetry` has no effect, `alignment` adds points without weight."""


class Grids(Guarded, pyscf_grids.Grids):  # type: ignore[misc]  # PySCF has no types
    """The settings of a grid, and PySCF's points where `build` has made them.

    Points that are there, of `build` or one's own (`coords` in bohr, points x 3, and `weights`),
    are those that are integrated over. A changed setting throws them away, as PySCF does.
    """

    _without_effect: ClassVar[dict[str, tuple[Any, ...]]] = {
        "cutoff": (pyscf_grids.Grids.cutoff,), "output": (None,),
    }  # fmt: skip

    def __init__(self, mol: Any) -> None:
        super().__init__(mol)
        self._guard()

    def _counterpart(self) -> Any:
        return pyscf_grids.Grids

    def _require_meaning(self, name: str, value: Any) -> None:
        if name in _SETTINGS or name in _COMPUTED or name in _OF_OUTPUT:
            return
        if name not in self._without_effect and self._is_of_pyscf(name):
            raise NotSupportedError(f"{name} of grids was set, which is not supported")
        super()._require_meaning(name, value)


def checked(grids: Any) -> Any:
    """Give a `Grids` of PySCF's or ours. Raises NotSupportedError for what has more than settings.

    Points that are there have come as they may; else methods are PySCF's.
    """
    kind = type(grids)
    if not isinstance(grids, pyscf_grids.Grids) or hasattr(type(grids.mol), "lattice_vectors"):
        raise NotSupportedError(
            f"grids is {kind.__module__}.{kind.__name__}, expected Grids of pyscf.dft"
        )
    if grids.coords is None:
        known = _SETTINGS | _COMPUTED | _OF_OUTPUT
        replaced = set(vars(grids)) - known
        for each in kind.__mro__:
            if each.__module__.startswith(("pyscf.", "atoll.")):
                break
            replaced |= set(vars(each)) - known
        for name in sorted(replaced):
            if callable(getattr(pyscf_grids.Grids, name, None)) and not name.startswith("__"):
                raise NotSupportedError(f"{name} of grids was replaced, which is not supported")
    if grids.cutoff != pyscf_grids.Grids.cutoff:
        raise NotSupportedError(f"grids.cutoff is {grids.cutoff!r}, which is not supported")
    return grids


def moved_to(grids: Any, mol: Any) -> None:
    """Throw away points that `build` has made for atoms elsewhere; one's own stay."""
    if grids.coords is not None and grids.atm_idx is not None:
        grids.reset(mol)

"""Halos, for stencils, and access to an array that repeats beyond its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll import _core
from atoll._agreement import collective
from atoll._view import At

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray


class Periodic:
    """An array that repeats without end in all dimensions: what `a.periodic` gives."""

    __slots__ = ("_array",)

    def __init__(self, array: _core.ArrayBase) -> None:
        self._array = array

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._array.dtype

    def __getitem__(self, key: Any) -> Any:
        return _core.get_periodic(self._array, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _core.put_periodic(self._array, key, value)

    def accumulate(self, key: Any, value: Any, alpha: Any = None) -> None:
        """Add `alpha * value`, atomically per element; what `at` does. Not collective."""
        _core.accumulate_periodic(self._array, key, value, alpha)

    @property
    def at(self) -> At:
        """Atomic addition, as `Array.at`."""
        return At(self)


def _flags(periodic: bool | Sequence[bool]) -> list[bool]:
    return [bool(p) for p in periodic] if hasattr(periodic, "__iter__") else [bool(periodic)]


@collective
def update_halo(
    a: _core.ArrayBase,
    periodic: bool | Sequence[bool] = False,
    *,
    corners: bool = True,
    directions: Iterable[Sequence[int]] = (),
) -> None:
    """Copy into the halo of each block what lies next to it in the array. Collective.

    Sees what any rank wrote before; returns when all ranks have read.

    Args:
        a: The array.
        periodic: Whether the array goes on at its other end, for all dimensions or for each.
            Halo beyond an edge where it does not is left as it is.
        corners: False leaves out what lies diagonally from the block.
        directions: Only these parts of the halo, each with one of -1, 0 and 1 per dimension:
            `(-1, 0)` is the lower side of the first of two dimensions.

    Raises:
        ValueError: bad options, on all ranks.

    >>> import numpy as np
    >>> import atoll
    >>> a = atoll.from_numpy(np.arange(12.0), distribution=atoll.blocked(halo=1))
    >>> a.update_halo(periodic=True)
    >>> all_of_it = a.local_with_halo()  # my block and one element on either side
    >>> means = (all_of_it[:-2] + all_of_it[2:]) / 2
    >>> bool((means[1:-1] == a.local()[1:-1]).all())
    True

    """
    _core.update_halo(a, _flags(periodic), corners, directions)


@collective
def update_halo_begin(
    a: _core.ArrayBase,
    periodic: bool | Sequence[bool] = False,
    *,
    corners: bool = True,
    directions: Iterable[Sequence[int]] = (),
) -> _core.Request:
    """Start an update of the halo; `wait` of the request given completes it. Collective.

    Waiting concerns this rank alone and is not collective. Until all ranks have waited and met
    (a `sync`, or the next collective call) neighbours may still read the elements that lie next
    to their blocks: do not write those. The arguments are those of `update_halo`.
    """
    return _core.update_halo_begin(a, _flags(periodic), corners, directions)


def local_with_halo(a: _core.ArrayBase) -> NDArray[Any]:
    """Give my block with its halo around it as one writable NumPy view. Not collective.

    `local()` shows the middle of the same memory. Empty where this rank owns nothing.
    """
    return _core.local_with_halo(a)

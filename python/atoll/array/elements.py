"""Elements: reading, writing and adding to sections of an array; one-sided, never collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll._core import ArrayBase, LazyMirrorBase


class Accumulates(Protocol):
    """What `at` adds to."""

    @property
    def dtype(self) -> np.dtype[Any]: ...  # noqa: D102

    def accumulate(self, key: Any, value: Any, alpha: Any = None) -> None: ...  # noqa: D102


class Section:
    """Part of an array to add to: what `a.at[key]` gives."""

    __slots__ = ("_added", "_array", "_key")

    def __init__(self, array: Accumulates, key: Any) -> None:
        self._array = array
        self._key = key
        self._added = False

    def add(self, value: Any, alpha: Any = None) -> None:
        """Add `alpha * value` (broadcast) to the section, atomically per element.

        Not collective. Index arrays may name an element twice; then it is added to twice.
        """
        self._array.accumulate(self._key, value, alpha)

    def __iadd__(self, value: Any) -> Section:
        self._array.accumulate(self._key, value)
        self._added = True
        return self

    def __isub__(self, value: Any) -> Section:
        # Without a sign, minus one is the highest number, modulo 2^n.
        dtype = self._array.dtype
        minus_one = int(np.iinfo(dtype).max) if dtype.kind == "u" else -1
        self._array.accumulate(self._key, value, minus_one)
        self._added = True
        return self


class At:
    """Atomic addition: `a.at[key] += value`."""

    __slots__ = ("_array",)

    def __init__(self, array: Accumulates) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Section:
        return Section(self._array, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        # Python ends `a.at[key] += x` by storing what `+=` gave: the section, already added to.
        if isinstance(value, Section) and value._added and value._array is self._array:
            value._added = False
            return
        raise TypeError("at[...] is for += and -=; store with a[...] = value")


def gather(a: ArrayBase) -> NDArray[Any]:
    """Read the whole array: the same as `a[...]`. Not collective.

    >>> import atoll
    >>> atoll.arange(4).gather()
    array([0, 1, 2, 3])
    """
    whole: NDArray[Any] = a[...]
    return whole


def owner(a: ArrayBase, *position: int) -> int:
    """Give the rank (of the array's group) that owns an element. Not collective.

    >>> import atoll
    >>> atoll.zeros((4, 4)).owner(0, 0)
    0
    """
    return a.owner_of(position)


def length(a: ArrayBase | LazyMirrorBase) -> int:
    """Give the first extent, which is what `len` gives."""
    return a.shape[0]


def rows(a: ArrayBase | LazyMirrorBase) -> Iterator[Any]:
    """Give the parts of the first dimension, one after the other: what a loop runs over."""
    return (a[i] for i in range(a.shape[0]))


def truth(a: ArrayBase) -> bool:
    """Give the truth value of an array of one element."""
    if a.size == 1:
        return bool(a[(0,) * a.ndim])
    raise ValueError("the truth value of an array with more than one element is ambiguous")


def not_by_itself(*_: object, **_options: object) -> NoReturn:
    """Refuse what NumPy would do silently."""
    raise TypeError(
        "an Atoll array does not turn into a NumPy array by itself, since it may be far larger "
        "than memory; read what you need: a[...] for all of it, a[2:5], or a.local()"
    )

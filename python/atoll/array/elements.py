"""Elements of an array, as Python asks for them; never collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll._core import ArrayBase, LazyMirrorBase


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

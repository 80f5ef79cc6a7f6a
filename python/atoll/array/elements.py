"""Elements of an array, as Python asks for them; never collective."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll._core import ArrayBase, LazyMirrorBase

A = TypeVar("A", bound=_core.ArrayBase)


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
    if not a.shape:
        raise TypeError("an array without a dimension has no length")
    return a.shape[0]


def rows(a: ArrayBase | LazyMirrorBase) -> Iterator[Any]:
    """Give the parts of the first dimension, one after the other: what a loop runs over."""
    if not a.shape:
        raise TypeError("a loop over an array without a dimension has nothing to go along")
    return (a[i] for i in range(a.shape[0]))


def truth(a: ArrayBase) -> bool:
    """Give the truth value of an array of one element."""
    if a.size == 1:
        return bool(a[(0,) * a.ndim])
    raise ValueError("the truth value of an array with more than one element is ambiguous")


def item(a: ArrayBase, *position: int) -> Any:
    """Give one element as Python's number: of an array of one, or at a position. Not collective.

    >>> import atoll
    >>> atoll.arange(4).item(2)
    2
    """
    if position:
        place = position[0] if len(position) == 1 and isinstance(position[0], tuple) else position
        try:
            place = tuple(map(operator.index, place))
        except TypeError:
            raise TypeError(f"position is {position!r}, expected integers") from None
        if len(place) == 1 and a.ndim > 1:
            if not -a.size <= place[0] < a.size:
                raise IndexError(f"position is {place[0]}, out of bounds for {a.size} elements")
            place = tuple(map(int, np.unravel_index(place[0] % a.size, a.shape)))
        value = a[place]
        return value.item()
    if a.size != 1:
        raise ValueError(f"only an array of one element is a number; this has shape {a.shape}")
    return _only(a).item()


def _only(a: ArrayBase) -> Any:
    if a.size != 1:
        raise TypeError(f"only an array of one element is a number; this has shape {a.shape}")
    return a[(0,) * a.ndim]


def _only_real(a: ArrayBase) -> Any:
    if a.dtype.kind == "c":
        raise TypeError(f"an array of {a.dtype} is no real number: complex(a), or a.real")
    return _only(a)


def as_float(a: ArrayBase) -> float:
    """Give the element of an array of one. Not collective."""
    return float(_only_real(a))


def as_int(a: ArrayBase) -> int:
    """Give the element of an array of one. Not collective."""
    return int(_only_real(a))


def as_complex(a: ArrayBase) -> complex:
    """Give the element of an array of one. Not collective."""
    return complex(_only(a))


def to_list(a: ArrayBase) -> Any:
    """Read the whole array as nested lists of Python's numbers, as `gather`. Not collective.

    >>> import atoll
    >>> atoll.ones((2, 2)).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return a[...].tolist()


def to_device(a: A, device: Any, /, *, stream: Any = None) -> A:
    """Give the array itself, which is on the device "cpu", the only one.

    >>> import atoll
    >>> a = atoll.ones(2)
    >>> a.to_device("cpu") is a
    True
    """
    if device != "cpu" or stream is not None:
        raise ValueError(f"device is {device!r} and stream is {stream!r}, expected 'cpu', None")
    return a


# Attributes of NumPy's that speak of the memory of one process.
_OF_MEMORY = {
    *("base", "byteswap", "ctypes", "data", "flags", "flat", "setflags", "strides", "tobytes"),
    *("tofile", "view", "__array_interface__", "__array_struct__", "__dlpack__"),
    "__dlpack_device__",
}


def missing(a: ArrayBase, name: str) -> NoReturn:
    """Say why an attribute of NumPy's arrays is none of Atoll's."""
    if name in _OF_MEMORY:
        raise AttributeError(
            f"an Atoll array has no {name}, which is of the memory of one process: "
            f"a.local().{name} is there, of the part that this rank owns",
            name=name,
            obj=a,
        )
    raise AttributeError(f"{type(a).__name__!r} object has no attribute {name!r}", name=name, obj=a)


def not_pickled(_: object, __: object) -> NoReturn:
    """Refuse what one rank cannot do."""
    raise TypeError(
        "an Atoll array is not pickled, since no rank has all of it: atoll.checkpoint.save and "
        "atoll.disk keep arrays, a.local() gives the part that is here"
    )


def not_by_itself(*_: object, **_options: object) -> NoReturn:
    """Refuse what NumPy would do silently."""
    raise TypeError(
        "an Atoll array does not turn into a NumPy array by itself, since it may be far larger "
        "than memory; read what you need: a[...] for all of it, a[2:5], or a.local()"
    )

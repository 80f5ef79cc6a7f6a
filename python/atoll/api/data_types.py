"""Element types: converting, comparing, limits; not collective but for `astype`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._core import ArrayBase, ViewBase
from atoll._signatures import plain, shortly
from atoll.api.arguments import agree, flag, held, whole_array
from atoll.array.copies import astype as converted
from atoll.array.copies import copy as copied

if TYPE_CHECKING:
    from atoll.algebra.elementwise import Operand


@collective_over_copies
def astype(x: Operand, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Give an array with another element type, cut alike, as NumPy converts. Collective.

    Args:
        x: Array or view.
        dtype: The type.
        copy: False gives `x` itself where it has the type.
        device: None or "cpu".

    >>> import atoll
    >>> atoll.astype(atoll.arange(2), "float32")[...]
    array([0., 1.], dtype=float32)

    """
    if device not in (None, "cpu"):
        raise ValueError(f"device is {device!r}, expected 'cpu'")
    source = whole_array(x, "x")
    kind, wanted = held(dtype), flag(copy, "copy")
    agree(source, "astype", kind.str, wanted)
    if kind != source.dtype:
        return converted(source, kind)
    return copied(source) if wanted else source


@plain
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Give the type that holds what arrays, types and numbers give together, as NumPy has it.

    >>> import atoll
    >>> atoll.result_type(atoll.arange(2), 1.5)
    dtype('float64')
    """
    given = [x.dtype if isinstance(x, (ArrayBase, ViewBase)) else x for x in arrays_and_dtypes]
    try:
        return np.result_type(*given)
    except (TypeError, ValueError) as error:
        told = ", ".join(map(shortly, arrays_and_dtypes))
        raise TypeError(f"arrays_and_dtypes is {told}: {error}") from None


_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@plain
def isdtype(dtype: Any, kind: Any) -> bool:
    """Tell whether a type is another one, or of a kind, or one of several; as the array API.

    Args:
        dtype: The type.
        kind: A type; "bool", "signed integer", "unsigned integer", "integral", "real floating",
            "complex floating" or "numeric"; or a tuple of them.

    >>> import atoll
    >>> atoll.isdtype(atoll.float32, "real floating"), atoll.isdtype(atoll.int64, atoll.int32)
    (True, False)

    """
    own = _type(dtype, "dtype")
    if isinstance(kind, tuple):
        return any(isdtype(own, one) for one in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return own.kind in _KINDS[kind]
    if kind is None or isinstance(kind, str):
        raise ValueError(f"kind is {kind!r}, expected a type or one of {', '.join(_KINDS)}")
    return own == _type(kind, "kind")


def _type(dtype: Any, name: str) -> np.dtype[Any]:
    if dtype is None or isinstance(dtype, (ArrayBase, ViewBase)):
        raise TypeError(f"{name} is {shortly(dtype)}, expected an element type")
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{name} is {shortly(dtype)}, expected an element type") from None
    return kind


@plain
def finfo(type: Any, /) -> Any:  # noqa: A002  # the array API's name
    """Give the limits of a type of floating point or complex numbers, or of an array's, as NumPy.

    >>> import atoll
    >>> float(atoll.finfo(atoll.float32).eps)
    1.1920928955078125e-07
    """
    kind = type.dtype if isinstance(type, (ArrayBase, ViewBase)) else _type(type, "type")
    if kind.kind not in "fc":
        raise ValueError(f"type is {kind}, expected floating point or complex numbers")
    return np.finfo(kind)


@plain
def iinfo(type: Any, /) -> Any:  # noqa: A002
    """Give the limits of a type of integers, or of an array's, as NumPy.

    >>> import atoll
    >>> atoll.iinfo(atoll.zeros(2, atoll.int32)).max
    2147483647
    """
    kind = type.dtype if isinstance(type, (ArrayBase, ViewBase)) else _type(type, "type")
    if kind.kind not in "iu":
        raise ValueError(f"type is {kind}, expected integers")
    return np.iinfo(kind)


@plain
def can_cast(from_: Any, to: Any, /, casting: Any = "safe") -> bool:
    """Tell whether a type, or an array's, converts to another by NumPy's rules.

    >>> import atoll
    >>> atoll.can_cast(atoll.arange(2), float)
    True
    """
    return np.can_cast(
        from_.dtype if isinstance(from_, (ArrayBase, ViewBase)) else from_, to, casting
    )

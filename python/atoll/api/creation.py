"""Making arrays, beyond `zeros` and its relatives: like others, of lists, of grids; collective.

Those that are made like another are cut as it, where they have its shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective, collective_over_copies
from atoll._array import Array
from atoll._creation import eye, from_numpy
from atoll._signatures import shortly
from atoll.api.arguments import agree, flag, held, integer, whole_array
from atoll.api.cuts import set_patches
from atoll.api.numpy_functions import DISTRIBUTED
from atoll.array.copies import astype, copy, like, store
from atoll.array.layouts import extents

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from atoll._creation import Options
    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key
    from atoll.array.layouts import Extents


@collective
def asarray(
    obj: Any, dtype: Any = None, *, copy: bool | None = None, **options: Unpack[Options]
) -> Array:
    """Give an array of a list, a NumPy array or a number; an Atoll array as it is. Collective.

    Every rank gives the same, and keeps its part.

    Args:
        obj: What it is made of; a view gives a new array.
        dtype: Converted to this type.
        copy: True copies an Atoll array, too; False refuses to copy.
        **options: As for `zeros`.

    >>> import atoll
    >>> atoll.asarray([[1, 2], [3, 4]])[...]
    array([[1, 2],
           [3, 4]])

    """
    if copy is not None:
        flag(copy, "copy")
    if isinstance(obj, (_core.ArrayBase, _core.ViewBase)):
        if options.pop("device", None) not in (None, "cpu"):
            raise ValueError("device is expected to be 'cpu'")
        if options:
            raise TypeError(f"asarray of an Atoll array takes no {sorted(options)}")
        return cast("Array", _converted(obj, dtype, copy))
    if copy is False:
        raise ValueError(f"copy is False, but an array of {shortly(obj)} is a copy")
    if obj is None or isinstance(obj, (str, bytes, dict)):
        raise TypeError(f"obj is {shortly(obj)}, expected numbers")
    return from_numpy(obj, dtype, **options)


@collective_over_copies
def array(obj: Any, dtype: Any = None, *, copy: bool | None = True, **options: Any) -> Array:
    """Give a new array of a list, a NumPy array, a number or an Atoll array. Collective.

    As `asarray`, but that it copies.

    >>> import atoll
    >>> atoll.array([1, 2])[...]
    array([1, 2])
    """
    return asarray(obj, dtype, copy=True if copy else copy, **options)


def _converted(obj: Any, dtype: Any, wanted: bool | None) -> Any:
    kind = obj.dtype if dtype is None else held(dtype)
    is_copy = isinstance(obj, _core.ViewBase) or kind != obj.dtype
    if wanted is False and is_copy:
        raise ValueError(f"copy is False, but an array of {kind} of {shortly(obj)} is a copy")
    agree(obj, "asarray", kind.str, wanted)
    given = whole_array(obj, "obj")
    if kind != obj.dtype:
        return astype(given, kind)
    return copy(given) if wanted and not is_copy else given


@collective
def identity(n: int, dtype: Any = None, **options: Unpack[Options]) -> Array:
    """Give a square matrix with ones on its diagonal, zeros elsewhere. Collective.

    >>> import atoll
    >>> atoll.identity(2)[...]
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, n, 0, dtype, **options)


@collective
def linspace(
    start: complex,
    stop: complex,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    **options: Unpack[Options],
) -> Array:
    """Give `num` numbers at equal distances from `start` to `stop`. Collective.

    Args:
        start: The first.
        stop: The last, or with `endpoint=False` the one after it.
        num: How many.
        endpoint: Whether `stop` is one of them.
        dtype: float64 by default, complex128 of complex numbers.
        **options: As for `zeros`.

    >>> import atoll
    >>> atoll.linspace(0, 1, 5)[...]
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])

    """
    count = integer(num, "num")
    if count < 0:
        raise ValueError(f"num is {num}, expected zero or more")
    with_end = flag(endpoint, "endpoint")
    for name, value in (("start", start), ("stop", stop)):
        if not isinstance(value, (int, float, complex, np.number)):
            raise TypeError(f"{name} is {shortly(value)}, expected a number")
    usual = np.result_type(start, stop, 1.0)
    kind = usual if dtype is None else held(dtype)
    made = Array(count, kind, zero=False, **options)
    agree(made, "linspace", start, stop, with_end)
    gaps = count - 1 if with_end else count
    # As NumPy does, for equal rounding.
    first, width = np.asarray(start, usual), np.asarray(stop, usual) - np.asarray(start, usual)
    step = width / gaps if gaps > 0 else width

    def values(key: Key) -> NDArray[Any]:
        numbers = np.arange(key[0].start, key[0].stop, dtype=np.float64)
        result = (numbers / gaps * width if gaps > 0 and step == 0 else numbers * step) + first
        if with_end and count > 1 and key[0].stop == count:
            result[-1:] = stop
        result = np.asarray(result)
        return np.floor(result) if kind.kind in "iu" else result

    store(made, values)
    return made


def _made_like(a: Any, value: Any, dtype: Any, shape: Any, call: str) -> Any:
    """Make an array like `a`, full of a number; undefined for None."""
    if not isinstance(a, (_core.ArrayBase, _core.ViewBase)):
        raise TypeError(f"a is {shortly(a)}, expected an Atoll array or a view")
    kind = a.dtype if dtype is None else held(dtype)
    wanted = tuple(a.shape) if shape is None else extents(shape)
    base = a.base if isinstance(a, _core.ViewBase) else a
    agree(a, call, wanted, kind.str, value)
    same = isinstance(a, _core.ArrayBase) and wanted == a.shape
    result = like(base, wanted, kind, base.layout if same else None)
    if value is not None:
        _core.fill(result, value)
        if result.mirrored:
            _core.declare_equal(result)
    return result


@collective_over_copies
def empty_like(a: Operand, dtype: Any = None, *, shape: Extents | None = None) -> Any:
    """Give an array like another, with undefined contents. Collective."""
    return _made_like(a, None, dtype, shape, "empty_like")


@collective_over_copies
def zeros_like(a: Operand, dtype: Any = None, *, shape: Extents | None = None) -> Any:
    """Give an array like another, of zeros. Collective.

    >>> import atoll
    >>> atoll.zeros_like(atoll.arange(3))[...]
    array([0, 0, 0])
    """
    return _made_like(a, 0, dtype, shape, "zeros_like")


@collective_over_copies
def ones_like(a: Operand, dtype: Any = None, *, shape: Extents | None = None) -> Any:
    """Give an array like another, of ones. Collective."""
    return _made_like(a, 1, dtype, shape, "ones_like")


@collective_over_copies
def full_like(
    a: Operand, fill_value: complex, dtype: Any = None, *, shape: Extents | None = None
) -> Any:
    """Give an array like another, with one number everywhere. Collective.

    >>> import atoll
    >>> atoll.full_like(atoll.arange(3), 7)[...]
    array([7, 7, 7])
    """
    if not isinstance(fill_value, (int, float, complex, np.generic)):
        raise TypeError(f"fill_value is {shortly(fill_value)}, expected a number")
    return _made_like(a, fill_value, dtype, shape, "full_like")


@collective_over_copies
def meshgrid(*arrays: Any, indexing: str = "xy", copy: bool = True) -> list[Any]:
    """Give the coordinates of a grid, of the vectors along its axes; an array each. Collective.

    Args:
        *arrays: Vectors.
        indexing: "xy": the first vector runs along the second axis, the second along the first, as
            in a picture; "ij": each along its own.
        copy: Arrays are new, so that False is refused.

    >>> import atoll
    >>> x, y = atoll.meshgrid(atoll.arange(2), atoll.arange(3))
    >>> x.shape, y[:, 0]
    ((3, 2), array([0, 1, 2]))

    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is {indexing!r}, expected 'xy' or 'ij'")
    if not flag(copy, "copy"):
        raise ValueError("copy is False, but the arrays of a grid are new")
    if not arrays:
        raise TypeError("arrays is (), expected a vector at least")
    vectors = [whole_array(v, f"arrays[{i}]") for i, v in enumerate(arrays)]
    for i, v in enumerate(vectors):
        if v.ndim != 1:
            raise ValueError(f"arrays[{i}] has shape {v.shape}, expected a vector")
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = [1, 0]
    shape = tuple(vectors[axes.index(d)].shape[0] for d in range(len(vectors)))
    agree(vectors[0], "meshgrid", shape, indexing)
    return [_along(v, shape, axis) for v, axis in zip(vectors, axes, strict=True)]


def _along(vector: Any, shape: tuple[int, ...], axis: int) -> Any:
    result = like(vector, shape, vector.dtype)

    def values(key: Key) -> NDArray[Any]:
        line = vector[key[axis]].reshape([-1 if d == axis else 1 for d in range(len(shape))])
        return np.broadcast_to(line, [k.stop - k.start for k in key])

    set_patches(result, values)
    return result


@collective_over_copies
def tril(m: Operand, /, k: int = 0) -> Any:
    """Give a copy with zeros above the k-th diagonal, cut alike. Collective.

    >>> import atoll
    >>> atoll.tril(atoll.ones((2, 2)))[...]
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle(m, k, lower=True)


@collective_over_copies
def triu(m: Operand, /, k: int = 0) -> Any:
    """Give a copy with zeros below the k-th diagonal, cut alike. Collective."""
    return _triangle(m, k, lower=False)


def _triangle(m: Any, k: Any, *, lower: bool) -> Any:
    if len(m.shape) < 2:
        raise ValueError(f"m has shape {tuple(m.shape)}, expected two dimensions or more")
    diagonal = integer(k, "k")
    agree(m, "tril" if lower else "triu", diagonal)
    source = whole_array(m, "m")
    result = like(source, source.shape, source.dtype, source.layout)

    def values(key: Key) -> NDArray[Any]:
        part: NDArray[Any] = source[key]
        above = key[-1].start - key[-2].start - diagonal
        return np.tril(part, -above) if lower else np.triu(part, -above)

    set_patches(result, values)
    return result


DISTRIBUTED.update(
    {
        np.empty_like: empty_like,
        np.full_like: full_like,
        np.meshgrid: meshgrid,
        np.ones_like: ones_like,
        np.tril: tril,
        np.triu: triu,
        np.zeros_like: zeros_like,
    }
)


@collective
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """Give an array of what another library holds, the same on every rank. Collective.

    Args:
        x: An object with `__dlpack__`, in the memory of the host.
        device: None or "cpu".
        copy: None or True; what every rank keeps is a copy.

    >>> import numpy as np
    >>> import atoll
    >>> atoll.from_dlpack(np.arange(3))[...]
    array([0, 1, 2])

    """
    if device not in (None, "cpu"):
        raise ValueError(f"device is {shortly(device)}, expected 'cpu'")
    if copy not in (None, True):
        raise ValueError(f"copy is {shortly(copy)}, expected None or True")
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"x is {shortly(x)}, expected an object with __dlpack__")
    return asarray(np.from_dlpack(x))

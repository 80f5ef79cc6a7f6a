"""Making arrays. Every function here is collective over the group of the new array.

All take the same last arguments: `group` (the default group when left out), `distribution`
(`atoll.blocked()` when left out), `name`, and `mirrored` (a copy on every node). Errors raise on
all ranks, as `atoll.Array` says.
"""

from __future__ import annotations

import operator
import secrets
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll._array import Array
from atoll.array.copies import store

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import NotRequired, TypedDict, Unpack

    from atoll.array.layouts import Extents

    class Options(TypedDict):
        """The arguments that all functions share."""

        group: NotRequired[_core.Group | None]
        distribution: NotRequired[_core.Layout | None]
        name: NotRequired[str]
        mirrored: NotRequired[bool]
        device: NotRequired[str | None]


@collective
def zeros(shape: Extents, dtype: Any = None, **options: Unpack[Options]) -> Array:
    """Make an array of zeros. Collective.

    >>> import atoll
    >>> atoll.zeros((2, 3))[...]
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
    return Array(shape, dtype, **options)


@collective
def empty(shape: Extents, dtype: Any = None, **options: Unpack[Options]) -> Array:
    """Make an array with undefined contents: the fastest. Collective."""
    return Array(shape, dtype, zero=False, **options)


@collective
def full(shape: Extents, value: Any, dtype: Any = None, **options: Unpack[Options]) -> Array:
    """Make an array with `value` everywhere; dtype is that of the value by default. Collective.

    >>> import atoll
    >>> atoll.full(3, 2)[...]
    array([2, 2, 2])
    """
    array = Array(shape, np.asarray(value).dtype if dtype is None else dtype, zero=False, **options)
    array.fill(value)
    if array.mirrored:
        array.declare_equal()
    return array


@collective
def ones(shape: Extents, dtype: Any = None, **options: Unpack[Options]) -> Array:
    """Make an array of ones. Collective."""
    return full(shape, 1, np.float64 if dtype is None else dtype, **options)


@collective
def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    **options: Unpack[Options],
) -> Array:
    """Make the numbers from `start` (0) to before `stop`, `step` apart. Collective.

    >>> import atoll
    >>> atoll.arange(1, 2, 0.25)[...]
    array([1.  , 1.25, 1.5 , 1.75])
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: step is 0, expected another number")
    if all(isinstance(number, (int, np.integer)) for number in (start, stop, step)):
        start, stop, step = int(start), int(stop), int(step)
        count = len(range(start, stop, step))  # exactly, where floats would round
    else:
        count = max(0, int(np.ceil((stop - start) / step)))
    given = (np.asarray(number).dtype for number in (start, stop, step))
    kind = np.result_type(*given) if dtype is None else np.dtype(dtype)
    array = Array(count, kind, zero=False, **options)
    first = kind.type(start if count > 0 else 0)
    with np.errstate(over="ignore"):  # integers wrap
        # As NumPy does, for equal rounding; what is not used may not fit.
        between = kind.type(start + step) - first if count > 1 else kind.type(0)

    def values(key: tuple[slice, ...]) -> NDArray[Any]:
        numbers = np.arange(key[0].start, key[0].stop).astype(kind)
        return cast("NDArray[Any]", first + numbers * between)

    store(array, values)
    return array


@collective
def eye(
    rows: int, columns: int | None = None, k: int = 0, dtype: Any = None, **options: Unpack[Options]
) -> Array:
    """Make a matrix with ones on its k-th diagonal, zeros elsewhere. Collective.

    >>> import atoll
    >>> atoll.eye(2, 3, k=1)[...]
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    array = Array((rows, rows if columns is None else columns), dtype, zero=False, **options)

    def values(key: tuple[slice, ...]) -> NDArray[Any]:
        down, across = key
        i = np.arange(down.start, down.stop)[:, np.newaxis]
        return cast("NDArray[Any]", np.arange(across.start, across.stop) - i == k)

    store(array, values)
    return array


@collective
def random(
    shape: Extents, seed: int | None = None, dtype: Any = None, **options: Unpack[Options]
) -> Array:
    """Make an array of random numbers, uniform in [0, 1). Collective.

    Integers are uniform in [0, 2^31), shorter ones over all that they can be; of complex numbers
    both parts are random.
    An element depends on the seed and its position only, so that any number of ranks gives the same
    array.

    Args:
        shape: One to eight extents.
        seed: From 0 to 2^64 - 1. Without one the numbers are others in each call, the same seen
            from all ranks.
        dtype: One of `atoll.dtypes`; float64 when left out.
        **options: As for all functions here.

    """
    require_seed(seed)
    array = Array(shape, dtype, zero=False, **options)
    _core.random_fill(array, seed_of(array, seed))
    if array.mirrored:
        array.declare_equal()
    return array


def require_seed(seed: Any) -> None:
    """See that a seed is none, or one.

    Raises:
        TypeError: no integer.
        ValueError: out of range.

    """
    if seed is not None and not 0 <= operator.index(seed) < 1 << 64:
        raise ValueError(f"random: seed is {seed}, expected 0 to 2^64 - 1")


def seed_of(array: Array, seed: int | None) -> int:
    """Give a seed; without one what the first rank draws, of all copies' ranks. Collective."""
    if seed is not None:
        return operator.index(seed)
    return int(array.whole_group.broadcast(np.uint64(secrets.randbits(64)), 0))


@collective
def from_numpy(
    values: ArrayLike | None,
    dtype: Any = None,
    *,
    root: int | None = None,
    **options: Unpack[Options],
) -> Array:
    """Make an array with the contents of a NumPy array. Collective.

    Args:
        values: The whole array. Every rank gives the same and keeps its part of it; with `root`
            only that rank's counts, and the others may give None.
        dtype: Converted to this type, as `numpy.array` converts; that of `values` by default.
        root: The rank (of the group) that has the values.

    >>> import numpy as np
    >>> import atoll
    >>> a = atoll.from_numpy(np.arange(6).reshape(2, 3))
    >>> a[:, 1]
    array([1, 4])
    >>> b = atoll.from_numpy(np.ones(4) if atoll.rank() == 0 else None, root=0)
    >>> b.shape
    (4,)

    """
    if root is not None:
        return _from_root(values, dtype, root, **options)
    source = _as_array(values, dtype)
    array = Array(source.shape, source.dtype if dtype is None else dtype, zero=False, **options)
    store(array, lambda key: source[key])
    return array


def _as_array(values: Any, dtype: Any) -> NDArray[Any]:
    """Give values as an array; numbers and lists of the type that is wanted, or an error."""
    if dtype is None or isinstance(values, np.ndarray):
        return np.asarray(values)
    return np.asarray(values, dtype=dtype)


def _from_root(values: Any, dtype: Any, root: int, **options: Unpack[Options]) -> Array:
    if options.get("mirrored"):
        # By way of an array that is cut over all ranks: every node fetches what it lacks.
        options["mirrored"] = False
        with _from_root(values, dtype, root, **options) as cut:
            return cut.mirror()
    group = options.get("group") or _core.default_group()
    mine = group.rank == root
    source = _as_array(values, dtype) if mine else np.empty(0)
    kind = np.dtype(str(group.broadcast(source.dtype.str, root)))
    shape = tuple(int(n) for n in group.broadcast(np.array(source.shape, dtype=np.int64), root))
    array = Array(shape, kind if dtype is None else dtype, zero=False, **options)
    if mine:
        array[...] = source.astype(array.dtype)
    array.group.sync()
    return array

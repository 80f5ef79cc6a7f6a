"""Random numbers: `atoll.random(shape)`, and the distributions of NumPy's generators; collective.

All are made of the core's uniform ones, which depend on a seed and on an element's position only:
any number of ranks gives the same. Without a seed each call gives others, the same seen from all
ranks.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective, collective_over_copies
from atoll._array import Array
from atoll._creation import random as uniform_array
from atoll._creation import require_seed, seed_of
from atoll._signatures import shortly
from atoll.api.arguments import agree, flag, held, integer, whole_array
from atoll.api.cuts import set_patches
from atoll.api.searching import take
from atoll.api.sorting import argsort
from atoll.array.copies import like
from atoll.array.layouts import extents

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from atoll._creation import Options
    from atoll.api.arguments import Key
    from atoll.array.layouts import Extents

_MOST_INTEGERS = 1 << 32  # of 62 random bits: the least likely has 2^-30 less than its share
_LOW_BITS = 30


def _real(value: Any, name: str) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {shortly(value)}, expected a number")
    if not np.isfinite(value):
        raise ValueError(f"{name} is {value}, expected a finite number")
    return float(value)


def _made(
    call: str,
    size: Any,
    seed: Any,
    options: Any,
    *given: Any,
    of: Any,
    dtype: Any,
    numbers: Callable[..., Any],
) -> Any:
    """Make an array of uniform numbers of a type, or of 31 bits, as many as `numbers` takes.

    Calls of other names have other numbers from the same seed.
    """
    if size is None:
        raise TypeError("size is None, expected integers, one a dimension")
    require_seed(seed)
    result = Array(extents(size, "size"), dtype, zero=False, **options)
    agree(result, call, seed, *given)
    common = [seed_of(result, seed), zlib.crc32(call.encode())]
    count = numbers.__code__.co_argcount
    drawn = [like(result, result.shape, of, result.layout) for _ in range(count)]
    for array, own in zip(
        drawn, np.random.SeedSequence(common).generate_state(count, np.uint64), strict=True
    ):
        _core.random_fill(array, int(own))
    set_patches(result, lambda key: numbers(*(array[key] for array in drawn)))
    for array in drawn:
        array.close()
    return result


def _joined(high: Any, low: Any) -> Any:
    return (high.astype(np.uint64) << np.uint64(31)) | low.astype(np.uint64)


@collective_over_copies
def uniform(
    low: float = 0.0,
    high: float = 1.0,
    size: Extents | None = None,
    seed: int | None = None,
    **options: Unpack[Options],
) -> Array:
    """Give an array of numbers that are uniform in [low, high). Collective.

    Args:
        low: The least number.
        high: The number that none reaches, but by rounding.
        size: The shape.
        seed: From 0 to 2^64 - 1; see `atoll.random`.
        **options: As for `zeros`.

    >>> import atoll
    >>> a = atoll.random.uniform(2, 3, size=(4, 5), seed=1)
    >>> a.shape, bool(a.min() >= 2), bool(a.max() < 3)
    ((4, 5), True, True)

    """
    first, width = _real(low, "low"), _real(high, "high") - _real(low, "low")
    if not 0 <= width < np.inf:
        raise ValueError(f"low is {low} and high is {high}, expected more, and less than infinity")

    def numbers(x: Any) -> Any:
        return first + x * width

    real = np.float64
    return _made("uniform", size, seed, options, low, high, of=real, dtype=real, numbers=numbers)  # type: ignore[no-any-return]


@collective_over_copies
def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    size: Extents | None = None,
    seed: int | None = None,
    **options: Unpack[Options],
) -> Array:
    """Give an array of numbers of a normal distribution. Collective.

    By the transform of Box and Muller (Ann. Math. Stat. 29, 1958).

    Args:
        loc: The mean.
        scale: The standard deviation, zero or more.
        size: The shape.
        seed: From 0 to 2^64 - 1; see `atoll.random`.
        **options: As for `zeros`.

    >>> import atoll
    >>> a = atoll.random.normal(5, 0.1, size=1000, seed=1)
    >>> bool(4.9 < a.mean() < 5.1)
    True

    """
    middle, width = _real(loc, "loc"), _real(scale, "scale")
    if width < 0:
        raise ValueError(f"scale is {scale}, expected zero or more")

    def numbers(x: Any, y: Any) -> Any:
        return middle + width * np.sqrt(-2 * np.log1p(-x)) * np.cos(2 * np.pi * y)

    real = np.float64
    return _made("normal", size, seed, options, loc, scale, of=real, dtype=real, numbers=numbers)  # type: ignore[no-any-return]


@collective_over_copies
def integers(
    low: int,
    high: int | None = None,
    size: Extents | None = None,
    seed: int | None = None,
    dtype: Any = np.int64,
    *,
    endpoint: bool = False,
    **options: Unpack[Options],
) -> Array:
    """Give an array of integers from `low` to before `high`, each as likely. Collective.

    Args:
        low: The first; without `high`, the end, and 0 is the first.
        high: The one behind the last, or with `endpoint` the last; not more than 2^32 of them.
        size: The shape.
        seed: From 0 to 2^64 - 1; see `atoll.random`.
        dtype: A type of integers.
        endpoint: Whether `high` is one of them.
        **options: As for `zeros`.

    >>> import atoll
    >>> a = atoll.random.integers(1, 6, size=100, seed=1, endpoint=True)
    >>> int(a.min()), int(a.max())
    (1, 6)

    """
    first, last = (0, low) if high is None else (low, high)
    begin = integer(first, "low")
    end = integer(last, "low" if high is None else "high") + int(flag(endpoint, "endpoint"))
    kind = held(dtype)
    if kind.kind not in "iu":
        raise TypeError(f"dtype is {dtype}, expected a type of integers")
    if not 0 < end - begin <= _MOST_INTEGERS:
        raise ValueError(f"low is {low} and high is {high}, expected 1 to 2^32 integers between")
    limits = np.iinfo(kind)
    if begin < limits.min or end - 1 > limits.max:
        raise ValueError(f"low is {low} and high is {high}, which {kind} does not hold")
    return _integers("integers", begin, end, size, seed, kind, options)  # type: ignore[no-any-return]


def _integers(
    call: str, begin: int, end: int, size: Any, seed: Any, kind: np.dtype[Any], options: Any
) -> Any:
    count, low_bits = np.uint64(end - begin), np.uint64(_LOW_BITS)

    def numbers(x: Any, y: Any) -> Any:  # the integer part of count times bits / 2^62
        bits = _joined(x, y)
        high_part = (bits >> low_bits) * count
        low_part = ((bits & np.uint64((1 << _LOW_BITS) - 1)) * count) >> low_bits
        return ((high_part + low_part) >> np.uint64(32)).astype(np.int64) + begin

    given = (begin, end, kind.str)
    return _made(call, size, seed, options, *given, of=np.int64, dtype=kind, numbers=numbers)


@collective_over_copies
def permutation(x: Any, seed: int | None = None, **options: Unpack[Options]) -> Any:
    """Give the numbers from 0 to before `x`, or the lines of an array, in random order. Collective.

    By sorting random numbers; of an array each line is moved once, along its first axis.

    Args:
        x: How many, or an array or a view.
        seed: From 0 to 2^64 - 1; see `atoll.random`.
        **options: As for `zeros`, of a number.

    >>> import atoll
    >>> sorted(atoll.random.permutation(4, seed=1)[...].tolist())
    [0, 1, 2, 3]

    """
    if not isinstance(x, (_core.ArrayBase, _core.ViewBase)):
        count = integer(x, "x")
        if count < 0:
            raise ValueError(f"x is {x}, expected zero or more")
        return _order("permutation", count, seed, options)
    if options:
        raise TypeError(f"permutation of an Atoll array takes no {sorted(options)}")
    source = whole_array(x, "x")
    order = _order("permutation", source.shape[0], seed, _as_for(source))
    return take(source, order, axis=0)


def _as_for(a: Any) -> dict[str, Any]:
    return {"group": a.whole_group, "mirrored": a.mirrored}


def _flat(key: Key, shape: tuple[int, ...]) -> Any:
    """Give the places of a patch's elements in row-major order."""
    lines = np.ix_(*(np.arange(part.start, part.stop) for part in key))
    return np.ravel_multi_index(np.broadcast_arrays(*lines), shape)


def _order(name: str, count: int, seed: Any, options: Any) -> Any:
    bits = np.int64
    keys = _made(name, count, seed, options, of=bits, dtype=bits, numbers=_joined)
    order = argsort(keys)
    keys.close()
    return order


@collective_over_copies
def choice(
    a: Any,
    size: Extents,
    replace: bool = True,
    p: Any = None,
    seed: int | None = None,
    **options: Unpack[Options],
) -> Any:
    """Draw numbers from 0 to before `a`, or lines of an array. Collective.

    Args:
        a: How many numbers there are, or an array or a view, of whose first axis lines are drawn.
        size: The shape of what is drawn.
        replace: Whether one may be drawn again.
        p: How likely each is: as many numbers as there are lines, the same on every rank, which add
            up to one; all alike by default. Not without `replace`.
        seed: From 0 to 2^64 - 1; see `atoll.random`.
        **options: As for `zeros`, of a number.

    >>> import atoll
    >>> drawn = atoll.random.choice(10, 4, replace=False, seed=1)
    >>> len(set(drawn[...].tolist()))
    4

    """
    spread = isinstance(a, (_core.ArrayBase, _core.ViewBase))
    if spread and options:
        raise TypeError(f"choice of an Atoll array takes no {sorted(options)}")
    source = whole_array(a) if spread else None
    count = integer(a, "a") if source is None else source.shape[0]
    shape = extents(size, "size")
    wanted = int(np.prod(shape, dtype=object))
    again = flag(replace, "replace")
    if count < 1 and wanted > 0:
        raise ValueError(f"a is {shortly(a)}, of which nothing can be drawn")
    given: Any = options if source is None else _as_for(source)
    if p is not None:
        drawn = _weighted(_shares(p, count, again), shape, seed, given)
    elif again:
        whole = np.dtype(np.int64)
        drawn = _integers("choice", 0, max(count, 1), shape, seed, whole, given)
    else:
        if wanted > count:
            raise ValueError(f"size is {size}, but there are {count} without drawing one again")
        drawn = Array(shape, np.int64, zero=False, **given)
        order = _order("choice", count, seed, _as_for(drawn))
        set_patches(drawn, lambda key: order[_flat(key, shape)])
    return drawn if source is None else take(source, drawn, axis=0)


def _shares(p: Any, count: int, again: bool) -> Any:
    if isinstance(p, (_core.ArrayBase, _core.ViewBase)):
        raise TypeError(f"p is {shortly(p)}, expected numbers that every rank has")
    shares = np.asarray(p)
    if shares.dtype.kind not in "iuf" or shares.shape != (count,):
        raise TypeError(f"p is {shortly(p)}, expected {count} numbers")
    if not again:
        raise ValueError(f"p is {shortly(p)}, but replace is False: all are drawn alike then")
    if not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-8:
        raise ValueError(f"p is {shortly(p)}, expected numbers of zero or more that add up to one")
    return shares


def _weighted(shares: Any, shape: Any, seed: Any, options: Any) -> Any:
    """Draw by the sums of shares so far."""
    ends = np.cumsum(shares, dtype=np.float64)
    ends /= ends[-1]

    def numbers(x: Any) -> Any:
        return np.searchsorted(ends, x, "right")

    return _made(
        "weighted", shape, seed, options, shares, of=np.float64, dtype=np.int64, numbers=numbers
    )


class Random:
    """`atoll.random`: a function, and the room of others."""

    uniform = staticmethod(uniform)
    normal = staticmethod(normal)
    integers = staticmethod(integers)
    permutation = staticmethod(permutation)
    choice = staticmethod(choice)

    @collective
    def random(
        self,
        shape: Extents,
        seed: int | None = None,
        dtype: Any = None,
        **options: Unpack[Options],
    ) -> Array:
        """Make an array of random numbers, uniform in [0, 1). Collective.

        Integers are uniform in [0, 2^31), uint8 in [0, 256); of complex numbers both parts are
        random. An element depends on the seed and its position only.

        Args:
            shape: One to eight extents.
            seed: From 0 to 2^64 - 1. Without one the numbers are others in each call, the same seen
                from all ranks.
            dtype: One of `atoll.dtypes`; float64 when left out.
            **options: As for `zeros`.

        >>> import atoll
        >>> a = atoll.random((2, 3), seed=1)
        >>> a.shape, bool(a.min() >= 0), bool(a.max() < 1)
        ((2, 3), True, True)

        """
        return uniform_array(shape, seed, dtype, **options)

    __call__ = random

    def __repr__(self) -> str:
        return "<atoll.random: uniform, normal, integers, permutation, choice>"


random = Random()

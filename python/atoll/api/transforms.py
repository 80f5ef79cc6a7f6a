"""Fourier transforms along axes, a stage for each cut of the array; collective.

A stage makes an array that has some axes whole on every rank, reads into it what belongs there of
the array before, and transforms that with SciPy's kernels. Where all transformed axes can be whole
at once there is one stage, else two, so every element moves once or twice.

A long vector goes as a matrix of n1 x n2 = n elements (W. M. Gentleman, G. Sande, Fast Fourier
Transforms for fun and profit, AFIPS 29, 1966): transforms along one axis, factors, transforms along
the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.api.cuts import batches, whole_along
from atoll.api.reshaping import reshape
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.api.arguments import Axes, Key

    Lines = Callable[[NDArray[Any]], NDArray[Any]]

_BATCH_BYTES = 1 << 22
_SHORT = 1 << 12  # vectors up to here are the work of one rank


@dataclass(frozen=True)
class Kind:
    """One of the transforms of real or complex lines.

    Attributes:
        name: SciPy's name of the one along an axis.
        kernel: That of several axes, the last of which is the special one.
        forward: Whether complex lines would go by "fft", or by "ifft".
        halves: Whether lines of the result hold the half that is not redundant.
        real: Whether the result is real, and the lines hold half of what it is made of.

    """

    name: str
    kernel: Callable[..., NDArray[Any]]
    forward: bool
    halves: bool = False
    real: bool = False


def _of_scipy(name: str) -> Any:
    """Give a function of SciPy's, which is slow to import."""

    def call(*args: Any, **options: Any) -> Any:
        import scipy.fft

        return getattr(scipy.fft, name)(*args, **options)

    return call


KINDS = {
    "fft": Kind("fft", _of_scipy("fftn"), forward=True),
    "ifft": Kind("ifft", _of_scipy("ifftn"), forward=False),
    "rfft": Kind("rfft", _of_scipy("rfftn"), forward=True, halves=True),
    "ihfft": Kind("ihfft", _of_scipy("ihfftn"), forward=False, halves=True),
    "irfft": Kind("irfft", _of_scipy("irfftn"), forward=False, real=True),
    "hfft": Kind("hfft", _of_scipy("hfftn"), forward=True, real=True),
}


def transformed_type(dtype: np.dtype[Any], real: bool) -> np.dtype[Any]:
    """Give the type of a transform: of single precision where the elements are."""
    single = dtype in (np.dtype(np.float32), np.dtype(np.complex64), np.dtype(np.float16))
    if real:
        return np.dtype(np.float32 if single else np.float64)
    return np.dtype(np.complex64 if single else np.complex128)


def transform(a: Any, kind: Kind, axes: Sequence[int], sizes: Sequence[int], norm: str) -> Any:
    """Transform along axes, of which the last is the special one. Collective.

    Args:
        a: Array.
        kind: Which transform.
        axes: Axes, each once.
        sizes: How long the lines are along them: cut off, or zeros behind, in a half the whole.
        norm: "backward", "ortho" or "forward".

    """
    if a.ndim == 1 and a.group.size > 1 and sizes[0] > _SHORT:
        factors = _factors(sizes[0], a.group.size)
        if factors is not None:
            return _vector(a, kind, sizes[0], factors, norm)
    *others, special = axes
    lengths = dict(zip(axes, sizes, strict=True))
    cut = _cut_axis(a, axes)
    if cut is None:
        return _stage(a, kind, axes, lengths, norm)
    rest = [d for d in others if d != cut]
    one = KINDS["fft" if kind.forward else "ifft"]
    if kind.real:  # the special axis comes last, else first
        return _stage(_stage(a, one, [cut], lengths, norm), kind, [*rest, special], lengths, norm)
    return _stage(_stage(a, kind, [*rest, special], lengths, norm), one, [cut], lengths, norm)


def _cut_axis(a: ArrayBase, axes: Sequence[int]) -> int | None:
    """Give the axis that is left for a stage of its own; None where one stage does all."""
    free = [n for d, n in enumerate(a.shape) if d not in axes]
    if a.group.size == 1 or len(axes) == 1 or math.prod(free) >= a.group.size:
        return None
    return max(axes[:-1], key=lambda d: a.shape[d])


def _line(kind: Kind, n: int) -> tuple[int, int]:
    """Give how many elements a line of `n` reads, and how many it gives."""
    half = n // 2 + 1
    return (half if kind.real else n), (half if kind.halves else n)


def _stage(
    a: Any, kind: Kind, axes: Sequence[int], lengths: dict[int, int], norm: str, dtype: Any = None
) -> Any:
    """Transform along axes that the result has whole on every rank. Collective."""
    shape = list(a.shape)
    read = [slice(0, n) for n in a.shape]
    for d in axes:
        reads, gives = _line(kind if d == axes[-1] else KINDS["fft"], lengths[d])
        read[d] = slice(0, min(reads, a.shape[d]))
        shape[d] = gives
    kind_of = transformed_type(a.dtype, kind.real) if dtype is None else dtype
    sizes = [lengths[d] for d in axes]

    def lines(block: NDArray[Any]) -> NDArray[Any]:
        return kind.kernel(block, s=sizes, axes=tuple(axes), norm=norm)

    return by_lines(
        a, tuple(shape), kind_of, tuple(axes), tuple(read), lambda block, _: lines(block)
    )


def by_lines(
    a: Any,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    axes: Axes,
    read: Key,
    work: Callable[[NDArray[Any], Key], NDArray[Any]],
) -> Any:
    """Make an array of what `work` gives of whole lines of another, at the same places.

    Args:
        a: Array, read where a rank needs it.
        shape: Of the result, which differs along `axes` alone.
        dtype: Of the result.
        axes: What every rank has whole.
        read: What belongs to the lines, along `axes`.
        work: Takes lines, and their place in the result.

    """
    a.group.sync()
    result = like(a, shape, dtype, whole_along(shape, axes))
    line = max(1, math.prod(shape[d] for d in axes) * dtype.itemsize)
    for key, block in result.blocks():
        counted = tuple(slice(0, 1) if d in axes else k for d, k in enumerate(key))
        for part in batches(counted, max(1, _BATCH_BYTES // line)):
            whole = tuple(key[d] if d in axes else k for d, k in enumerate(part))
            source = tuple(read[d] if d in axes else k for d, k in enumerate(part))
            place = tuple(
                slice(None) if d in axes else slice(k.start - key[d].start, k.stop - key[d].start)
                for d, k in enumerate(part)
            )
            block[place] = work(a[source], whole)
    result.group.sync()
    return result


def _factors(n: int, ranks: int) -> tuple[int, int] | None:
    """Give two factors of `n` of which both are as many as ranks; None where there are none."""
    for first in range(math.isqrt(n), ranks - 1, -1):
        if n % first == 0:
            return first, n // first
    return None


def _vector(a: Any, kind: Kind, n: int, factors: tuple[int, int], norm: str) -> Any:
    """Transform a vector by all ranks: as a complex one, of which a part is what is asked for."""
    one = KINDS["fft" if kind.forward else "ifft"]
    dtype = transformed_type(a.dtype, False)
    n1, n2 = factors
    matrix = reshape(_whole_line(a, kind, n, dtype), (n1, n2))
    sign = -2j if kind.forward else 2j
    sizes = {0: n1, 1: n2}

    def columns(block: NDArray[Any], key: Key) -> NDArray[Any]:
        values = one.kernel(block, s=[n1], axes=(0,), norm=norm)
        turns = np.outer(np.arange(n1), np.arange(key[1].start, key[1].stop)) % n
        turned = np.exp(sign * np.pi / n * turns).astype(dtype)
        return np.asarray(values * turned)

    whole = (slice(0, n1), slice(0, n2))
    matrix = by_lines(matrix, (n1, n2), dtype, (0,), whole, columns)
    matrix = _stage(matrix, one, [1], sizes, norm, dtype)
    return _part_of_line(matrix, kind, n, factors)


def _whole_line(a: Any, kind: Kind, n: int, dtype: np.dtype[Any]) -> Any:
    """Give the vector of `n` complex numbers that a transform is of."""
    result = like(a, (n,), dtype)
    half = n // 2 + 1
    there = min(a.size, half if kind.real else n)
    for (key,), block in result.blocks():
        block[...] = 0
        stop = min(key.stop, there)
        if key.start < stop:
            block[: stop - key.start] = a[key.start : stop]
        if kind.real:  # element n - k is the conjugate of element k
            low = max(key.start, half)
            first, last = n - key.stop + 1, min(n - low + 1, there)
            if low < key.stop and first < last:
                block[n - last + 1 - key.start :] = np.conj(a[first:last])[::-1]
            ends = [0] if n % 2 else [0, n // 2]  # of which only the real part counts
            for end in ends:
                if key.start <= end < key.stop:
                    block[end - key.start] = block[end - key.start].real
    result.group.sync()
    return result


def _part_of_line(matrix: Any, kind: Kind, n: int, factors: tuple[int, int]) -> Any:
    """Give the vector that stands in the columns of a matrix, one behind the other."""
    n1, _ = factors
    dtype = transformed_type(matrix.dtype, kind.real)
    result = like(matrix, (_line(kind, n)[1],), dtype)
    for (key,), block in result.blocks():
        columns = slice(key.start // n1, -(-key.stop // n1))
        values = matrix[:, columns].T.reshape(-1)[key.start - columns.start * n1 :][: block.size]
        block[...] = values.real if kind.real else values
    result.group.sync()
    return result

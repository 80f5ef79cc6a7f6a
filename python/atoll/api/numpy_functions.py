"""NumPy's functions that are no ufuncs, where an Atoll array is among their arguments.

Those of the table do what their namesakes of `atoll` do. All others are refused by name: NumPy's
own would read the whole array on every rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_in, group_of
from atoll._core import ArrayBase, ViewBase
from atoll.api import (
    counting,
    cumulative,
    diagonals,
    elementwise,
    elimination,
    fourier,
    joining,
    least_squares,
    norms,
    orthogonal,
    permuting,
    products,
    reductions,
    repeating,
    reshaping,
    searching,
    sets,
    signals,
    sorting,
    statistics,
)
from atoll.array.copies import copy as copied

if TYPE_CHECKING:
    from collections.abc import Callable


@collective_in(group_of)
def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    if order not in ("K", "C", "A"):
        raise ValueError(f"order={order!r} of copy: expected 'K', 'C' or 'A', as it is")
    _refuse_subok(subok, "copy")
    return copied(a)


@collective_in(group_of)
def _broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    _refuse_subok(subok, "broadcast_arrays")
    return joining.broadcast_arrays(*args)


def _refuse_subok(subok: object, name: str) -> None:
    if subok:
        raise TypeError(f"subok={subok!r} of {name}: an Atoll array has no classes of its own")


@collective_in(group_of)
def _shifted(x: Any, axes: Any = None) -> Any:
    return fourier.fftshift(x, axes=axes)


@collective_in(group_of)
def _shifted_back(x: Any, axes: Any = None) -> Any:
    return fourier.ifftshift(x, axes=axes)


DISTRIBUTED: dict[Any, Callable[..., Any]] = {
    np.all: reductions.all,
    np.allclose: elementwise.allclose,
    np.any: reductions.any,
    np.append: joining.append,
    np.argmax: reductions.argmax,
    np.argmin: reductions.argmin,
    np.argpartition: sorting.argpartition,
    np.argsort: sorting.argsort,
    np.argwhere: searching.argwhere,
    np.array_equal: elementwise.array_equal,
    np.array_split: joining.array_split,
    np.bincount: counting.bincount,
    np.broadcast_arrays: _broadcast_arrays,
    np.broadcast_to: reshaping.broadcast_to,
    np.clip: elementwise.clip,
    np.concatenate: joining.concat,
    np.convolve: signals.convolve,
    np.copy: _copy,
    np.corrcoef: signals.corrcoef,
    np.correlate: signals.correlate,
    np.count_nonzero: reductions.count_nonzero,
    np.cov: signals.cov,
    np.cross: products.cross,
    np.cumprod: cumulative.cumprod,
    np.cumsum: cumulative.cumsum,
    np.delete: signals.delete,
    np.diag: diagonals.diag,
    np.diagonal: diagonals.diagonal,
    np.diff: joining.diff,
    np.digitize: counting.digitize,
    np.dot: products.dot,
    np.einsum: products.einsum,
    np.expand_dims: reshaping.expand_dims,
    np.fft.fftshift: _shifted,
    np.fft.ifftshift: _shifted_back,
    np.flatnonzero: searching.flatnonzero,
    np.flip: permuting.flip,
    np.gradient: signals.gradient,
    np.histogram: counting.histogram,
    np.hstack: joining.hstack,
    np.imag: elementwise.imag,
    np.inner: products.inner,
    np.interp: counting.interp,
    np.kron: products.kron,
    np.isclose: elementwise.isclose,
    np.linalg.det: elimination.det,
    np.linalg.lstsq: least_squares.lstsq,
    np.linalg.matrix_power: products.matrix_power,
    np.linalg.matrix_rank: least_squares.matrix_rank,
    np.linalg.norm: norms.norm,
    np.linalg.pinv: least_squares.pinv,
    np.linalg.qr: orthogonal.qr,
    np.linalg.slogdet: elimination.slogdet,
    np.max: reductions.max,
    np.mean: statistics.mean,
    np.median: counting.median,
    np.min: reductions.min,
    np.moveaxis: permuting.moveaxis,
    np.nonzero: searching.nonzero,
    np.outer: products.outer,
    np.pad: repeating.pad,
    np.partition: sorting.partition,
    np.percentile: counting.percentile,
    np.prod: reductions.prod,
    np.quantile: counting.quantile,
    np.ravel: reshaping.ravel,
    np.real: elementwise.real,
    np.repeat: repeating.repeat,
    np.reshape: reshaping.reshape,
    np.roll: permuting.roll,
    np.round: elementwise.round,
    np.searchsorted: searching.searchsorted,
    np.sort: sorting.sort,
    np.split: joining.split,
    np.squeeze: reshaping.squeeze,
    np.stack: joining.stack,
    np.std: statistics.std,
    np.sum: reductions.sum,
    np.swapaxes: permuting.swapaxes,
    np.take: searching.take,
    np.take_along_axis: searching.take_along_axis,
    np.tensordot: products.tensordot,
    np.tile: repeating.tile,
    np.trace: diagonals.trace,
    np.transpose: permuting.transpose,
    np.unique: sets.unique,
    np.var: statistics.var,
    np.vdot: products.vdot,
    np.vstack: joining.vstack,
    np.where: elementwise.where,
}
_NEWER: dict[str, Callable[..., Any]] = {  # NumPy has them since some version of 2
    "cumulative_prod": cumulative.cumulative_prod,
    "cumulative_sum": cumulative.cumulative_sum,
    "linalg.cross": products.cross,
    "linalg.matrix_norm": norms.matrix_norm,
    "linalg.matrix_transpose": permuting.matrix_transpose,
    "linalg.outer": products.outer,
    "linalg.tensordot": products.tensordot,
    "linalg.vecdot": products.vecdot,
    "linalg.vector_norm": norms.vector_norm,
    "matrix_transpose": permuting.matrix_transpose,
    "trapezoid": signals.trapezoid,
    "unique_all": sets.unique_all,
    "unique_counts": sets.unique_counts,
    "unique_inverse": sets.unique_inverse,
    "unique_values": sets.unique_values,
    "unstack": joining.unstack,
}
_TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
for transform in (*_TRANSFORMS, *(name + "n" for name in _TRANSFORMS[:4])):
    DISTRIBUTED[getattr(np.fft, transform)] = getattr(fourier, transform)
for name, ours in _NEWER.items():
    room, _, own = name.rpartition(".")
    if (theirs := getattr(getattr(np, room) if room else np, own, None)) is not None:
        DISTRIBUTED[theirs] = ours
# These look at what an array is, not at its elements.
_OF_ATTRIBUTES = {np.ndim, np.shape, np.size, np.iscomplexobj, np.isrealobj, np.result_type}


def array_function(
    a: ArrayBase,
    function: Any,
    types: Any,  # noqa: ARG001
    args: Any,
    options: dict[str, Any],
) -> Any:
    """Do what NumPy calls for a function that has an Atoll array among its arguments."""
    if (ours := DISTRIBUTED.get(function)) is not None:
        return ours(*args, **options)
    if function in _OF_ATTRIBUTES:
        return _of_attributes(function, args, options)
    return _refuse(a, function)


def _of_attributes(function: Any, args: Any, options: dict[str, Any]) -> Any:
    def shown(a: Any) -> Any:
        is_ours = isinstance(a, (ArrayBase, ViewBase))
        return np.broadcast_to(np.empty((), a.dtype), a.shape) if is_ours else a

    return function(*map(shown, args), **{name: shown(a) for name, a in options.items()})


@collective_in(group_of)
def _refuse(_: ArrayBase, function: Any) -> None:
    name = f"{getattr(function, '__module__', 'numpy')}.{function.__name__}"
    raise TypeError(
        f"{name} does not take Atoll arrays: there is no distributed one, and NumPy's would read "
        "the whole array on every rank; it takes what a[2:5] and a.local() give"
    )

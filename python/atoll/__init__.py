"""Atoll: dense arrays spread over the memories of many processes and nodes.

Run with `atoll run -n 4 script.py` (or `mpiexec -n 4 python script.py`), or plain
`python script.py` for one process.

>>> import numpy as np
>>> import atoll
>>> a = atoll.zeros((100, 100))
>>> if atoll.rank() == 0:
...     a[10:20, 10:20] = np.eye(10)  # put: the owner does nothing
>>> atoll.sync()
>>> tile = a[15:25, 15:25]  # get: a NumPy array
>>> float(tile.trace())
5.0
>>> a.at[0, :] += 1.0  # atomic accumulate, by every rank
>>> atoll.sync()
>>> int(a[0, 7]) == atoll.size()
True

Functions and methods named "collective" are called by all ranks in the same order; the others by
whom and when one likes.
"""

from typing import Any

import numpy as np

from atoll import _guard  # noqa: F401  # isort: skip  # before anybody inherits its classes
from atoll import _exit, algebra, checkpoint, disk, fft, linalg, tensor
from atoll._array import Array
from atoll._core import (
    Distribution,
    Group,
    Layout,
    LazyCounts,
    LazyStatistics,
    PendingMerge,
    Request,
    element_types,
)
from atoll._core import version as __version__
from atoll._counter import Counter
from atoll._creation import arange, empty, eye, from_numpy, full, ones, zeros
from atoll._races import Race, races
from atoll._stop import Stopped, heed_stop_signals, stop_requested
from atoll._view import View
from atoll._world import (
    barrier,
    default_group,
    describe,
    fence,
    finalize,
    init,
    node,
    nodes,
    rank,
    size,
    sync,
    use_group,
    wait_all,
    world,
)
from atoll.algebra.block_products import BlockCount, block_matmul, block_norms
from atoll.algebra.matmul import matmul
from atoll.api import constants, elementwise
from atoll.api.constants import e, inf, nan, newaxis, pi
from atoll.api.counting import bincount, digitize, histogram, interp, median, percentile, quantile
from atoll.api.creation import (
    array,
    asarray,
    empty_like,
    from_dlpack,
    full_like,
    identity,
    linspace,
    meshgrid,
    ones_like,
    tril,
    triu,
    zeros_like,
)
from atoll.api.cumulative import cumprod, cumsum, cumulative_prod, cumulative_sum
from atoll.api.data_types import astype, can_cast, finfo, iinfo, isdtype, result_type
from atoll.api.diagonals import diag, diagonal, trace
from atoll.api.elementwise import allclose, array_equal, clip, imag, isclose, real, round, where
from atoll.api.joining import (
    append,
    array_split,
    broadcast_arrays,
    concat,
    concatenate,
    diff,
    hstack,
    split,
    stack,
    unstack,
    vstack,
)
from atoll.api.namespace_info import __array_namespace_info__  # noqa: F401  # asked for so
from atoll.api.permuting import (
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    roll,
    swapaxes,
    transpose,
)
from atoll.api.products import cross, dot, einsum, inner, kron, outer, tensordot, vdot, vecdot
from atoll.api.random_numbers import random
from atoll.api.reductions import all, any, argmax, argmin, count_nonzero, max, min, prod, sum
from atoll.api.repeating import pad, repeat, tile
from atoll.api.reshaping import broadcast_to, expand_dims, ravel, reshape, squeeze
from atoll.api.searching import argwhere, flatnonzero, nonzero, searchsorted, take, take_along_axis
from atoll.api.sets import (
    UniqueAllResult,
    UniqueCountsResult,
    UniqueInverseResult,
    unique,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from atoll.api.signals import convolve, corrcoef, correlate, cov, delete, gradient, trapezoid
from atoll.api.sorting import argpartition, argsort, partition, sort
from atoll.api.statistics import mean, std, var
from atoll.array.layouts import block_cyclic, blocked, irregular, tiled
from atoll.array.lazy import LazyMirror

__all__ = [
    "Array",
    "BlockCount",
    "Counter",
    "Distribution",
    "Group",
    "Layout",
    "LazyCounts",
    "LazyMirror",
    "LazyStatistics",
    "PendingMerge",
    "Race",
    "Request",
    "Stopped",
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "View",
    "__version__",
    "algebra",
    "all",
    "allclose",
    "any",
    "append",
    "arange",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "array",
    "array_equal",
    "array_split",
    "asarray",
    "astype",
    "barrier",
    "bincount",
    "block_cyclic",
    "block_matmul",
    "block_norms",
    "blocked",
    "broadcast_arrays",
    "broadcast_to",
    "can_cast",
    "checkpoint",
    "clip",
    "concat",
    "concatenate",
    "convolve",
    "corrcoef",
    "correlate",
    "count_nonzero",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "default_group",
    "delete",
    "describe",
    "diag",
    "diagonal",
    "diff",
    "digitize",
    "disk",
    "dot",
    "dtypes",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "expand_dims",
    "eye",
    "fence",
    "fft",
    "finalize",
    "finfo",
    "flatnonzero",
    "flip",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "gradient",
    "heed_stop_signals",
    "histogram",
    "hstack",
    "identity",
    "iinfo",
    "imag",
    "inf",
    "init",
    "inner",
    "interp",
    "irregular",
    "isclose",
    "isdtype",
    "kron",
    "linalg",
    "linspace",
    "matmul",
    "matrix_transpose",
    "max",
    "mean",
    "median",
    "meshgrid",
    "min",
    "moveaxis",
    "nan",
    "newaxis",
    "node",
    "nodes",
    "nonzero",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "partition",
    "percentile",
    "permute_dims",
    "pi",
    "prod",
    "quantile",
    "races",
    "random",
    "rank",
    "ravel",
    "real",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "size",
    "sort",
    "split",
    "squeeze",
    "stack",
    "std",
    "stop_requested",
    "sum",
    "swapaxes",
    "sync",
    "take",
    "take_along_axis",
    "tensor",
    "tensordot",
    "tile",
    "tiled",
    "trace",
    "transpose",
    "trapezoid",
    "tril",
    "triu",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "use_group",
    "var",
    "vdot",
    "vecdot",
    "vstack",
    "wait_all",
    "where",
    "world",
    "zeros",
    "zeros_like",
]

dtypes: tuple[np.dtype[Any], ...] = tuple(np.dtype(name) for name in element_types())
"""What arrays may hold."""


globals().update(constants.element_types())  # float64 and its like
globals().update(elementwise.FUNCTIONS)  # sqrt and its like
__all__ += [*elementwise.FUNCTIONS]

_exit.install()

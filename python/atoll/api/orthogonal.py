"""QR factorisation; collective.

Every rank keeps the rows that it owns. A panel of columns is made orthonormal by a QR of each
rank's part and one of the stacked triangles (TSQR: Demmel, Grigori, Hoemmen, Langou, SIAM J. Sci.
Comput. 34, 2012); panels among each other by block Gram-Schmidt, twice or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, whole_array
from atoll.api.cuts import whole_along
from atoll.api.elimination import floating
from atoll.array.copies import like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll._core import Group
    from atoll.algebra.elementwise import Operand

_PANEL = 64
_MOST_PASSES = 6
_SMALL = 0.1  # of a unit vector inside the columns before: what is taken off leaves it accurate


class QRResult(NamedTuple):
    """Orthonormal columns, and the upper triangular matrix."""

    Q: Any
    R: Any


@collective_over_copies
def qr(a: Operand, mode: str = "reduced") -> Any:
    """Give `a = Q @ R`, with orthonormal columns in Q and an upper triangular R. Collective.

    Q is cut into whole rows, R is blocked. The diagonal of R may have other signs than NumPy's.

    Args:
        a: Matrix of m rows and n columns.
        mode: "reduced": Q has min(m, n) columns; "r": R alone.

    Raises:
        ValueError: another mode ("complete" would want m x m elements), or no matrix.

    >>> import atoll
    >>> q, r = atoll.linalg.qr(atoll.random((6, 2), seed=1))
    >>> atoll.allclose(q.T @ q, atoll.eye(2)), r[1, 0] == 0
    (True, np.True_)

    """
    if mode not in ("reduced", "r"):
        raise ValueError(f"mode is {mode!r}, expected 'reduced' or 'r'")
    source = whole_array(a)
    if source.ndim != 2:
        raise ValueError(f"a has shape {source.shape}, expected a matrix")
    agree(source, "qr", mode)
    kind = floating(source)
    m, n = source.shape
    count = min(m, n)
    q = like(source, (m, count), kind, whole_along((m, count), (1,)))
    r = like(source, (count, n), kind)
    r.fill(0)
    group = source.group
    mine = q.patches()[0][0] if q.patches() else slice(0, 0)
    sizes = [sum(k[0].stop - k[0].start for k in q.patches(p)) for p in range(group.size)]
    left = np.array(source[mine].astype(kind))
    done = np.zeros((left.shape[0], count), kind)
    for begin in range(0, n, _PANEL) if count else ():
        end = min(begin + _PANEL, n)
        if begin < count < end:
            end = count
        blocks = _panel(group, sizes, left, done, begin, min(end, count))
        if group.rank == 0:
            for place, block in blocks:
                r[place] = block
        if end >= count:
            break
    if n > count and count:
        _rest(group, left, done, r, count)
    if left.size:
        q[mine] = done
    group.sync()
    return r if mode == "r" else QRResult(q, r)


def _panel(
    group: Group,
    sizes: list[int],
    left: NDArray[Any],
    done: NDArray[Any],
    begin: int,
    end: int,
) -> list[tuple[Any, NDArray[Any]]]:
    """Make columns orthonormal to those before; gives what they add to R."""
    before, columns = done[:, :begin], left[:, begin:end]
    beside = np.zeros((begin, end - begin), columns.dtype)
    triangle = np.eye(end - begin, dtype=columns.dtype)
    for passed in range(_MOST_PASSES):  # columns that depend on others want more than two
        inside = _sum(group, before.conj().T @ columns)
        columns, step = _tall_skinny(group, sizes, columns - before @ inside)
        beside, triangle = beside + inside @ triangle, step @ triangle
        if begin == 0 or (passed > 0 and np.abs(inside).max() < _SMALL):
            break
    done[:, begin:end] = columns
    blocks: list[tuple[Any, NDArray[Any]]] = [((slice(begin, end), slice(begin, end)), triangle)]
    if begin:
        blocks.append(((slice(0, begin), slice(begin, end)), beside))
    return blocks


def _rest(group: Group, left: NDArray[Any], done: NDArray[Any], r: Any, count: int) -> None:
    """Fill R beside its square, where there are more columns than rows."""
    for begin in range(count, left.shape[1], _PANEL):
        part = slice(begin, min(begin + _PANEL, left.shape[1]))
        block = _sum(group, done.conj().T @ left[:, part])
        if group.rank == 0:
            r[:, part] = block


def _tall_skinny(
    group: Group, sizes: list[int], columns: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    width = columns.shape[1]
    heights = [min(size, width) for size in sizes]
    starts = np.concatenate([[0], np.cumsum(heights)])
    own = slice(starts[group.rank], starts[group.rank + 1])
    q, r = np.linalg.qr(columns)
    stack = np.zeros((starts[-1], width), columns.dtype)
    stack[own] = r
    whole_q, whole_r = np.linalg.qr(_sum(group, stack))
    return q @ whole_q[own], whole_r


def _sum(group: Group, values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(group.reduce(values)) if group.size > 1 and values.size else values

"""Determinants, by LU factorisation with tournament pivoting; collective.

Every rank keeps the rows that it owns. For each panel of columns the ranks propose rows, the best
of which become the pivots: two exchanges a panel, of as many rows as the panel has columns
(communication-avoiding LU: Grigori, Demmel, Xiang, SIAM J. Matrix Anal. Appl. 32, 2011).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, whole_array
from atoll.api.cuts import set_patches, whole_along
from atoll.array.copies import like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll._core import ArrayBase, Group
    from atoll.algebra.elementwise import Operand

_PANEL = 64


def _solvers() -> Any:
    """Give SciPy's module, which is slow to import."""
    import scipy.linalg

    return scipy.linalg


class SlogdetResult(NamedTuple):
    """Sign (or phase) of a determinant, and the logarithm of its magnitude."""

    sign: Any
    logabsdet: Any


def floating(a: Operand) -> np.dtype[Any]:
    """Give the type in which a matrix is factorised: its own, of integers float64."""
    return a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64)


@collective_over_copies
def slogdet(x: Operand, /) -> SlogdetResult:
    """Give sign and logarithm of the magnitude of the determinant of a square matrix. Collective.

    Of more dimensions those of each matrix in the last two, as arrays: whole matrices are on a
    rank then.

    >>> import atoll
    >>> sign, logarithm = atoll.linalg.slogdet(-atoll.eye(3))
    >>> float(sign), float(logarithm)
    (-1.0, 0.0)
    """
    a = whole_array(x, "x")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"x has shape {a.shape}, expected a square matrix")
    agree(a, "slogdet")
    kind = floating(a)
    if a.ndim == 2:
        return SlogdetResult(*_eliminate(a, kind)[:2])
    real = kind.type(0).real.dtype
    results = [like(a, a.shape[:-2], kind), like(a, a.shape[:-2], real)]
    for i, result in enumerate(results):
        set_patches(result, lambda key, i=i: np.linalg.slogdet(a[key].astype(kind))[i])  # type: ignore[misc]
    return SlogdetResult(*results)


@collective_over_copies
def det(x: Operand, /) -> Any:
    """Give the determinant of a square matrix, a number; of more dimensions as `slogdet`.

    >>> import atoll
    >>> float(atoll.linalg.det(2 * atoll.eye(3)))
    8.0
    """
    a = whole_array(x, "x")
    if a.ndim == 2 and a.shape[0] == a.shape[1]:
        agree(a, "det")
        return _eliminate(a, floating(a))[2]
    sign, logarithm = slogdet(a)
    with np.errstate(over="ignore"):
        return sign * np.exp(logarithm)


def _eliminate(a: ArrayBase, kind: np.dtype[Any]) -> tuple[Any, Any, Any]:
    """Give sign, logarithm and determinant, on every rank."""
    n = a.shape[0]
    group = a.group
    cut = like(a, (n, n), np.uint8, whole_along((n, n), (1,)))  # for its rows only
    mine = cut.patches()[0][0] if cut.patches() else slice(0, 0)
    rows = np.arange(mine.start, mine.stop)
    left = np.array(a[mine].astype(kind))
    order: list[int] = []
    sign, logarithm, product = kind.type(1), np.float64(0), kind.type(1)
    for begin in range(0, n, _PANEL):
        width = min(_PANEL, n - begin)
        chosen, lower, upper = _pivots(group, left[:, begin : begin + width], rows, width)
        diagonal = np.diag(upper)
        if (diagonal == 0).any() or len(chosen) < width:
            return kind.type(0), kind.type(0).real.dtype.type(-np.inf), kind.type(0)
        with np.errstate(over="ignore", under="ignore"):
            product = product * np.prod(diagonal)
        sign = sign * np.prod(diagonal / np.abs(diagonal))
        logarithm = logarithm + np.log(np.abs(diagonal)).sum(dtype=np.float64)
        order += chosen
        places = {row: i for i, row in enumerate(chosen)}
        own = [i for i, row in enumerate(rows) if int(row) in places]
        top = np.zeros((width, n - begin - width), kind)
        top[[places[int(rows[i])] for i in own]] = left[own, begin + width :]
        top = np.asarray(group.reduce(top)) if group.size > 1 and top.size else top
        rest = np.setdiff1d(np.arange(len(rows)), own)
        rows, left = rows[rest], left[rest]
        if top.size and len(rest):
            right = _solvers().solve_triangular(lower, top, lower=True, unit_diagonal=True)
            panel = left[:, begin : begin + width]
            factor = _solvers().solve_triangular(upper.T, panel.T, lower=True).T
            left[:, begin + width :] -= factor @ right
    parity = _parity(order)
    real = kind.type(0).real.dtype
    return kind.type(sign * parity), real.type(logarithm), kind.type(product * parity)


def _best(panel: NDArray[Any], rows: NDArray[Any], width: int) -> tuple[Any, NDArray[Any]]:
    """Give the rows that Gaussian elimination takes for pivots, in their order."""
    if len(rows) == 0:
        return rows, panel
    order, _, _ = _solvers().lu(panel, p_indices=True)
    chosen = np.argsort(order)[: min(width, len(rows))]
    return rows[chosen], panel[chosen]


def _pivots(
    group: Group, panel: NDArray[Any], rows: NDArray[Any], width: int
) -> tuple[list[int], NDArray[Any], NDArray[Any]]:
    """Choose the pivot rows of a panel among those that ranks propose; with their LU factors."""
    own_rows, own = _best(panel, rows, width)
    proposed = np.zeros((group.size, width, width), panel.dtype)
    numbers = np.full((group.size, width), -1, np.int64)
    proposed[group.rank, : len(own)] = own
    numbers[group.rank, : len(own)] = own_rows
    if group.size > 1:
        proposed = np.asarray(group.reduce(proposed))
        numbers = np.asarray(group.reduce(numbers, "max"))
    there = numbers.reshape(-1) >= 0
    chosen, best = _best(proposed.reshape(-1, width)[there], numbers.reshape(-1)[there], width)
    if len(chosen) < width:
        return [], panel, np.zeros((width, width), panel.dtype)
    upper = np.array(best)
    lower = np.eye(width, dtype=panel.dtype)
    for i in range(width):  # they stand in the order of their elimination
        if upper[i, i] == 0:
            break
        lower[i + 1 :, i] = upper[i + 1 :, i] / upper[i, i]
        upper[i + 1 :] -= np.outer(lower[i + 1 :, i], upper[i])
    return [int(row) for row in chosen], lower, np.triu(upper)


def _parity(order: list[int]) -> int:
    seen = [False] * len(order)
    sign = 1
    for start in range(len(order)):
        length, at = 0, start
        while not seen[at]:
            seen[at] = True
            at = order[at]
            length += 1
        if length and length % 2 == 0:
            sign = -sign
    return sign

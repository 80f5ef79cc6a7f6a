"""The Coulomb metric of a fitting set, and the factor that turns (P|mn) into B[Q, mn].

With V = (P|Q) and F V F^T = 1 the integrals (mn|kl) are the sum over Q of B[Q, mn] B[Q, kl], where
B is F times (P|mn). F is the inverse of V's Cholesky factor, so half of it is zero; where V has no
such factor to working precision it is the inverse root of what V is without its null space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.linalg

import atoll
from atoll._agreement import leave
from atoll.chem.integrals import pyscf_fitting
from atoll.chem.integrals.runs import shell_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

LEAST_METRIC = 1e-7
"""Where V has no Cholesky factor: combinations of fitting functions below are left out, as PySCF
does it."""
PANEL = 256
"""Rows of the factor that are multiplied at once: of each panel what is right of it is zero."""


class MetricFactor(NamedTuple):
    """F, fitting functions x fitting functions, one copy a node."""

    matrix: atoll.Array
    triangular: bool

    def panels(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Give rows of F panel by panel, without the zeros at their end."""
        functions = self.matrix.shape[0]
        for begin in range(0, functions, PANEL):
            rows = slice(begin, min(begin + PANEL, functions))
            end = rows.stop if self.triangular else functions
            yield rows, self.matrix[rows, :end]


def metric_factor(
    auxiliary: Any, group: atoll.Group, meanwhile: Callable[[], bool] = lambda: False
) -> MetricFactor:
    """Compute the factor of a fitting set. Collective.

    Args:
        auxiliary: The fitting set, a `Mole` of PySCF.
        group: The ranks.
        meanwhile: What ranks that do not compute the factor call again and again until it is there,
            or there is nothing more to do and the answer is False.

    """
    metric = _metric(auxiliary, group)
    factor = atoll.zeros(metric.shape, mirrored=True, group=group, name="factor of the metric")
    ready = atoll.zeros(1, mirrored=True, group=group, name="whether the factor is ready")
    # One rank of each node works for all: this takes X^3 of the X^2 N^2 that the tensor costs.
    failure: Exception | None = None
    triangular = True
    try:
        if factor.group.rank == 0:
            values, triangular = _inverse_factor(metric)
            factor[...] = values
        else:
            while float(ready[0]) == 0 and meanwhile():
                pass
    except Exception as error:
        failure = error
    if factor.group.rank == 0:
        ready[0] = 1
    leave(group, failure)
    triangular = bool(group.reduce(float(triangular), "min"))
    ready.destroy()
    metric.destroy()
    return MetricFactor(factor, triangular)


def _metric(auxiliary: Any, group: atoll.Group) -> atoll.Array:
    functions = int(auxiliary.nao_nr())
    metric = atoll.zeros((functions, functions), group=group, name="metric")
    first = auxiliary.ao_loc_nr()
    cuts = shell_runs(first, max(1, functions // (8 * group.size)))
    for task in atoll.Counter(group=group).below(len(cuts) - 1):
        begin, end = cuts[task], cuts[task + 1]
        metric[first[begin] : first[end], :] = pyscf_fitting.two_centre(auxiliary, (begin, end))
    group.sync()
    return metric


def _inverse_factor(metric: atoll.Array) -> tuple[NDArray[np.float64], bool]:
    """Give F, and whether it is a triangle; all is done in one copy of the metric."""
    values = metric[...].T  # the same, column by column, as LAPACK wants it
    try:
        values = scipy.linalg.cholesky(values, lower=True, overwrite_a=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        return _inverse_root(metric[...]), False
    (inverse_of_triangle,) = scipy.linalg.lapack.get_lapack_funcs(("trtri",), (values,))
    values, status = inverse_of_triangle(values, lower=1, overwrite_c=1)
    if status != 0:
        raise ArithmeticError(f"the factor of the Coulomb metric is singular in row {status}")
    return values, True


def _inverse_root(metric: NDArray[np.float64]) -> NDArray[np.float64]:
    values, vectors = scipy.linalg.eigh(metric, overwrite_a=True)
    kept = values > LEAST_METRIC
    root = np.zeros_like(metric)
    root[: np.count_nonzero(kept)] = (vectors[:, kept] / np.sqrt(values[kept])).T
    return root

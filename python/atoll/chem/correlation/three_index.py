"""Three-index integrals of density fitting, over pairs of orbitals, on distributed arrays.

All correlated methods share them: (ia|jb) is the sum over Q of B[Q, ia] B[Q, jb], where B is
V^(-1/2) times (P|ia) and V the Coulomb metric of the fitting set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.integrals import pyscf_wheel

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_INTEGRALS = 1 << 23  # of a task, in doubles: 64 MiB
LEAST_METRIC = 1e-12  # of the largest; combinations of fitting functions below are left out


def inverse_root_of_metric(auxiliary: Any, group: atoll.Group) -> atoll.Array:
    """Compute V^(-1/2), distributed. Collective."""
    functions = int(auxiliary.nao_nr())
    metric = atoll.zeros((functions, functions), group=group, name="metric")
    cuts = _shell_blocks(auxiliary, max(1, MOST_INTEGRALS // max(1, functions)))
    first = auxiliary.ao_loc_nr()
    for task in atoll.Counter(group=group).below(len(cuts) - 1):
        begin, end = cuts[task], cuts[task + 1]
        metric[first[begin] : first[end], :] = pyscf_wheel.two_centre(auxiliary, (begin, end))
    group.sync()
    values, vectors = atoll.linalg.eigh(metric)
    # V^(-1/2) is W W^T with columns of W scaled by the fourth root.
    kept = values > LEAST_METRIC * values[-1]
    factors = np.zeros_like(values)
    factors[kept] = values[kept] ** -0.25
    scale = atoll.from_numpy(factors, group=group)
    atoll.linalg.scale_columns(vectors, scale)
    atoll.matmul(vectors.at[...], vectors.at[...].T, metric)
    return metric


def fitted_pairs(
    mole: Any,
    auxiliary: Any,
    root: atoll.Array,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
) -> atoll.Array:
    """Compute B[Q, ia], distributed; i and a are columns of `left` and `right`. Collective."""
    group, functions = root.group, root.shape[0]
    pairs = left.shape[1] * right.shape[1]
    integrals = atoll.zeros((functions, pairs), group=group, name="(P|ia)")
    if pairs == 0:  # a spin without electrons, or without room for them
        return integrals
    width = max(1, MOST_INTEGRALS // (mole.nao_nr() ** 2))
    cuts = _shell_blocks(auxiliary, width)
    first = auxiliary.ao_loc_nr()
    for task in atoll.Counter(group=group).below(len(cuts) - 1):
        begin, end = cuts[task], cuts[task + 1]
        square = pyscf_wheel.three_centre(mole, auxiliary, (begin, end))
        part = np.matmul(np.matmul(left.T, square), right)
        integrals[first[begin] : first[end], :] = part.reshape(-1, pairs)
    group.sync()
    return atoll.matmul(root, integrals)


def _shell_blocks(auxiliary: Any, width: int) -> list[int]:
    """Cut the shells into runs of about `width` functions; where runs begin, and the end."""
    first = auxiliary.ao_loc_nr()
    cuts = [0]
    for shell in range(1, auxiliary.nbas):
        if first[shell + 1] - first[cuts[-1]] > width:
            cuts.append(shell)
    return [*cuts, auxiliary.nbas]

"""What of a fit the gradient needs: V^-1 (Q|ij) of orbitals, V^-1 (Q|mn) D_mn of a density."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.integrals.pair_blocks import pair_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll.chem.correlation.three_index import FittingSet
    from atoll.chem.integrals.blocked_basis import BlockedBasis

ROWS = 256
"""Of the orbitals, read at once."""
TASKS_PER_RANK = 12
MOST_INTEGRALS = 1 << 22  # of a task, in doubles: 32 MiB


def fitted_density(
    basis: BlockedBasis, fitting: FittingSet, density: atoll.Array, memory: int
) -> NDArray[np.float64]:
    """Give the coefficients of the fitting functions that stand for a density. Collective.

    Args:
        basis: The molecule.
        fitting: The fitting set; its factor is there.
        density: Symmetric, functions x functions.
        memory: Bytes a rank for the integrals of a task.

    Returns:
        V^-1 (Q|mn) D_mn, on every rank.

    """
    blocks, group = pair_blocks(basis.mole), basis.group
    room = min(MOST_INTEGRALS, memory // (4 * 8)) // fitting.functions
    tasks = blocks.tasks(max(1, min(room, blocks.size // (TASKS_PER_RANK * group.size))))
    potential = np.zeros(fitting.functions)
    for number in atoll.Counter(group=group).below(len(tasks)):
        task = tasks[number]
        begin, end = (int(blocks.shell_functions[shell]) for shell in task.shells)
        panel = density[begin:end, : int(blocks.shell_functions[task.end])]
        block = int(np.searchsorted(blocks.functions, begin, side="right")) - 1
        panel[:, : int(blocks.functions[block])] *= 2  # n before the block stands for m as well
        integrals = fitting.integrals.strip(task.shells, task.end)
        potential += integrals.reshape(fitting.functions, -1) @ panel.reshape(-1)
    total = np.asarray(group.reduce(potential))
    return fitting.solved(total[:, None])[:, 0]


def fitted_pairs(
    fitting: FittingSet, left: atoll.Array, columns: slice, right: atoll.Array, memory: int
) -> atoll.Array:
    """Compute V^-1 (Q|ij): Q x pairs ij, j fastest, distributed by pairs. Collective.

    Args:
        fitting: The fitting set; its factor is there.
        left: Functions x orbitals, one copy a node; i are its `columns`.
        columns: Which they are.
        right: Functions x orbitals j, one copy a node.
        memory: Bytes a rank for the work, beside the result.

    """
    group, pairs = fitting.group, (columns.stop - columns.start) * right.shape[1]
    parts = min(group.size, pairs)
    starts = [pairs * part // parts for part in range(parts)]
    values = atoll.zeros(
        (fitting.functions, pairs),
        distribution=atoll.irregular([[0], starts]),
        group=group,
        name="fitted pairs",
    )
    tasks = fitting.tasks(memory // 4)
    for number in atoll.Counter(group=group).below(len(tasks)):
        shells, rows = tasks[number]
        integrals = fitting.integrals.square(shells)
        values[rows, :] = _transformed(integrals, left, columns, right)
    group.sync()
    _solve_own(values, fitting, memory // 4)
    group.sync()
    return values


def orbital_batches(functions: int, left: int, right: int, ranks: int, memory: int) -> list[slice]:
    """Cut orbitals i so that the pairs of a batch, all ranks' parts together, fit the memory."""
    most = max(1, memory * ranks // (8 * functions * max(1, right)))
    count = -(-left // most)
    cuts = [left * number // count for number in range(count + 1)]
    return [slice(cuts[number], cuts[number + 1]) for number in range(count)]


def _transformed(
    integrals: NDArray[np.float64], left: atoll.Array, columns: slice, right: atoll.Array
) -> NDArray[np.float64]:
    """Compute (P|ij) of (P|mn), P x m x n: P x pairs."""
    fitting, functions, _ = integrals.shape
    half = np.zeros((fitting, columns.stop - columns.start, functions))
    for rows in row_blocks(functions):
        half += np.matmul(left[rows, columns].T, integrals[:, rows])
    whole = np.zeros((half.shape[0] * half.shape[1], right.shape[1]))
    for rows in row_blocks(functions):
        whole += half[:, :, rows].reshape(len(whole), -1) @ right[rows, :]
    return whole.reshape(fitting, -1)


def row_blocks(functions: int) -> Iterator[slice]:
    """Cut the rows of orbitals, which are read some at a time."""
    for begin in range(0, functions, ROWS):
        yield slice(begin, min(begin + ROWS, functions))


def _solve_own(values: atoll.Array, fitting: FittingSet, memory: int) -> None:
    """Multiply this rank's columns by the inverse of the metric, some at a time."""
    own = values.local()
    if own.size == 0:
        return
    width = max(1, memory // (3 * 8 * fitting.functions))
    for begin in range(0, own.shape[1], width):
        part = own[:, begin : begin + width]
        part[...] = fitting.solved(np.ascontiguousarray(part))

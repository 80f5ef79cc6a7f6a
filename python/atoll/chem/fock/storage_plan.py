"""Which integrals are worth a place, when there is no room for all or reading them is slow.

Where there is no room for all, the costliest are stored. The cost of a value is that of a product
of two pairs of shells: products of primitive Gaussians for one of basis functions. The plan knows
Schwarz bounds and shells, and no density.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.fock.record_store import Entry
    from atoll.chem.integrals.blocks import Blocks

BYTES_A_VALUE = 4.5
"""Of a packed integral; measured with a screening of 1e-13: 3.7 to 4.8."""
SAMPLE = 1000
"""Bra pairs that are looked at to estimate how many integrals there are."""


def least_cost_to_store(
    mole: Any, bounds: NDArray[np.float64], tolerance: float, capacity: float
) -> tuple[float, float]:
    """Choose the cost from which on integrals are stored, for so many bytes on all ranks.

    `bounds`: of all pairs of shells; `tolerance`: of the product of two. Returns the cost, 0 if
    there is room for all, and the bytes that all would take.
    """
    costs, bytes_of_costs = _bytes_by_cost(mole, bounds, tolerance)
    total = float(bytes_of_costs.sum())
    if total <= capacity:
        return 0.0, total
    from_costly = np.argsort(-costs, kind="stable")
    fitting = np.cumsum(bytes_of_costs[from_costly]) <= capacity
    # The class that does not fit as a whole is begun: what there is room for is stored.
    last = min(int(np.count_nonzero(fitting)), len(costs) - 1)
    return float(costs[from_costly[last]]) * (1.0 - 1e-9), total


def bytes_of_panels(
    mole: Any, blocks: Blocks, bounds: NDArray[np.float64], tolerance: float
) -> float:
    """Give the bytes at most of integrals that are kept as they are (src/chem/panels.hpp).

    A bra pair keeps those functions k of a pair of blocks that have an integral, with all l.
    """
    widths = np.array(np.diff(mole.ao_loc), dtype=np.int64)
    pairs = [(p, q) for p in range(blocks.count) for q in range(p + 1)]
    rows: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []  # bounds, functions of pairs
    total = 0
    for p, q in reversed(pairs):  # so that `rows` has the tasks of this pair's kets
        shells_p, shells_q = blocks.shell_range(p), blocks.shell_range(q)
        patch, of_pairs = bounds[shells_p, shells_q], np.outer(widths[shells_p], widths[shells_q])
        if p == q:
            lower = np.tri(len(patch), dtype=np.int64)
            patch, of_pairs = patch * lower, of_pairs * lower
        rows.append((patch.ravel(), of_pairs.ravel()))
        largest = patch.max(axis=1)  # of each k
        order = np.argsort(-largest, kind="stable")
        columns = int(widths[shells_q].sum())
        kept = np.concatenate([[0], np.cumsum(widths[shells_p][order])]) * columns
        for bra, of_bra in rows:
            with np.errstate(divide="ignore"):
                least = tolerance / bra
            total += int(of_bra @ kept[np.searchsorted(-largest[order], -least, side="left")])
    return 8.0 * total


def too_slow_to_read(entries: Sequence[Entry], idle: float, bandwidth: float) -> list[Entry]:
    """Choose records on a file that are better computed by a rank that waits for reads.

    `idle`: the seconds it waits in a build; `bandwidth`: of the file, bytes a second. Those go
    first that are computed soonest for their bytes, whole tasks, until reading the others takes as
    long as computing does. So of a file that is slower than the processor little is left.
    """
    of_tasks: dict[int, list[Entry]] = {}
    for entry in entries:
        if entry.offset >= 0:
            of_tasks.setdefault(entry.task, []).append(entry)
    costs = [
        (sum(e.seconds for e in records), sum(e.nbytes for e in records) / bandwidth, records)
        for records in of_tasks.values()
    ]
    costs.sort(key=lambda cost: cost[0] / cost[1])
    chosen: list[Entry] = []
    for computing, reading, records in costs:
        idle -= computing + reading
        if idle < 0.0:
            break
        chosen += records
    return chosen


def _bytes_by_cost(
    mole: Any, bounds: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimate the bytes of the integrals of each cost."""
    shells = range(mole.nbas)
    widths = np.array([(2 * mole.bas_angular(s) + 1) * mole.bas_nctr(s) for s in shells], float)
    of_shell = np.array([mole.bas_nprim(s) for s in shells]) / widths
    p, q = np.tril_indices(mole.nbas)
    kept = bounds[p, q] * bounds.max() > tolerance
    p, q = p[kept], q[kept]
    order = np.argsort(-bounds[p, q], kind="stable")
    p, q = p[order], q[order]
    bound, values, cost = bounds[p, q], widths[p] * widths[q], of_shell[p] * of_shell[q]

    classes, of_class = np.unique(cost, return_inverse=True)
    step = max(1, len(bound) // SAMPLE)
    bra = np.arange(step // 2, len(bound), step)
    totals: dict[float, float] = {}
    for number, ket_cost in enumerate(classes):
        of_these = of_class == number
        largest_first = bound[of_these]
        summed = np.concatenate([[0.0], np.cumsum(values[of_these])])
        partners = np.searchsorted(-largest_first, -tolerance / bound[bra], side="left")
        meeting = 0.5 * step * BYTES_A_VALUE * values[bra] * summed[partners]
        for bra_cost, amount in zip(cost[bra], meeting, strict=True):
            product = float(bra_cost * ket_cost)
            totals[product] = totals.get(product, 0.0) + float(amount)
    return np.array(list(totals)), np.array(list(totals.values()))

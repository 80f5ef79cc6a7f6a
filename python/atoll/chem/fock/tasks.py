"""The task list of a Fock build: canonical quartets of blocks, costly ones first.

Every rank makes the same list, so a task is known by its number. Costs are whole numbers and the
order is stable: rounding on different CPUs cannot make lists differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.integrals.blocks import Blocks


LARGEST_DENSITY_ELEMENT = 1e8
"""Densities with larger elements are refused: the kernel leaves out pairs for good by it."""


class BlockMaxima(NamedTuple):
    """The largest |D| of each pair of blocks, symmetric; None where there is no such matrix."""

    coulomb: NDArray[np.float64] | None
    """Of the density of the Coulomb matrix."""
    exchange: NDArray[np.float64] | None
    """Of all densities of exchange matrices."""


@dataclass(frozen=True)
class TaskList:
    """Canonical block quartets (IJ|KL) that Schwarz's inequality leaves, largest cost first."""

    quartets: NDArray[np.int32]
    """Tasks x 4: the blocks I >= J, K >= L, pair IJ >= pair KL."""
    bounds: NDArray[np.float64]
    """For each task, the largest Q_ij Q_kl."""
    tolerance: float

    def largest_contributions(self, largest: BlockMaxima) -> NDArray[np.float64]:
        """Bound what the integrals of each task can add to a matrix element (hartree)."""
        i, j, k, l = self.quartets.T  # noqa: E741  # as in every textbook
        met = np.zeros(len(self.quartets))
        if largest.coulomb is not None:
            d = largest.coulomb
            met = 4.0 * np.maximum(d[i, j], d[k, l])
        if largest.exchange is not None:
            d = largest.exchange
            exchange = np.maximum(np.maximum(d[i, k], d[i, l]), np.maximum(d[j, k], d[j, l]))
            met = np.maximum(met, exchange)
        contributions: NDArray[np.float64] = self.bounds * met
        return contributions

    def surviving(self, largest: BlockMaxima) -> NDArray[np.intp]:
        """Return the numbers of the tasks that matter for such densities."""
        return np.flatnonzero(self.largest_contributions(largest) > self.tolerance)


def make_tasks(
    mole: Any, blocks: Blocks, bounds: NDArray[np.float64], tolerance: float
) -> TaskList:
    """Make the task list for a molecule; `bounds`: Schwarz bounds of all shell pairs, symmetric."""
    pairs = np.array(
        [(p, q) for p in range(blocks.count) for q in range(p + 1)], dtype=np.int32
    ).reshape(-1, 2)
    largest = np.array([bounds[_patch(blocks, p, q)].max() for p, q in pairs])
    primitive, contracted, shells = _pair_costs(mole, blocks, bounds, pairs, tolerance)

    a, b = np.tril_indices(len(pairs))
    # In units of four nanoseconds, as measured on libcint: work on primitives, on contracted
    # integrals, and per call. Half of it where bra and ket are the same pair.
    cost = primitive[a] * primitive[b]
    cost += 2 * contracted[a] * contracted[b] + 75 * shells[a] * shells[b]
    cost = np.where(a == b, cost // 2, cost)
    order = np.argsort(-cost, kind="stable")
    # No density has an element that could bring the others back.
    order = order[(largest[a] * largest[b])[order] * 4.0 * LARGEST_DENSITY_ELEMENT > tolerance]
    a, b = a[order], b[order]
    return TaskList(np.hstack([pairs[a], pairs[b]]), largest[a] * largest[b], tolerance)


def _patch(blocks: Blocks, p: int, q: int) -> tuple[slice, slice]:
    return blocks.shell_range(p), blocks.shell_range(q)


def _pair_costs(
    mole: Any,
    blocks: Blocks,
    bounds: NDArray[np.float64],
    pairs: NDArray[np.int32],
    tolerance: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each block pair, over its significant shell pairs: primitive work, functions, shells."""
    shells = range(mole.nbas)
    momenta = np.array([2 * mole.bas_angular(s) + 1 for s in shells], dtype=np.int64)
    work = momenta * np.array([mole.bas_nprim(s) for s in shells], dtype=np.int64)
    widths = momenta * np.array([mole.bas_nctr(s) for s in shells], dtype=np.int64)
    significant = np.tril(bounds * bounds.max() > tolerance)

    def total(weights: NDArray[np.int64]) -> NDArray[np.int64]:
        matrix = np.where(significant, np.outer(weights, weights), 0)
        return np.array([matrix[_patch(blocks, p, q)].sum() for p, q in pairs], dtype=np.int64)

    return total(work), total(widths), total(np.ones_like(work))

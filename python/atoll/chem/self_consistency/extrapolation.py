"""Fock matrices from those of past iterations: DIIS (Pulay 1982) and ADIIS (Hu and Yang 2010).

DIIS makes the combined error smallest, and is fast near the solution. ADIIS keeps the coefficients
positive and makes a model of the energy smallest: it is for starts far away from it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.optimize

from atoll.chem.self_consistency.vectors import dot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    import atoll

FAR, NEAR = 1e-1, 1e-2
"""Errors above which only the energy model counts, and below which only the errors do."""
DEPENDENT = 1e-10
"""Of a squared difference of errors: the part that must be new, or the difference is left out."""


class _Past(NamedTuple):
    operators: Sequence[atoll.Array]
    focks: Sequence[atoll.Array]
    densities: Sequence[atoll.Array]
    errors: Sequence[atoll.Array]


class Extrapolation:
    """Keeps past iterations, one matrix a spin each, as distributed arrays. Collective throughout.

    Args:
        length: How many iterations are kept.
        by_energy: Whether the energy model counts far from the solution.

    """

    def __init__(self, length: int = 8, by_energy: bool = False) -> None:
        self._past: deque[_Past] = deque(maxlen=length)
        self._products = np.zeros((0, 0))
        self._traces = np.zeros((0, 0))  # tr D_i F_j
        self.by_energy, self._near = by_energy, NEAR

    def extrapolate(
        self,
        operators: Sequence[atoll.Array],
        focks: Sequence[atoll.Array],
        densities: Sequence[atoll.Array],
        errors: Sequence[atoll.Array],
    ) -> list[atoll.Array]:
        """Take an iteration; give the best combination of operators so far.

        `operators` are what orbitals are eigenvectors of: `focks`, or what couples them.
        """
        full = len(self._past) == self._past.maxlen
        self._past.append(_Past(operators, focks, densities, errors))
        self._grow(dropped=1 if full else 0)
        # Rank 0's: processors may round differently, and all are to use the same.
        coefficients = np.asarray(focks[0].group.broadcast(self._coefficients()))
        best = []
        for place, newest in enumerate(operators):
            total = newest.copy()
            total.scale(float(coefficients[-1]))
            for weight, past in zip(coefficients[:-1], list(self._past)[:-1], strict=True):
                total.add_scaled(1.0, total, float(weight), past.operators[place])
            best.append(total)
        return best

    def go_by_energy(self, near: float) -> None:
        """Have the energy model count from here on, also for the iterations that are kept.

        `near`: error below which only the errors do, in place of `NEAR`.
        """
        self._near = near
        if not self.by_energy:
            self.by_energy = True
            past = self._past
            products = [dot(i.densities, j.focks) for i in past for j in past]
            self._traces = np.reshape(products, (len(past), len(past)))

    def _grow(self, dropped: int) -> None:
        count, new = len(self._past), self._past[-1]
        products, traces = np.zeros((count, count)), np.zeros((count, count))
        products[:-1, :-1] = self._products[dropped:, dropped:]
        traces[:-1, :-1] = self._traces[dropped:, dropped:]
        for i, past in enumerate(self._past):
            products[i, -1] = products[-1, i] = dot(past.errors, new.errors)
            if self.by_energy:
                traces[i, -1] = dot(past.densities, new.focks)
                traces[-1, i] = dot(new.densities, past.focks)
        self._products, self._traces = products, traces

    def _coefficients(self) -> NDArray[np.float64]:
        by_error = _smallest_error(self._products)
        if not self.by_energy or len(self._past) == 1:
            return by_error
        error = float(np.sqrt(self._products[-1, -1]))
        share = float(np.clip(np.log(error / self._near) / np.log(FAR / NEAR), 0.0, 1.0))
        if share == 0.0:
            return by_error
        return share * _smallest_energy(self._traces) + (1.0 - share) * by_error


def _smallest_error(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the coefficients of sum one that make the combined error smallest.

    That is Pulay's bordered system, with the sum put in: the newest error less a combination of
    its differences to the others. Scaled, as these span many magnitudes. Going back in time, a
    difference that is a combination of newer ones is left out: it would say nothing but noise.
    """
    newest = np.zeros(len(products))
    newest[-1] = 1.0
    if not np.all(np.isfinite(products)):
        return newest
    last = products[-1]
    differences = products - last - last[:, None] + last[-1]
    slopes = last - last[-1]  # of the newest error with the differences
    used: list[int] = []
    for i in range(len(products) - 2, -1, -1):
        if _adds_to(differences, i, used):
            used.append(i)
    if not used:
        return newest
    lengths = np.sqrt(differences.diagonal()[used])
    scaled = differences[np.ix_(used, used)] / np.outer(lengths, lengths)
    weights = -np.linalg.solve(scaled, slopes[used] / lengths) / lengths
    coefficients = newest
    coefficients[used] = weights
    coefficients[-1] = 1.0 - weights.sum()
    return coefficients


def _adds_to(differences: NDArray[np.float64], new: int, used: list[int]) -> bool:
    """Tell whether a vector has a part that those used have not, by their scalar products."""
    square = differences[new, new]
    if not square > 0.0:
        return False
    lengths = np.sqrt(differences.diagonal()[used])
    along = differences[new, used] / lengths
    scaled = differences[np.ix_(used, used)] / np.outer(lengths, lengths)
    rest = square - (along @ np.linalg.solve(scaled, along) if used else 0.0)
    return bool(rest > DEPENDENT * square)


def _smallest_energy(traces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give coefficients, none negative, of sum one, that make ADIIS's energy smallest.

    E(c) = 2 sum_i c_i tr (D_i - D_n) F_n + sum_ij c_i c_j tr (D_i - D_n) (F_j - F_n)
    """
    n = len(traces) - 1
    linear = 2.0 * (traces[:, n] - traces[n, n])
    square = traces - traces[n] - traces[:, n, None] + traces[n, n]
    square = (square + square.T) / 2

    def energy(roots: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total = float(roots @ roots)
        c = roots**2 / total  # of sum one and not negative, whatever the roots
        slope = linear + 2.0 * square @ c
        by_root = 2.0 * roots / total * (slope - slope @ c)
        return float(linear @ c + c @ square @ c), by_root

    starts = [np.ones(n + 1), *(np.eye(n + 1)[i] + 0.1 for i in range(n + 1))]
    minimize: Any = scipy.optimize.minimize  # without types
    found = [minimize(energy, start, jac=True, method="BFGS") for start in starts]
    roots = min(found, key=lambda result: float(result.fun)).x
    coefficients: NDArray[np.float64] = roots**2 / (roots @ roots)
    return coefficients

"""How far one determinant is from enough, by the single amplitudes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    import atoll

LARGE_T1 = 0.02
LARGE_D1 = 0.05


def t1_diagnostic(singles: NDArray[np.float64], occupied: int) -> float:
    """Give the length of the singles by electron (Lee and Taylor 1989). Closed shells."""
    return float(np.linalg.norm(singles) / np.sqrt(2 * occupied)) if occupied else 0.0


def d1_diagnostic(singles: NDArray[np.float64]) -> float:
    """Give the largest singular value of the singles (Janssen and Nielsen 1998)."""
    return float(np.linalg.norm(singles, 2)) if singles.size else 0.0


def d2_diagnostic(doubles: atoll.Array) -> float:
    """Give the largest norm of the doubles at an orbital (Nielsen and Janssen 1999). Collective."""
    group = doubles.group
    occupied, virtual = doubles.shape[0], doubles.shape[2]
    of_occupied, of_virtual = np.zeros((occupied, occupied)), np.zeros((virtual, virtual))
    for j in range(group.rank, occupied, group.size):
        part = np.asarray(doubles[:, j])
        rows = part.reshape(occupied, -1)
        of_occupied += rows @ rows.T
        columns = part.transpose(1, 0, 2).reshape(virtual, -1)
        of_virtual += columns @ columns.T
    squares = [np.asarray(group.reduce(each)) for each in (of_occupied, of_virtual)]
    return float(np.sqrt(max(np.linalg.eigvalsh(each)[-1] for each in squares)))


def open_shell_t1_diagnostic(singles: Iterable[NDArray[np.float64]], electrons: int) -> float:
    """Give it of singles of two spins, so that closed shells come to the same."""
    squares = sum(float(np.vdot(each, each)) for each in singles)
    return float(np.sqrt(squares / (2 * electrons))) if electrons else 0.0


def concern(t1: float, d1: float) -> str | None:
    """Say that they are large, if they are."""
    if t1 <= LARGE_T1 and d1 <= LARGE_D1:
        return None
    return (
        f"large single amplitudes: T1 {t1:.4f} (up to {LARGE_T1} is small), D1 {d1:.4f} (up to "
        f"{LARGE_D1}); one determinant may not describe this molecule"
    )

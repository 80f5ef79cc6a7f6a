"""What PySCF's users hand over in several shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.fock.two_electron import Density

if TYPE_CHECKING:
    from atoll.chem.integrals.blocked_basis import BlockedBasis


def of_spins(value: Any, name: str, spins: int) -> float | tuple[float, float]:
    """Give a setting as one number, or as a pair of alpha's and beta's.

    Raises ValueError for anything else, and for a pair where there is one set of orbitals.
    """
    if np.ndim(value) == 0:
        return float(value)
    if spins != 2 or len(value) != 2:
        expected = "a number" if spins == 1 else "a number, or alpha's and beta's"
        raise ValueError(f"{name} is {value!r}, expected {expected}")
    alpha, beta = value
    return float(alpha), float(beta)


def densities_given(dm: Any, name: str, basis: BlockedBasis, count: int) -> list[Density]:
    """Distribute densities, one or two, which may be so already. Collective.

    One of both spins is halved where there are two; for properties two are added where there is
    one. Raises ValueError for another shape,
    NotImplementedError for complex ones.
    """
    if isinstance(dm, list) and len(dm) == count and all(isinstance(d, Density) for d in dm):
        return list(dm)
    given = np.asarray(dm)
    if np.iscomplexobj(given):
        if np.any(given.imag):
            raise NotImplementedError(f"{name} is complex, expected a real density")
        given = given.real
    given = np.asarray(given, dtype=np.float64)
    n = basis.functions
    if given.shape == (n, n) and count == 2:
        given = np.array([given / 2, given / 2])
    if given.shape == (2, n, n) and count == 1 and name == "dm":
        given = given.sum(axis=0)
    expected = (n, n) if count == 1 else (2, n, n)
    if given.shape != expected:
        raise ValueError(f"{name} has shape {given.shape}, expected {expected}")
    densities = []
    for part in given.reshape(count, n, n):
        matrix = basis.matrix("density")
        for key, block in matrix.blocks():
            block[...] = part[key]
        densities.append(Density(matrix))
    basis.group.sync()
    return densities

"""The derivative of the two-electron energy by the positions of the atoms, integrals computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.fock.builds import block_maxima, check_densities
from atoll.chem.fock.tasks import make_tasks
from atoll.chem.fock.tiles import DensityCache, pairs_of
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.one_electron import derivative_bounds, schwarz_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.fock.tasks import BlockMaxima, TaskList
    from atoll.chem.fock.two_electron import Density, Progress
    from atoll.chem.integrals.blocked_basis import BlockedBasis

CACHE_BYTES = 64 << 20
"""Memory for density tiles on each rank."""
SCREENING = 1e-11
"""Contributions below this (hartree/bohr) are left out."""


def direct_gradient(
    basis: BlockedBasis,
    densities: Sequence[Density],
    coulomb: float,
    exchange: float,
    screening: float = SCREENING,
    omega: float = 0.0,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """Give the derivative of a two-electron energy, the densities held fixed. Collective.

    The energy is, with Dt the sum of the densities D_s,

        E = coulomb/2 sum_ijkl Dt_ij Dt_kl (ij|kl) - exchange/2 sum_s sum_ijkl D_ij D_kl (ik|jl).

    So the D_s are spin densities: for both spins of Hartree-Fock, `coulomb` and `exchange` are 1.
    For closed shells one density D (its trace with the overlap is the number of electrons) stands
    for two halves: sum_s D_s D_s = D D / 2, so `exchange` is half the fraction of exact exchange
    (Hartree-Fock: 0.5).

    Args:
        basis: The molecule's functions in blocks.
        densities: Symmetric; their `orbitals` are not used.
        coulomb: The factor of the Coulomb energy.
        exchange: The factor of the exchange energy.
        screening: Contributions below this (hartree/bohr) are left out.
        omega: 0: the Coulomb interaction 1/r. Above: its long range erf(omega r)/r alone, in
            1/bohr; below: its short range erfc(|omega| r)/r.
        progress: Called as progress(done, total) before each task of this rank.

    Returns:
        Atoms x 3, hartree/bohr, the same on every rank.

    Raises:
        ValueError: On all ranks, for bad densities or a screening that is not positive.

    """
    if not screening > 0.0:
        raise ValueError(f"screening is {screening!r}, expected a positive number")
    check_densities(basis, densities)
    mole, blocks, group = basis.mole, basis.blocks, basis.group
    with mole.with_range_coulomb(omega):
        bounds = schwarz_bounds(mole, blocks, screening, group)
        of_derivatives = derivative_bounds(mole, blocks, screening, group)
        kernel, optimizer = pyscf_wheel.make_gradient_kernel(mole, blocks.shells, screening)
    kernel.set_bounds(bounds, of_derivatives, screening)

    largest = block_maxima(basis, densities, coulomb=True, exchange=True)
    tasks = make_tasks(mole, blocks, np.maximum(bounds, of_derivatives), screening)
    weights = 4.0 * abs(coulomb), 2.0 * abs(exchange) * len(densities)
    numbers = np.flatnonzero(_largest_contributions(tasks, largest, *weights) > screening)
    tiles = DensityCache(kernel, blocks, densities, CACHE_BYTES)
    gradient = np.zeros((mole.natm, 3))
    for number in atoll.Counter(group=group).below(len(numbers)):
        if progress:
            progress(number, len(numbers))
        i, j, k, l = tasks.quartets[numbers[number]].tolist()  # noqa: E741
        task = (i, j, k, l)
        ij, kl, ik, il, jk, jl = map(tiles.get, pairs_of(task))
        needed = (ij.coulomb, kl.coulomb, ik.exchange, il.exchange, jk.exchange, jl.exchange)
        kernel.contract(task, needed, coulomb, exchange, gradient)
    del kernel, optimizer  # in this order: the kernel uses the optimizer
    return np.asarray(group.reduce(gradient, "sum"))


def _largest_contributions(
    tasks: TaskList, largest: BlockMaxima, coulomb: float, exchange: float
) -> NDArray[np.float64]:
    """Bound what the integrals of each task can add to the gradient, by products of densities."""
    i, j, k, l = tasks.quartets.T  # noqa: E741  # as in every textbook
    met = np.zeros(len(tasks.quartets))
    if largest.coulomb is not None:
        d = largest.coulomb
        met += coulomb * d[i, j] * d[k, l]
    if largest.exchange is not None:
        d = largest.exchange
        met += exchange * (d[i, k] * d[j, l] + d[i, l] * d[j, k])
    contributions: NDArray[np.float64] = tasks.bounds * met
    return contributions

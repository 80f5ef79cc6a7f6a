"""The derivative of a fitted two-electron energy by the positions of the atoms.

With c = V^-1 (Q|mn) D_mn and g = V^-1 (Q|ij), where (ij| are products of occupied orbitals, it is
that of sum Z[P, mn] (P|mn) - 1/2 sum w_PQ (P|Q), Z and w held fixed, where Z = c D and w = c c for
Coulomb's energy, and Z = -C g C and w = -g g for the exchange energy of orbitals C. What these
energies change by with D is bilinear, so that one C stands for orbitals of the change then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.three_index import FittingSet
from atoll.chem.fock.builds import check_densities
from atoll.chem.fock.signed_orbitals import signed_orbitals
from atoll.chem.gradients.fitted_pairs import fitted_density, fitted_pairs, orbital_batches
from atoll.chem.gradients.three_centre import (
    PairDensity,
    ProductDensity,
    three_centre_gradient,
)
from atoll.chem.gradients.two_centre import metric_gradient
from atoll.chem.integrals import fitting_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.df import DF
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocked_basis import BlockedBasis


def fitted_gradient(
    basis: BlockedBasis,
    fit: DF,
    densities: Sequence[Density],
    coulomb: float,
    exchange: float,
    omega: float = 0.0,
    changes: Sequence[atoll.Array] = (),
) -> NDArray[np.float64]:
    """Give the derivative of a fitted two-electron energy, the densities held fixed. Collective.

    The energy is that of `direct_gradient`, with (mn|kl) as `FittedIntegrals` has them. The
    fitting functions move with their atoms. Where the metric has no Cholesky factor, what its null
    space would add as it turns is left out.

    Args:
        basis: The molecule's functions in blocks.
        fit: Fitting set, and the bytes a rank for three-index quantities: where those of exchange
            need more, they come in batches of orbitals, with integrals computed anew for each.
        densities: Symmetric, with their orbitals if `exchange` is not 0.
        coulomb: The factor of the Coulomb energy.
        exchange: The factor of the exchange energy.
        omega: Above 0: the long range erf(omega r)/r alone of the Coulomb interaction, in 1/bohr.
        changes: Symmetric, one for each density: the energy that is derived has its derivatives by
            the densities, times these, in addition.

    Returns:
        Atoms x 3, hartree/bohr, the same on every rank.

    Raises:
        ValueError: On all ranks, for bad densities, or exchange of densities without orbitals.

    """
    check_densities(basis, densities)
    for number, density in enumerate(densities):
        if exchange != 0.0 and density.orbitals is None:
            raise ValueError(f"densities[{number}].orbitals is None, expected occupied orbitals")
    auxiliary = fitting_sets.functions(basis.mole, fit.auxbasis, omega)
    fitting = FittingSet(basis.mole, auxiliary, basis.group)
    shape = (fitting.functions, fitting.functions)
    of_metric = atoll.zeros(shape, group=basis.group, name="density of the metric")
    products = []
    if coulomb != 0.0:
        total = _total([density.matrix for density in densities])
        change = _total(changes) if changes else None
        products = _coulomb(basis, fitting, total, change, coulomb, fit.memory, of_metric)
    exchanges = []
    if exchange != 0.0:
        pairs_of = _exchange_pairs(densities, changes)
        room = fit.memory // (2 * len(pairs_of))
        exchanges = [_Exchange(fitting, each, exchange, room, of_metric) for each in pairs_of]
    gradient = np.zeros((basis.mole.natm, 3))
    rounds = [min(1, len(products)), *(len(each.batches) for each in exchanges)]
    for number in range(max(rounds)):
        pairs = [each.pairs(number) for each in exchanges if number < len(each.batches)]
        gradient += three_centre_gradient(basis, auxiliary, products, pairs, fit.memory // 2)
        for part in pairs:
            part.values.destroy()
        products = []  # once
    gradient -= 0.5 * metric_gradient(auxiliary, of_metric)
    fitting.close()
    return gradient


def _total(matrices: Sequence[atoll.Array]) -> atoll.Array:
    return sum(matrices[1:], start=matrices[0])


def _coulomb(
    basis: BlockedBasis,
    fitting: FittingSet,
    density: atoll.Array,
    change: atoll.Array | None,
    factor: float,
    memory: int,
    of_metric: atoll.Array,
) -> list[ProductDensity]:
    """Give Z of the Coulomb energy, and add w of it."""
    fitted = factor * fitted_density(basis, fitting, density, memory)
    of_change = np.zeros_like(fitted)
    products = [ProductDensity(fitted, density.mirror())]
    if change is not None:
        of_change = factor * fitted_density(basis, fitting, change, memory)
        products.append(ProductDensity(fitted, change.mirror()))
        products.append(ProductDensity(of_change, products[0].matrix))
    for (rows, columns), block in of_metric.blocks():
        block += np.outer(fitted[rows], fitted[columns]) / factor
        block += np.outer(fitted[rows], of_change[columns]) / factor
        block += np.outer(of_change[rows], fitted[columns]) / factor
    return products


class _Pairs(NamedTuple):
    """Orbitals, one copy a node, whose pairs have an exchange energy, and its factor."""

    left: atoll.Array
    right: atoll.Array
    factor: float


def _exchange_pairs(densities: Sequence[Density], changes: Sequence[atoll.Array]) -> list[_Pairs]:
    """Give the pairs of occupied orbitals, and those with orbitals of the changes."""
    pairs = []
    for number, density in enumerate(densities):
        assert density.orbitals is not None
        occupied = density.orbitals.mirror()
        pairs.append(_Pairs(occupied, occupied, 1.0))
        for values, sign in signed_orbitals(changes[number]) if changes else ():
            pairs.append(_Pairs(occupied, values, 2.0 * sign))
    return pairs


class _Exchange:
    """Z of the exchange energy of some pairs, in batches that fit a memory."""

    def __init__(
        self,
        fitting: FittingSet,
        pairs: _Pairs,
        factor: float,
        memory: int,
        of_metric: atoll.Array,
    ) -> None:
        self._fitting, self._pairs, self._memory = fitting, pairs, memory
        self._factor = -factor * pairs.factor
        self._of_metric = of_metric
        left, right = pairs.left.shape[1], pairs.right.shape[1]
        ranks = fitting.group.size
        self.batches = orbital_batches(fitting.functions, left, right, ranks, memory)

    def pairs(self, number: int) -> PairDensity:
        """Compute a batch, and add w of it. Collective; who asks frees the values."""
        left, right, _ = self._pairs
        batch = self.batches[number]
        values = fitted_pairs(self._fitting, left, batch, right, self._memory)
        atoll.matmul(values, values.at[...].T, self._of_metric, alpha=self._factor, beta=1.0)
        if left is right:
            return PairDensity(values, left, batch, right, self._factor)
        return PairDensity(values, left, batch, right, 0.5 * self._factor, both_ways=True)

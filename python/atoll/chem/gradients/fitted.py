"""The derivative of a fitted two-electron energy by the positions of the atoms.

With c = V^-1 (Q|mn) D_mn and g = V^-1 (Q|ij), where (ij| are products of occupied orbitals, it is
that of sum Z[P, mn] (P|mn) - 1/2 sum w_PQ (P|Q), Z and w held fixed, where Z = c D and w = c c for
Coulomb's energy, and Z = -C g C and w = -g g for the exchange energy of orbitals C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.correlation.three_index import FittingSet
from atoll.chem.fock.builds import check_densities
from atoll.chem.gradients.fitted_pairs import fitted_density, fitted_pairs, orbital_batches
from atoll.chem.gradients.three_centre import (
    PairDensity,
    ProductDensity,
    three_centre_gradient,
)
from atoll.chem.gradients.two_centre import metric_gradient
from atoll.chem.integrals import pyscf_wheel

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

    Returns:
        Atoms x 3, hartree/bohr, the same on every rank.

    Raises:
        ValueError: On all ranks, for bad densities, or exchange of densities without orbitals.

    """
    check_densities(basis, densities)
    for number, density in enumerate(densities):
        if exchange != 0.0 and density.orbitals is None:
            raise ValueError(f"densities[{number}].orbitals is None, expected occupied orbitals")
    auxiliary = pyscf_wheel.scf_fitting_functions(basis.mole, fit.auxbasis, omega)
    fitting = FittingSet(basis.mole, auxiliary, basis.group)
    shape = (fitting.functions, fitting.functions)
    of_metric = atoll.zeros(shape, group=basis.group, name="density of the metric")
    products = []
    if coulomb != 0.0:
        products.append(_coulomb(basis, fitting, densities, coulomb, fit.memory, of_metric))
    exchanges = []
    if exchange != 0.0:
        room = fit.memory // (2 * len(densities))
        orbitals = [density.orbitals for density in densities if density.orbitals is not None]
        exchanges = [_Exchange(fitting, each, exchange, room, of_metric) for each in orbitals]
    gradient = np.zeros((basis.mole.natm, 3))
    rounds = [len(products), *(len(each.batches) for each in exchanges)]
    for number in range(max(rounds)):
        pairs = [each.pairs(number) for each in exchanges if number < len(each.batches)]
        gradient += three_centre_gradient(basis, auxiliary, products, pairs, fit.memory // 2)
        for part in pairs:
            part.values.destroy()
        products = []  # once
    gradient -= 0.5 * metric_gradient(auxiliary, of_metric)
    fitting.close()
    return gradient


def _coulomb(
    basis: BlockedBasis,
    fitting: FittingSet,
    densities: Sequence[Density],
    factor: float,
    memory: int,
    of_metric: atoll.Array,
) -> ProductDensity:
    """Give Z of the Coulomb energy, and add w of it."""
    matrices = [density.matrix for density in densities]
    total = sum(matrices[1:], start=matrices[0])
    fitted = fitted_density(basis, fitting, total, memory)
    for (rows, columns), block in of_metric.blocks():
        block += factor * np.outer(fitted[rows], fitted[columns])
    return ProductDensity(factor * fitted, total.mirror())


class _Exchange:
    """Z of the exchange energy of some orbitals, in batches of pairs that fit a memory."""

    def __init__(
        self,
        fitting: FittingSet,
        orbitals: atoll.Array,
        factor: float,
        memory: int,
        of_metric: atoll.Array,
    ) -> None:
        self._fitting, self._factor, self._memory = fitting, factor, memory
        self._orbitals = orbitals.mirror()
        self._of_metric = of_metric
        count = orbitals.shape[1]
        ranks = fitting.group.size
        self.batches = orbital_batches(fitting.functions, count, count, ranks, memory)

    def pairs(self, number: int) -> PairDensity:
        """Compute a batch, and add w of it. Collective; who asks frees the values."""
        orbitals, batch = self._orbitals, self.batches[number]
        values = fitted_pairs(self._fitting, orbitals, batch, orbitals, self._memory)
        atoll.matmul(values, values.at[...].T, self._of_metric, alpha=-self._factor, beta=1.0)
        return PairDensity(values, orbitals, batch, orbitals, -self._factor)

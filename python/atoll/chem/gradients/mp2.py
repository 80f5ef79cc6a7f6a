"""The gradient of RI-MP2, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.amplitude_sums import amplitude_sums
from atoll.chem.correlation.ri_mp2 import Spin
from atoll.chem.correlation.three_index import FittingSet, PairTensor
from atoll.chem.gradients.assemble import two_electron_gradient, weighted_of
from atoll.chem.gradients.fitted_pairs import row_blocks
from atoll.chem.gradients.nuclear import repulsion_gradient
from atoll.chem.gradients.one_electron import one_electron_gradient
from atoll.chem.gradients.pair_derivative import add_derivative
from atoll.chem.gradients.relaxed_density import Unrelaxed, relaxed_densities
from atoll.chem.gradients.three_centre import PairDensity, three_centre_gradient
from atoll.chem.gradients.two_centre import metric_gradient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.amplitude_sums import Shares, Sums
    from atoll.chem.gradients.reference import Reference, SpinOrbitals
    from atoll.chem.self_consistency.field import Field


class SecondOrder(NamedTuple):
    """The result, equal on every rank."""

    energy: float
    """Of the correlation, hartree."""
    parts: dict[str, NDArray[np.float64]]
    """Of the gradient, by name: atoms x 3 in hartree/bohr."""


def second_order_gradient(
    mean_field: Field, reference: Reference, auxiliary: Any, shares: Shares, memory: int
) -> SecondOrder:
    """Give correlation energy and gradient. Collective.

    Args:
        mean_field: Hartree-Fock, converged.
        reference: Its orbitals, and what builds its Fock matrices.
        auxiliary: Fitting functions of the correlation, a `Mole` of PySCF.
        shares: Of the correlation of opposite and of equal spins.
        memory: Bytes a rank for the work, beside `bytes_of_pairs`.

    Raises:
        RuntimeError: On all ranks: the response of the orbitals does not converge.

    """
    densities = mean_field.density_arrays()
    correlation = _Correlation(reference, auxiliary, shares, memory)
    unrelaxed, gradient = correlation.without_response()
    changes, weighted = [], weighted_of(mean_field)
    for relaxed in relaxed_densities(reference, unrelaxed):
        relaxed.density.scale(reference.full)
        weighted.add_scaled(1.0, weighted, reference.full, relaxed.weighted)
        changes.append(relaxed.density)
    matrices = [*(density.matrix for density in densities), *changes]
    total = sum(matrices[1:], start=matrices[0])
    parts = {
        "nuclear repulsion": repulsion_gradient(mean_field.mol),
        "one-electron": one_electron_gradient(mean_field.basis, total, weighted),
        "two-electron": two_electron_gradient(mean_field, densities, changes),
        "correlation": gradient,
    }
    return SecondOrder(correlation.energy, parts)


def bytes_of_pairs(reference: Reference, fitting_functions: int) -> int:
    """Give the bytes a rank of integrals (Q|ia), and of the same weighted with amplitudes."""
    ranks = reference.basis.group.size
    pairs = [
        -(-(spin.count - spin.frozen) // ranks) * (len(spin.energies) - spin.count)
        for spin in reference.spins
    ]
    return 2 * 8 * fitting_functions * sum(pairs)


class _Correlation:
    """What integrals of fitted pairs add to the gradient, and what the orbitals answer to.

    Attributes:
        energy: The correlation energy in hartree, after `without_response`.

    """

    def __init__(self, reference: Reference, auxiliary: Any, shares: Shares, memory: int) -> None:
        self._reference, self._auxiliary = reference, auxiliary
        self._shares, self._memory = shares, memory
        self.energy = 0.0
        basis = reference.basis
        self._fitting = FittingSet(basis.mole, auxiliary, basis.group)

    def without_response(self) -> tuple[list[Unrelaxed], NDArray[np.float64]]:
        """Give derivatives by the orbitals, densities, and the gradient of the integrals."""
        # With i and a exchanged, and energies of opposite sign, amplitudes are the same.
        exchanged = self._tensors(exchanged=True)
        occupied = amplitude_sums(exchanged, self._shares, self._memory, weighted=False)
        _close(exchanged)
        tensors = self._tensors(exchanged=False)
        virtual = amplitude_sums(tensors, self._shares, self._memory, weighted=True)
        gradient = -0.5 * metric_gradient(self._auxiliary, self._of_metric(tensors, virtual))
        _close(tensors)
        found, pairs = [], []
        for spin, of_i, of_a in zip(self._reference.spins, occupied, virtual, strict=True):
            of_i.density.scale(-1.0)
            by_orbitals = atoll.zeros(spin.orbitals.shape, group=spin.basis.group)
            if spin.correlated:
                pairs.append(self._pairs(spin, of_a))
                add_derivative(by_orbitals, spin, self._fitting, pairs[-1], self._memory)
            found.append(Unrelaxed(by_orbitals, of_i.density, of_a.density))
        gradient += three_centre_gradient(
            self._reference.basis, self._auxiliary, [], pairs, self._memory
        )
        self._fitting.close()
        return found, gradient

    def _pairs(self, spin: SpinOrbitals, sums: Sums) -> PairDensity:
        assert sums.weighted is not None
        left, right = spin.active().mirror(), spin.virtual.mirror()
        every = slice(0, left.shape[1])
        full = self._reference.full
        return PairDensity(sums.weighted, left, every, right, full, both_ways=True)

    def _tensors(self, *, exchanged: bool) -> list[Spin]:
        made = []
        for spin in self._reference.spins:
            active, virtual = spin.active()[...], spin.virtual[...]
            e_i, e_a = spin.energies[spin.frozen : spin.count], spin.energies[spin.count :]
            if exchanged:
                tensor = PairTensor(self._fitting, virtual, active, self._memory)
                made.append(Spin(tensor, -e_a, -e_i))
            else:
                tensor = PairTensor(self._fitting, active, virtual, self._memory)
                made.append(Spin(tensor, e_i, e_a))
        return made

    def _of_metric(self, tensors: Sequence[Spin], sums: Sequence[Sums]) -> atoll.Array:
        """Give twice the sum over pairs of weights and integrals, times the factor's transpose.

        That makes V^-1 (Q|ia) of B[Q, ia], in place. Their product before is the energy.
        """
        functions, group = self._fitting.functions, self._fitting.group
        found = atoll.zeros((functions, functions), group=group, name="density of the metric")
        for spin, of_spin in zip(tensors, sums, strict=True):
            assert spin.tensor.whole is not None
            assert of_spin.weighted is not None
            fitted, weights = spin.tensor.whole.array, of_spin.weighted
            if fitted.size > 0:
                energy = float(atoll.algebra.sum_of_products(fitted, weights))
                self.energy += 0.5 * self._reference.full * energy
            _fit_back(fitted, self._fitting, self._memory)
            _fit_back(weights, self._fitting, self._memory)
            _add_products(found, weights.local(), fitted.local(), 2.0 * self._reference.full)
        group.sync()
        return found


def _close(spins: Sequence[Spin]) -> None:
    for spin in spins:
        spin.tensor.close()


def _fit_back(pairs: atoll.Array, fitting: FittingSet, memory: int) -> None:
    """Multiply this rank's part of Q x i x a by the factor's transpose, some i at a time."""
    own = pairs.local()
    if own.size > 0:
        width = max(1, memory // (4 * 3 * 8 * own.shape[0] * own.shape[2]))
        for begin in range(0, own.shape[1], width):
            part = own[:, begin : begin + width]
            part[...] = fitting.fit_back(part.reshape(len(part), -1)).reshape(part.shape)
    pairs.group.sync()


def _add_products(
    total: atoll.Array, left: NDArray[np.float64], right: NDArray[np.float64], factor: float
) -> None:
    """Add products of this rank's pairs, some rows at a time."""
    if left.size == 0:
        return
    columns = right.reshape(len(right), -1).T
    for rows in row_blocks(len(left)):
        part = left[rows].reshape(rows.stop - rows.start, -1)
        total.at[rows, :] += factor * (part @ columns)

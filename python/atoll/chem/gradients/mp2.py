"""The gradient of RI-MP2 of closed shells, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.correlation.amplitude_sums import amplitude_density, weighted_integrals
from atoll.chem.correlation.ri_mp2 import Spin
from atoll.chem.correlation.three_index import FittingSet, PairTensor
from atoll.chem.gradients.assemble import two_electron_gradient, weighted_of
from atoll.chem.gradients.fitted_pairs import row_blocks
from atoll.chem.gradients.nuclear import repulsion_gradient
from atoll.chem.gradients.one_electron import one_electron_gradient
from atoll.chem.gradients.relaxed_density import derivative_by_orbitals, relaxed_density
from atoll.chem.gradients.three_centre import PairDensity, three_centre_gradient
from atoll.chem.gradients.two_centre import metric_gradient
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.amplitude_sums import Shares
    from atoll.chem.gradients.closed_shells import ClosedShells
    from atoll.chem.gradients.relaxed_density import Relaxed
    from atoll.chem.self_consistency.field import Field


def second_order_parts(
    mean_field: Field, shells: ClosedShells, auxiliary: Any, shares: Shares, memory: int
) -> dict[str, NDArray[np.float64]]:
    """Give the parts of the gradient, atoms x 3 in hartree/bohr, on every rank. Collective.

    Args:
        mean_field: Hartree-Fock of closed shells, converged.
        shells: Its orbitals, and what builds its Fock matrix.
        auxiliary: Fitting functions of the correlation, a `Mole` of PySCF.
        shares: Of the correlation of opposite and of equal spins.
        memory: Bytes a rank for the work, beside two tensors of pairs.

    Raises:
        RuntimeError: On all ranks: the response of the orbitals does not converge.

    """
    (density,) = mean_field.density_arrays()
    gradient, relaxed = _correlation(shells, auxiliary, shares, memory)
    total = density.matrix + relaxed.density
    weighted = weighted_of(mean_field) + relaxed.weighted
    return {
        "nuclear repulsion": repulsion_gradient(mean_field.mol),
        "one-electron": one_electron_gradient(mean_field.basis, total, weighted),
        "two-electron": two_electron_gradient(mean_field, [density], relaxed.density),
        "correlation": gradient,
    }


def _correlation(
    shells: ClosedShells, auxiliary: Any, shares: Shares, memory: int
) -> tuple[NDArray[np.float64], Relaxed]:
    """Give what integrals of fitted pairs add to the gradient, and the relaxed density."""
    basis = shells.basis
    fitting = FittingSet(basis.mole, auxiliary, basis.group)
    active = columns(shells.orbitals, shells.frozen, shells.count)
    e_i, e_a = shells.energies[shells.frozen : shells.count], shells.energies[shells.count :]
    c_i, c_a = active[...], shells.virtual[...]

    # With i and a exchanged, and energies of opposite sign, amplitudes are the same.
    exchanged = PairTensor(fitting, c_a, c_i, memory)
    occupied = amplitude_density(Spin(exchanged, -e_a, -e_i), shares, memory)
    exchanged.close()
    occupied.scale(-2.0)

    tensor = PairTensor(fitting, c_i, c_a, memory)
    weighted, virtual = weighted_integrals(Spin(tensor, e_i, e_a), shares, memory)
    virtual.scale(2.0)
    assert tensor.whole is not None
    fitted = tensor.whole.array
    _fit_back(weighted, fitting, memory)
    _fit_back(fitted, fitting, memory)
    of_metric = _of_metric(weighted, fitted)
    tensor.close()

    left, right = active.mirror(), shells.virtual.mirror()
    derivative = derivative_by_orbitals(shells, fitting, weighted, left, right, memory)
    every = slice(0, active.shape[1])
    pairs = PairDensity(weighted, left, every, right, 2.0, both_ways=True)
    gradient = three_centre_gradient(basis, auxiliary, [], [pairs], memory)
    gradient -= 0.5 * metric_gradient(auxiliary, of_metric)
    fitting.close()
    weighted.destroy()
    return gradient, relaxed_density(shells, derivative, occupied, virtual)


def _fit_back(pairs: atoll.Array, fitting: FittingSet, memory: int) -> None:
    """Multiply this rank's part of Q x i x a by the factor's transpose, some i at a time."""
    own = pairs.local()
    if own.size > 0:
        width = max(1, memory // (4 * 3 * 8 * own.shape[0] * own.shape[2]))
        for begin in range(0, own.shape[1], width):
            part = own[:, begin : begin + width]
            part[...] = fitting.fit_back(part.reshape(len(part), -1)).reshape(part.shape)
    pairs.group.sync()


def _of_metric(weighted: atoll.Array, fitted: atoll.Array) -> atoll.Array:
    """Give 4 times the sum over ia of Y[P, ia] V^-1 (Q|ia)."""
    functions = len(fitted)
    found = atoll.zeros((functions, functions), group=fitted.group, name="density of the metric")
    left, right = weighted.local(), fitted.local()
    if left.size > 0:
        right = right.reshape(functions, -1)
        for rows in row_blocks(functions):
            part = left[rows].reshape(rows.stop - rows.start, -1)
            found.at[rows, :] += 4.0 * part @ right.T
    found.group.sync()
    return found

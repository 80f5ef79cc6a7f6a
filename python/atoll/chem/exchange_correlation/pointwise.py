"""Densities on points from a density matrix, and back: matrices from a potential on points.

Arrays of functions are components x functions x points, as `pyscf_grids.Functions` gives them. The
products of matrices are NumPy's: PySCF's wheel carries a slower BLAS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def density_on_points(functions: Floats, matrix: Floats, components: int) -> Floats:
    """Compute a density on points, components x points: itself; its gradient; tau.

    `matrix` is symmetric, of the functions given; `components` is 1, 4 or 5.
    """
    density = np.empty((components, functions.shape[-1]))
    turned = matrix @ functions[0]
    if components == 1:
        np.einsum("ip,ip->p", functions[0], turned, out=density[0])
        return density
    np.einsum("xip,ip->xp", functions[:4], turned, out=density[:4])
    density[1:4] *= 2.0  # either factor of the product is differentiated
    if components == 5:
        density[4] = 0.0
        for along in functions[1:4]:
            density[4] += 0.5 * np.einsum("ip,ip->p", along, np.matmul(matrix, along, out=turned))
    return density


def half_of_potential(functions: Floats, potential: Floats) -> Floats:
    """Compute a matrix that, with its transpose, is that of a potential, functions x functions.

    `potential` is components x points: the derivatives of the energy density by the components of
    the density, times the weights.
    """
    components = len(potential)
    scale = potential.copy()
    scale[0] *= 0.5
    if components == 5:
        # Tau has a factor of one half, and its matrix is symmetric: half of it is for each half.
        scale[4] *= 0.25
    rows = min(components, 4)
    weighted = np.einsum("xip,xp->ip", functions[:rows], scale[:rows])
    half: Floats = functions[0] @ weighted.T
    if components == 5:
        for along in functions[1:4]:
            np.multiply(along, scale[4], out=weighted)
            half += along @ weighted.T
    return half


SECOND = ((4, 5, 6), (5, 7, 8), (6, 8, 9))
"""Where the second derivatives by two coordinates are among the components of functions."""


def forces_on_functions(functions: Floats, matrix: Floats, potential: Floats) -> Floats:
    """Compute what moving each function's centre changes in the energy, 3 x functions.

    Args:
        functions: With second derivatives, but for LDA with first ones.
        matrix: The density matrix of these functions, symmetric.
        potential: As in `half_of_potential`.

    """
    turned = matrix @ functions[0]
    if len(potential) == 1:
        turned *= potential[0]
        forces: Floats = np.einsum("xip,ip->xi", functions[1:4], turned)
        return -2.0 * forces
    scale = potential.copy()
    scale[0] *= 0.5
    weighted = np.einsum("xip,xp->ip", functions[:4], scale[:4])
    forces = np.einsum("xip,ip->xi", functions[1:4], matrix @ weighted)
    for along in range(3):
        np.multiply(functions[1 + along], scale[0], out=weighted)
        for across in range(3):
            weighted += functions[SECOND[along][across]] * scale[1 + across]
        forces[along] += np.einsum("ip,ip->i", weighted, turned)
    if len(potential) == 5:
        for across in range(3):
            np.multiply(functions[1 + across], 0.5 * scale[4], out=weighted)
            turned = matrix @ weighted
            for along in range(3):
                forces[along] += np.einsum("ip,ip->i", functions[SECOND[along][across]], turned)
    return -2.0 * forces

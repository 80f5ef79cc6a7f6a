"""geomeTRIC's optimiser, over a function of the geometry. Imported only where it is asked for."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import geometric.engine
import geometric.internal
import geometric.molecule
import geometric.optimize
import geometric.params
import geometric.step
import numpy as np
from geometric.errors import GeomOptNotConvergedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Compute = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]

ANGSTROM = geometric.nifty.bohr2ang
"""Angstrom in a bohr, by geomeTRIC's constants."""


class _Engine(geometric.engine.Engine):  # type: ignore[misc]  # it has no types
    """Asks a function for energies and gradients, and keeps what it raises."""

    def __init__(self, molecule: Any, compute: Compute) -> None:
        super().__init__(molecule)
        self._compute = compute
        self.failure: Exception | None = None

    def calc_new(self, coords: NDArray[np.float64], dirname: str) -> dict[str, Any]:
        """Compute what geomeTRIC asks for, in hartree and bohr."""
        del dirname
        try:
            energy, gradient = self._compute(coords.reshape(-1, 3))
        except Exception as error:
            self.failure = error
            raise
        return {"energy": energy, "gradient": gradient.ravel()}


def minimise(
    elements: Sequence[str],
    positions: NDArray[np.float64],
    compute: Compute,
    max_steps: int,
    settings: dict[str, Any],
) -> tuple[bool, NDArray[np.float64], NDArray[np.float64]]:
    """Find a minimum of the energy from `positions` (atoms x 3, bohr).

    Args:
        elements: Symbols of the atoms.
        positions: Where they are at first.
        compute: Gives energy and gradient at positions, in hartree and bohr.
        max_steps: Moves of the atoms at most.
        settings: geomeTRIC's own options, such as `convergence_set`.

    Returns:
        Whether it has been found, the last positions, and what that is told by: pairs of values
        and limits, as `CRITERIA` names them.

    """
    molecule = geometric.molecule.Molecule()
    molecule.elem = list(elements)
    molecule.xyzs = [positions * ANGSTROM]
    molecule.build_topology()
    engine = _Engine(molecule, compute)
    parameters = geometric.params.OptParams(maxiter=max_steps, **settings)
    parameters.xyzout = None
    coordinates = geometric.internal.DelocalizedInternalCoordinates(
        molecule, build=True, connect=False, addcart=False
    )
    with tempfile.TemporaryDirectory() as folder:
        optimizer = geometric.optimize.Optimizer(
            positions.ravel(), molecule, coordinates, engine, folder, parameters
        )
        converged = True
        try:
            optimizer.optimizeGeometry()
        except GeomOptNotConvergedError:
            converged = False
        except Exception as error:
            raise engine.failure or error from None
    return converged, np.asarray(optimizer.X).reshape(-1, 3), _criteria(optimizer)


def _criteria(optimizer: Any) -> NDArray[np.float64]:
    """Give values and limits in the order of `CRITERIA`, criteria x 2."""
    limits = optimizer.params
    change = abs(optimizer.E - optimizer.Eprev)
    root_mean_square, largest = optimizer.calcGradNorm()
    moved, furthest = geometric.step.calc_drms_dmax(optimizer.X, optimizer.Xprev)
    pairs = [
        (change, limits.Convergence_energy),
        (root_mean_square, limits.Convergence_grms),
        (largest, limits.Convergence_gmax),
        (moved, limits.Convergence_drms),
        (furthest, limits.Convergence_dmax),
    ]
    return np.array(pairs, dtype=np.float64)

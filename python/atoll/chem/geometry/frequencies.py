"""Harmonic vibrations by differences of gradients, one geometry a group of ranks at a time."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

import atoll
from atoll import _agreement
from atoll._agreement import collective
from atoll._stop import Stopped, stop_point
from atoll.chem.convergence import DID_NOT_CONVERGE
from atoll.chem.geometry.forces import STATIONARY, largest_force
from atoll.chem.geometry.ghosts import refuse_ghosts, refuse_some_atoms
from atoll.chem.geometry.moved import carried_over, moved_to
from atoll.chem.geometry.normal_modes import NormalModes, normal_modes
from atoll.chem.self_consistency.unconverged import unconverged

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll.chem.geometry.scanner import Derived, HasGradient
    from atoll.chem.self_consistency.mean_field import MeanField

STEP = 5e-3
"""Bohr that each coordinate is moved to either side."""
LARGEST_ERROR = 1e-6
"""Of the self-consistent field of a geometry, where `conv_tol_grad` says nothing."""


@dataclass(frozen=True)
class Frequencies:
    """Vibrations of a molecule, equal on every rank."""

    hessian: NDArray[np.float64]
    """Second derivatives of the energy, 3 atoms x 3 atoms, hartree/bohr^2."""
    modes: NormalModes
    gradient: NDArray[np.float64]
    """Of the energy there, atoms x 3, hartree/bohr."""

    @property
    def largest_force(self) -> float:
        """On an atom, hartree/bohr."""
        return largest_force(self.gradient)

    @property
    def is_stationary(self) -> bool:
        """Whether the geometry is one where frequencies mean something."""
        return self.largest_force < STATIONARY

    @property
    def wavenumbers(self) -> NDArray[np.float64]:
        """In 1/cm, ascending; imaginary ones are negative."""
        return self.modes.wavenumbers

    @property
    def zero_point_energy(self) -> float:
        """Of the real vibrations, hartree."""
        return self.modes.zero_point_energy


@collective
def frequencies(
    method: HasGradient,
    *,
    step: float = STEP,
    ranks_per_geometry: int = 1,
    callback: Callable[[int, int], None] | None = None,
) -> Frequencies:
    """Compute harmonic vibrations at the geometry of `method`, a minimum. Collective.

    Second derivatives are central differences of gradients at 6 x atoms geometries. They are
    dealt to groups of ranks: each computes whole geometries, in memory of its own ranks. Where
    forces are not small, a RuntimeWarning on the first rank says so.

    Args:
        method: A mean field, `mp.DFMP2`, or gradients; it is computed first where it has no result.
        step: Bohr that each coordinate is moved to either side.
        ranks_per_geometry: Ranks that compute one geometry together; more where the matrices of a
            calculation do not fit fewer.
        callback: Called as callback(done, total) before each geometry of this rank's group.

    Raises:
        RuntimeError: The self-consistent field of a geometry did not converge, or failed.
        ValueError: `step` or `ranks_per_geometry` makes no sense.
        NotImplementedError: The method has no gradient, the molecule a ghost atom, or the
            gradients an `atmlst`.

    On all ranks alike.

    """
    gradients = method.nuc_grad_method()
    mean_field = cast("MeanField", gradients.base)
    refuse_ghosts(mean_field.mol, "frequencies")
    refuse_some_atoms(gradients, "frequencies")
    group = mean_field.group
    if not step > 0.0:
        raise ValueError(f"step is {step!r}, expected more than 0 bohr")
    if not 1 <= ranks_per_geometry <= group.size:
        raise ValueError(
            f"ranks_per_geometry is {ranks_per_geometry}, expected 1 to {group.size}, all ranks"
        )
    if not mean_field.orbitals:
        mean_field.kernel()
    gradient = gradients.kernel()  # whoever has none says so before the work begins
    found = _gradients(gradients, step, ranks_per_geometry, callback)
    rows = (found[:, 0] - found[:, 1]) / (2.0 * step)
    hessian = (rows + rows.T) / 2.0
    mol = mean_field.mol
    masses = np.asarray(mol.atom_mass_list(isotope_avg=True), dtype=np.float64)
    result = Frequencies(hessian, normal_modes(hessian, masses, mol.atom_coords()), gradient)
    if group.rank == 0 and not result.is_stationary:
        warnings.warn(not_stationary(result), RuntimeWarning, stacklevel=3)
    return result


def not_stationary(found: Frequencies) -> str:
    """Say that the geometry is none to compute frequencies at."""
    return (
        f"the geometry is not stationary: the largest force is {found.largest_force:.1e} "
        f"hartree/bohr, expected below {STATIONARY:.1e}; wavenumbers and zero-point energy are "
        "not those of a molecule at rest: optimise it first"
    )


def _gradients(
    gradients: Derived,
    step: float,
    ranks: int,
    callback: Callable[[int, int], None] | None,
) -> NDArray[np.float64]:
    """Give the gradient of each coordinate moved up and down: coordinates x 2 x coordinates."""
    group, mol = gradients.base.group, gradients.mol
    total = 6 * mol.natm
    found = np.zeros((3 * mol.natm, 2, 3 * mol.natm))
    tasks = atoll.Counter(group=group)
    team = group.split(group.rank // ranks)
    assert team is not None
    failure: Exception | None = None
    try:
        while (task := _next(tasks, team)) < total:
            coordinate, side = divmod(task, 2)
            move = -step if side else step
            tell = None if callback is None else functools.partial(callback, task, total)
            gradient = _gradient_of(team, gradients, coordinate, move, tell)
            if team.rank == 0:
                found[coordinate, side] = gradient.ravel()
    except Stopped:
        tasks.next(total)  # the others stop, too
    except Exception as error:
        # Known to this team only: a new error, which the others do not know yet.
        failure = RuntimeError(f"a displaced geometry failed: {error}")
        failure.__cause__ = error
        tasks.next(total)  # let the others stop, too
    _agreement.leave(group, failure)
    stop_point(group)
    return np.asarray(group.reduce(found))


def _next(tasks: atoll.Counter, team: atoll.Group) -> int:
    """Take a task for the whole team."""
    return int(team.broadcast(tasks.next() if team.rank == 0 else None))


@collective
def _gradient_of(
    team: atoll.Group,
    gradients: Derived,
    coordinate: int,
    move: float,
    tell: Callable[[], None] | None,
) -> NDArray[np.float64]:
    """Give the gradient where a coordinate is moved by so much. Collective over the team."""
    if tell is not None:
        tell()
    mean_field = cast("MeanField", gradients.base)
    positions = mean_field.mol.atom_coords()
    positions[divmod(coordinate, 3)] += move
    mol = mean_field.mol.set_geom_(positions, unit="Bohr", inplace=False)
    with atoll.use_group(team):
        moved = moved_to(mean_field, mol, team)
        moved.verbose = 0
        moved.observer = None
        moved.chkfile = None
        moved.restart_from = None
        if moved.conv_tol_grad is None:  # errors of gradients are divided by a small step
            moved.conv_tol_grad = LARGEST_ERROR
        moved.kernel(carried_over(mean_field, moved))
        if not moved.converged:
            left = unconverged(moved)
            text = f"the self-consistent field {DID_NOT_CONVERGE}"
            raise RuntimeError(f"{text} {left.sentence()}" if left else text)
        return gradients.moved(moved).kernel()

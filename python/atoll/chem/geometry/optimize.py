"""Geometry optimisation: geomeTRIC drives on the first rank, all ranks compute."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from atoll._agreement import collective
from atoll.chem.convergence import DID_NOT_CONVERGE, Quantity, Unconverged
from atoll.chem.geometry.ghosts import refuse_ghosts, refuse_some_atoms
from atoll.chem.geometry.scanner import GradientScanner
from atoll.chem.self_consistency.unconverged import unconverged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from atoll.chem.geometry.scanner import Derived, HasGradient
    from atoll.chem.self_consistency.mean_field import MeanField

_COMPUTE, _END, _UNCONVERGED = 0.0, 1.0, 2.0
CRITERIA = {
    "energy change": " hartree",
    "rms force": " hartree/bohr",
    "largest force": " hartree/bohr",
    "rms move": " angstrom",
    "largest move": " angstrom",
}
"""What convergence is told by, all of which are to be below their limits, and units."""


@dataclass(frozen=True)
class Step:
    """One geometry of an optimisation, equal on every rank."""

    number: int
    """From 1."""
    energy: float
    """Hartree."""
    gradient: NDArray[np.float64]
    """Atoms x 3, hartree/bohr."""
    positions: NDArray[np.float64]
    """Atoms x 3, bohr."""
    cycles: int
    """Iterations of the self-consistent field."""
    curvature: float | None = None
    """Of the self-consistent field, as `Solution.curvature`: of what began with a guess."""
    saddles_left: int = 0
    """By the self-consistent field, as `Solution.saddles_left`."""


@dataclass(frozen=True)
class Optimization:
    """What an optimisation ends with, equal on every rank."""

    converged: bool
    mean_field: MeanField
    """At the last geometry."""
    steps: tuple[Step, ...]
    criteria: tuple[Quantity, ...] = ()
    """What convergence is told by, at the last geometry; none for an atom alone."""

    @property
    def moves(self) -> int:
        """How often the atoms were moved: once less than there are geometries."""
        return len(self.steps) - 1

    @property
    def unconverged(self) -> Unconverged | None:
        """What is not converged; None: all is."""
        if self.converged:
            return None
        count = f"{self.moves} move{'' if self.moves == 1 else 's'}"
        return Unconverged("atoms", count, self.criteria)

    @property
    def mol(self) -> Any:
        """PySCF's `Mole` of the last geometry."""
        return self.mean_field.mol

    @property
    def energies(self) -> tuple[float, ...]:
        """Energy of each step, hartree."""
        return tuple(step.energy for step in self.steps)


class _Surface:
    """The energy as a function of the geometry, and the steps that have been made on it."""

    def __init__(
        self,
        gradients: Derived,
        callback: Callable[[Step], None] | None,
        trajectory: str | Path | None,
        append: bool,
    ) -> None:
        self._start = gradients.mol
        self._scanner = GradientScanner(gradients)
        self._callback = callback
        self._trajectory = trajectory
        self._append = append
        self.steps: list[Step] = []

    @property
    def mean_field(self) -> MeanField:
        """The mean field of the last geometry."""
        return cast("MeanField", self._scanner.base)

    def compute(self, positions: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Give energy and gradient. Collective.

        Raises RuntimeError where the self-consistent field does not converge.
        """
        mol = self._start.set_geom_(positions, unit="Bohr", inplace=False)
        energy, gradient = self._scanner(mol)
        number = len(self.steps) + 1
        if not self._scanner.converged:
            left = unconverged(self.mean_field)
            text = f"the self-consistent field of geometry {number} {DID_NOT_CONVERGE}"
            raise RuntimeError(f"{text} {left.sentence()}" if left else text)
        solution = self.mean_field.solution
        looked = (solution.curvature, solution.saddles_left) if solution else (None, 0)
        step = Step(number, energy, gradient, positions, self.mean_field.cycles, *looked)
        self.steps.append(step)
        if self._trajectory is not None:
            how = "a" if self._append or number > 1 else "w"
            with open(self._trajectory, how, encoding="utf-8") as file:
                file.write(_frame(mol, step))
        if self._callback is not None:
            self._callback(step)
        return energy, gradient


@collective
def optimize(
    method: HasGradient,
    *,
    max_steps: int = 100,
    trajectory: str | Path | None = None,
    append_trajectory: bool = False,
    callback: Callable[[Step], None] | None = None,
    **settings: Any,
) -> Optimization:
    """Move the atoms to a minimum of the energy. Collective.

    Each geometry begins with the orbitals of the one before. `method` stays as it is.

    Args:
        method: A mean field, `mp.DFMP2`, or gradients: settings, and the first geometry.
        max_steps: Moves of the atoms at most, 1 or more.
        trajectory: XYZ file that the first rank writes each geometry to when it is computed.
        append_trajectory: Whether what the file holds stays, as that of a run that is gone on from.
        callback: Called after each geometry on every rank that gave one.
        settings: Options of geomeTRIC, the same on every rank: `convergence_set="GAU_TIGHT"`,
            `convergence_energy=1e-7` (hartree), `convergence_grms`, `convergence_gmax`
            (hartree/bohr), `convergence_drms`, `convergence_dmax` (angstrom), `trust` and so on.

    Raises:
        ImportError: The first rank has no geomeTRIC.
        RuntimeError: The self-consistent field of a geometry did not converge.
        ValueError: `max_steps` is below 1.
        OSError: The first rank cannot write the trajectory.
        NotImplementedError: The method has no gradient, the molecule a ghost atom, or the
            gradients an `atmlst`.

    On all ranks alike.

    """
    if max_steps < 1:
        raise ValueError(f"max_steps is {max_steps}, expected 1 or more")
    gradients = method.nuc_grad_method()
    refuse_ghosts(gradients.mol, "geometry optimisation")
    refuse_some_atoms(gradients, "geometry optimisation")
    group = gradients.base.group
    own = trajectory if group.rank == 0 else None
    surface = _Surface(gradients, callback, own, append_trajectory)
    start = np.asarray(gradients.mol.atom_coords(), dtype=np.float64)
    if len(start) == 1:  # an atom alone is where it should be
        surface.compute(start)
        group.sync()  # also what fails there is raised on all ranks
        return Optimization(True, surface.mean_field, tuple(surface.steps))
    converged, end = True, start
    criteria = np.zeros((len(CRITERIA), 2))
    if group.rank == 0:

        def compute(positions: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            group.broadcast(_message(_COMPUTE, positions))
            return surface.compute(positions.copy())

        converged, end, criteria = _driver().minimise(
            [gradients.mol.atom_pure_symbol(atom) for atom in range(len(start))],
            start, compute, max_steps, settings,
        )  # fmt: skip
        group.broadcast(_message(_END if converged else _UNCONVERGED, end))
    else:
        while True:
            kind, end = _read(np.asarray(group.broadcast(None)))
            if kind != _COMPUTE:
                converged = kind == _END
                break
            surface.compute(end)
    if not np.array_equal(end, surface.steps[-1].positions):  # the last step was taken back
        surface.compute(end)
    told = np.asarray(group.broadcast(criteria)).reshape(-1, 2)
    quantities = tuple(
        Quantity(name, float(value), float(limit), unit)
        for (name, unit), (value, limit) in zip(CRITERIA.items(), told, strict=True)
    )
    return Optimization(converged, surface.mean_field, tuple(surface.steps), quantities)


def _frame(mol: Any, step: Step) -> str:
    """Give a geometry in XYZ format."""
    positions = mol.atom_coords(unit="Angstrom")
    lines = [str(len(positions)), f"geometry {step.number} energy {step.energy:.12f} hartree"]
    for atom, (x, y, z) in enumerate(positions):
        lines.append(f"{mol.atom_pure_symbol(atom):<3}{x:18.10f}{y:18.10f}{z:18.10f}")
    return "\n".join(lines) + "\n"


def _driver() -> Any:
    try:
        return importlib.import_module("atoll.chem.geometry.driver")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "geometric":
            raise
        raise ImportError(
            "geometry optimisation needs geomeTRIC: pip install '.[chem]' in Atoll's folder"
        ) from None


def _message(kind: float, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([[kind], positions.ravel()])


def _read(message: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    return float(message[0]), message[1:].reshape(-1, 3).copy()

"""Densities and orbitals on a regular grid, in Gaussian's cube format.

All ranks compute, a plane of the grid a task; the first one writes, a plane at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll._agreement import collective
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.results.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TextIO

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.mean_field import MeanField

    Field = Callable[[NDArray[np.float64]], NDArray[np.float64]]

POINTS = 80
"""Along each edge of the box, where nothing else is said."""
MARGIN = 3.0
"""Bohr around the atoms."""
BATCH = 4096
"""Points that a task computes at once."""


@dataclass(frozen=True)
class Box:
    """A regular grid around a molecule, its edges along x, y and z."""

    origin: NDArray[np.float64]
    """Bohr."""
    steps: NDArray[np.float64]
    """Bohr, along x, y and z."""
    counts: tuple[int, int, int]
    """Points along x, y and z."""

    @classmethod
    def around(
        cls, mol: Any, points: Sequence[int], resolution: float | None, margin: float
    ) -> Box:
        """Make the grid that PySCF's `cubegen` makes of these options."""
        positions = np.asarray(mol.atom_coords(), dtype=np.float64)
        origin = positions.min(axis=0) - margin
        extent = positions.max(axis=0) - origin + margin
        numbers = np.asarray(points, dtype=int)
        if resolution is not None:
            if not resolution > 0.0:
                raise ValueError(f"resolution is {resolution!r}, expected more than 0 bohr")
            numbers = np.ceil(extent / resolution).astype(int)
        if numbers.shape != (3,) or (numbers < 2).any():
            raise ValueError(f"points is {points!r}, expected three numbers of 2 or more")
        nx, ny, nz = (int(number) for number in numbers)
        return cls(origin, extent / (numbers - 1), (nx, ny, nz))

    def plane(self, x: int) -> NDArray[np.float64]:
        """Give the positions of a plane, y by y: points x 3, bohr."""
        _, ny, nz = self.counts
        y, z = np.divmod(np.arange(ny * nz), nz)
        return np.asarray(self.origin + np.stack([np.full_like(y, x), y, z], axis=1) * self.steps)


@collective
def write_density(
    mean_field: MeanField,
    path: str | Path,
    *,
    points: Sequence[int] = (POINTS, POINTS, POINTS),
    resolution: float | None = None,
    margin: float = MARGIN,
) -> None:
    """Write the density of all electrons, in 1/bohr^3. Collective.

    Args:
        mean_field: One with orbitals.
        path: File; the first rank writes it.
        points: Along x, y and z.
        resolution: Bohr between points, about; instead of `points`.
        margin: Bohr around the atoms.

    Raises:
        RuntimeError: There are no orbitals.
        ValueError: The options make no grid.
        OSError: The file cannot be written.

    On all ranks.

    """
    box = Box.around(mean_field.mol, points, resolution, margin)
    basis = mean_field.basis
    factors = [density.orbitals for density in mean_field.density_arrays()]

    def density(positions: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.zeros(len(positions))
        for orbitals in factors:
            assert orbitals is not None
            values = _orbital_values(basis, orbitals, slice(0, orbitals.shape[1]), positions)
            total += np.einsum("pi,pi->p", values, values)
        return total

    _write(mean_field, path, box, density, "Electron density in real space (e/Bohr^3)")


@collective
def write_orbital(
    mean_field: MeanField,
    path: str | Path,
    orbital: int,
    spin: int = 0,
    *,
    points: Sequence[int] = (POINTS, POINTS, POINTS),
    resolution: float | None = None,
    margin: float = MARGIN,
) -> None:
    """Write an orbital, numbered from 0, in 1/bohr^(3/2). Collective.

    `spin` is 0 or, for the second spin, 1; see `write_density` for the others, and for errors.
    """
    box = Box.around(mean_field.mol, points, resolution, margin)
    if not mean_field.orbitals:
        raise RuntimeError("there are no orbitals yet: call kernel() or run()")
    if not 0 <= spin < mean_field.spins:
        raise ValueError(f"spin is {spin}, expected 0 to {mean_field.spins - 1}")
    coefficients = mean_field.orbitals[spin]
    if not 0 <= orbital < coefficients.shape[1]:
        raise ValueError(f"orbital is {orbital}, expected 0 to {coefficients.shape[1] - 1}")
    basis = mean_field.basis

    def values(positions: NDArray[np.float64]) -> NDArray[np.float64]:
        column = slice(orbital, orbital + 1)
        return _orbital_values(basis, coefficients, column, positions)[:, 0]

    _write(mean_field, path, box, values, "Orbital value in real space (1/Bohr^1.5)")


def _orbital_values(
    basis: BlockedBasis, coefficients: atoll.Array, part: slice, positions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the values of some orbitals, points x orbitals. No rank holds all coefficients."""
    values = np.zeros((len(positions), part.stop - part.start))
    for block in range(basis.blocks.count):
        shells = basis.blocks.shell_range(block)
        functions = pyscf_wheel.function_values(basis.mole, positions, (shells.start, shells.stop))
        values += functions @ coefficients[basis.blocks.function_range(block), part]
    return values


def _write(mean_field: MeanField, path: str | Path, box: Box, field: Field, title: str) -> None:
    group = mean_field.group
    nx, ny, nz = box.counts
    with atoll.zeros((nx, ny * nz), group=group, name="cube") as planes:
        for x in atoll.Counter(group=group).below(nx):
            positions = box.plane(x)
            for begin in range(0, len(positions), BATCH):
                part = slice(begin, min(begin + BATCH, len(positions)))
                planes[x, part] = field(positions[part])
        group.sync()
        if group.rank == 0:
            with whole_file(path) as file:
                _write_header(file, mean_field.mol, box, title)
                for x in range(nx):
                    _write_plane(file, planes[x], nz)
        group.sync()


def _write_header(file: TextIO, mol: Any, box: Box, title: str) -> None:
    file.write(f"{title}\nmade by Atoll {atoll.__version__}\n")
    lines = [(mol.natm, box.origin)]
    lines += [(count, step) for count, step in zip(box.counts, np.diag(box.steps), strict=True)]
    for number, vector in lines:
        file.write(f"{number:5d}" + "".join(f"{x:12.6f}" for x in vector) + "\n")
    for atom in range(mol.natm):
        number = pyscf_wheel.gto.charge(mol.atom_symbol(atom))
        at = "".join(f"{x:12.6f}" for x in mol.atom_coord(atom))
        file.write(f"{number:5d}{0.0:12.6f}{at}\n")


def _write_plane(file: TextIO, values: NDArray[np.float64], nz: int) -> None:
    for row in values.reshape(-1, nz):
        for begin in range(0, nz, 6):
            file.write("".join(f"{value:13.5E}" for value in row[begin : begin + 6]) + "\n")

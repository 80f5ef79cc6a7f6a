"""Files that a person asked for beside the result, by kind and name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atoll.chem.molecules import InputError
from atoll.chem.results.frontier import by_spin, frontier_of

if TYPE_CHECKING:
    from atoll.chem.self_consistency.mean_field import MeanField


@dataclass(frozen=True)
class Outputs:
    """Names of files; None: not wanted.

    Attributes:
        molden: Orbitals in Molden's format.
        cube: Values on a grid of what `cube_of` names: "density", "homo", "lumo" or the number of
            an orbital, counted from 1 (of alpha electrons where spins differ).
        levels: Picture of the orbital energies.
        convergence: Picture of energies and errors of the iterations.

    """

    molden: str | None = None
    cube: str | None = None
    cube_of: str = "density"
    levels: str | None = None
    convergence: str | None = None

    def __post_init__(self) -> None:
        """Refuse what names no orbital."""
        if not re.fullmatch("density|homo|lumo|[0-9]+", self.cube_of):
            raise InputError(
                f"cube-of is '{self.cube_of}', expected density, homo, lumo or an orbital's number"
            )

    @property
    def files(self) -> tuple[str | None, ...]:
        """All names."""
        return self.molden, self.cube, self.levels, self.convergence

    def write(self, mean_field: MeanField) -> None:
        """Write what is wanted of a mean field that is solved. Collective.

        Raises InputError for an orbital that there is not, ModuleNotFoundError where matplotlib is
        missing, OSError where a file cannot be written; on all ranks.
        """
        if self.molden:
            from atoll.chem.results.molden import write_molden

            write_molden(mean_field, self.molden)
        if self.cube:
            self._write_cube(mean_field, self.cube)
        if self.levels:
            from atoll.chem.results.levels_plot import plot_levels

            plot_levels(mean_field, self.levels)
        if self.convergence:
            from atoll.chem.results.convergence_plot import plot_convergence

            plot_convergence(mean_field, self.convergence)

    def _write_cube(self, mean_field: MeanField, file: str) -> None:
        from atoll.chem.results.cube import write_density, write_orbital

        if self.cube_of == "density":
            write_density(mean_field, file)
            return
        _, energies, occupations = by_spin(mean_field)[0]
        named = frontier_of(energies, occupations)._asdict()
        orbital = named[self.cube_of] if self.cube_of in named else int(self.cube_of) - 1
        if orbital is None:
            raise InputError(f"cube-of is '{self.cube_of}', which the molecule has not")
        if not 0 <= orbital < len(occupations):
            raise InputError(
                f"cube-of is '{self.cube_of}', expected density, homo, lumo or 1 to "
                f"{len(occupations)}"
            )
        write_orbital(mean_field, file, orbital)

"""Where an optimisation stands: what the same command, given again, goes on from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import leave
from atoll.chem.results.whole_file import whole_file

if TYPE_CHECKING:
    import atoll
    from atoll.chem.geometry.optimize import Step
    from atoll.chem.molecules import Molecule
    from atoll.chem.molecules.options import Options

GEOMETRY = ".geometry"
"""What is added to a checkpoint's name for the file."""
SAME = 1e-10
"""Positions of one input differ by less, angstrom."""
SURFACE = (
    "core_potential", "density_fitting", "fit_coulomb", "auxiliary_basis",
    "correlation_auxiliary_basis", "frozen_core", "dispersion", "grid_level", "smearing",
    "break_symmetry",
)  # fmt: skip
"""Options that decide where the minimum is, beside the method and the molecule's own."""


def keep(file: str, molecule: Molecule, options: Options, step: Step) -> None:
    """Write the geometry of a step, in place of the one before. Not collective.

    Args:
        file: Its name.
        molecule: What the optimisation began with.
        options: Of the optimisation.
        step: The last geometry that was computed.

    Raises OSError.

    """
    contents = {**_input_of(molecule, options), "geometry": step.number, "energy": step.energy}
    contents["positions_bohr"] = step.positions.tolist()
    with whole_file(file) as written:
        json.dump(contents, written)


def begun(
    file: str, molecule: Molecule, options: Options, group: atoll.Group
) -> np.ndarray[Any, Any] | None:
    """Give the positions that an earlier run has come to, atoms x 3, bohr. Collective.

    None: there is no file, or it is of another input. Raises OSError or ValueError, on all ranks,
    for one that cannot be read.
    """
    found: np.ndarray[Any, Any] = np.zeros((0, 3))
    failure: Exception | None = None
    if group.rank == 0:
        try:
            found = _read(file, molecule, options)
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            failure = error
    leave(group, failure)
    positions = np.asarray(group.broadcast(found.ravel())).reshape(-1, 3)
    return positions if len(positions) else None


def _read(file: str, molecule: Molecule, options: Options) -> np.ndarray[Any, Any]:
    try:
        with open(file, encoding="utf-8") as opened:
            contents = json.load(opened)
        found = np.array(contents["positions_bohr"], dtype=np.float64).reshape(-1, 3)
        expected = _input_of(molecule, options)
        first = np.array(contents.pop("begun_with"), dtype=np.float64).reshape(-1, 3)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} is no geometry of an optimisation: {error}") from None
    begun_with = np.array(expected.pop("begun_with")).reshape(-1, 3)
    same = all(contents.get(name) == value for name, value in expected.items())
    if not same or first.shape != begun_with.shape or np.abs(first - begun_with).max() > SAME:
        return np.zeros((0, 3))
    return found


def _input_of(molecule: Molecule, options: Options) -> dict[str, Any]:
    """Say what an optimisation is of, as JSON can tell."""
    return {
        "symbols": list(molecule.symbols),
        "basis": molecule.basis,
        "charge": molecule.charge,
        "spin": molecule.spin,
        "method": options.method.lower(),
        **{name: getattr(options, name) for name in SURFACE},
        "begun_with": molecule.positions.tolist(),
    }

"""Orbitals in Molden's format, as PySCF writes it."""

from __future__ import annotations

import importlib
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective
from atoll.chem.results.whole_file import whole_file

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from atoll.chem.self_consistency.mean_field import MeanField

BATCH_BYTES = 16 << 20


@collective
def write_molden(mean_field: MeanField, path: str | Path) -> None:
    """Write molecule, basis and all orbitals of a mean field. Collective.

    The first rank writes, some orbitals at a time. Functions with l = 5 and more, which the format
    has not, are left out.

    Raises:
        RuntimeError: The mean field has no orbitals.
        OSError: The file cannot be written.

    On all ranks.

    """
    if not mean_field.orbitals:
        raise RuntimeError("there are no orbitals yet: call kernel() or run()")
    group = mean_field.group
    if group.rank == 0:
        with whole_file(path) as file:
            _write(mean_field, file)
    group.sync()


def _write(mean_field: MeanField, file: TextIO) -> None:
    molden: Any = importlib.import_module("pyscf.tools.molden")
    energies, occupations = (
        np.reshape(np.asarray(values), (mean_field.spins, -1))
        for values in (mean_field.mo_energy, mean_field.mo_occ)
    )
    molden.header(mean_field.mol, file)
    for spin, coefficients in enumerate(mean_field.orbitals):
        functions, orbitals = coefficients.shape
        width = max(1, BATCH_BYTES // (8 * functions))
        for begin in range(0, orbitals, width):
            part = slice(begin, min(begin + width, orbitals))
            text = io.StringIO()
            molden.orbital_coeff(
                mean_field.mol,
                text,
                coefficients[:, part],
                spin="Beta" if spin else "Alpha",
                symm=["A"] * (part.stop - part.start),
                ene=energies[spin, part],
                occ=occupations[spin, part],
            )
            # It begins a section with each call for spin alpha.
            file.write(text.getvalue() if begin == 0 else text.getvalue().removeprefix("[MO]\n"))

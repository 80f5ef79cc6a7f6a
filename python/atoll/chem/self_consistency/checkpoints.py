"""Checkpoint files of a mean field, which PySCF can read, as its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll._agreement import collective
from atoll.chem.results import chkfile as chkfiles
from atoll.chem.self_consistency.field import Field

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from atoll.chem.self_consistency.state import State


class CheckpointMethods(Field):
    """Writes what a mean field has found, at the end and on the way there: a `Keeper`."""

    chkfile: str | None
    _energies: tuple[NDArray[np.float64], ...]
    _occupations: tuple[NDArray[np.float64], ...]

    @collective
    def dump_chk(self, envs_or_file: Any = None) -> None:
        """Write `chkfile`, which PySCF can read. Collective.

        `envs_or_file`, as PySCF's: another file, or `e_tot`, `mo_energy`, `mo_coeff` and `mo_occ`
        by name, in place of the result's.
        """
        if envs_or_file is not None:
            self._dump_given(envs_or_file)
            return
        self._require_orbitals()
        if self.chkfile is None:
            raise ValueError("chkfile is None, expected the name of a file to write")
        chkfiles.write(
            self.chkfile, self.mol.dumps(), self.e_tot, self._energies, self._occupations,
            self.orbitals,
        )  # fmt: skip

    def keep(self, state: State, energy: float) -> None:
        """Write the state of an iteration to `chkfile`. Collective."""
        assert self.chkfile is not None
        chkfiles.write(
            self.chkfile, self.mol.dumps(), energy,
            [orbitals.energies for orbitals in state.orbitals], state.occupations,
            [orbitals.coefficients for orbitals in state.orbitals],
        )  # fmt: skip

    def _dump_given(self, envs_or_file: Any) -> None:
        """Write a checkpoint to another file, or of results that are given. Collective."""
        written: Any = self.copy()
        if isinstance(envs_or_file, dict):
            written.mo_coeff = envs_or_file["mo_coeff"]
            written.mo_energy, written.mo_occ = envs_or_file["mo_energy"], envs_or_file["mo_occ"]
            written.e_tot = float(envs_or_file["e_tot"])
        else:
            written.chkfile = str(envs_or_file)
        written.dump_chk()

    if TYPE_CHECKING:  # in MeanField

        def copy(self) -> Any:
            """Give another one with the same settings and results."""

        def _require_orbitals(self) -> None: ...

"""Orbitals of a mean field as NumPy arrays, to read and to set, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll._agreement import collective
from atoll.chem.guarded import NotSupportedError
from atoll.chem.pyscf_calls.twin import of_first, twin_of
from atoll.chem.self_consistency.field import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ROWS_BYTES = 16 << 20


class HandedOut(np.ndarray[Any, np.dtype[np.float64]]):
    """An array of results that would lose what is written into it: so it refuses that.

    Copies of it, and what is computed from it, can be written to.
    """

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.flags.writeable:
            raise NotSupportedError(
                "writing into mo_coeff, mo_energy or mo_occ is not supported, as they are copies: "
                "change a copy of the array, and set the attribute to it"
            )
        super().__setitem__(key, value)

    def __array_wrap__(
        self, array: Any, context: Any = None, return_scalar: bool = False
    ) -> Any:  # results are plain arrays
        del context
        return array[()] if return_scalar or array.ndim == 0 else np.asarray(array)


class GivenOrbitals(Field):
    """`mo_coeff`, `mo_energy`, `mo_occ`, and densities."""

    _energies: tuple[NDArray[np.float64], ...]
    _occupations: tuple[NDArray[np.float64], ...]
    _group: atoll.Group

    @property
    def mo_coeff(self) -> NDArray[np.float64] | None:
        """Orbital coefficients, functions x orbitals; of two spins, both. Setting: collective."""
        return self._by_spin([orbitals[...] for orbitals in self.orbitals])

    @mo_coeff.setter
    def mo_coeff(self, coefficients: Any) -> None:
        if coefficients is None:
            self._forget_orbitals()
            return
        self.forget_if_changed()
        given = self._real(coefficients, "mo_coeff")
        expected = (self.mol.nao_nr(), given.shape[-1])
        sets = given.reshape(self.spins, *given.shape[-2:])
        if sets.shape[1:] != expected:
            raise ValueError(f"mo_coeff has shape {given.shape}, expected {expected[0]} functions")
        self.orbitals = tuple(distributed(each, self.group) for each in sets)
        self._changed()

    @property
    def mo_energy(self) -> NDArray[np.float64] | None:
        """Orbital energies in hartree, ascending; of two spins, both."""
        return self._by_spin(self._energies)

    @mo_energy.setter
    def mo_energy(self, energies: Any) -> None:
        self._energies = () if energies is None else self._rows(energies, "mo_energy")

    @property
    def mo_occ(self) -> NDArray[np.float64] | None:
        """Electrons of each orbital; of two spins, both."""
        return self._by_spin(self._occupations)

    @mo_occ.setter
    def mo_occ(self, occupations: Any) -> None:
        self._occupations = () if occupations is None else self._rows(occupations, "mo_occ")
        self._changed()

    @collective
    def make_rdm1(self, mo_coeff: Any = None, mo_occ: Any = None) -> NDArray[np.float64]:
        """Give the density as a NumPy array, of two spins both. Collective.

        Args:
            mo_coeff: Orbitals of one's own, as `mo_coeff`; none: the result's.
            mo_occ: Their electrons.

        """
        if mo_coeff is not None or mo_occ is not None:
            made = twin_of(self)
            c = made.mo_coeff if mo_coeff is None else np.asarray(mo_coeff)
            n = made.mo_occ if mo_occ is None else np.asarray(mo_occ)
            return np.asarray(of_first(np.asarray(made.make_rdm1(c, n)), self.group))
        densities = [density.matrix[...] for density in self.density_arrays()]
        self.group.sync()
        return np.asarray(densities[0]) if len(densities) == 1 else np.array(densities)

    def is_mine(self, mol: Any) -> bool:
        """Tell whether a molecule that is given is the mean field's own, or none."""
        return mol is None or mol is self.mol

    def _sets(self) -> tuple[Any, Any, Any]:
        return self.orbitals, self._energies, self._occupations

    def _forget_orbitals(self) -> None:
        self.orbitals = self._energies = self._occupations = ()
        self._changed()

    def _changed(self) -> None:
        """Take note that orbitals are not those of the solution."""
        vars(self)["solution"] = None

    def _rows(self, values: Any, name: str) -> tuple[NDArray[np.float64], ...]:
        self.forget_if_changed()
        given = self._real(values, name)
        if given.ndim > 2 or (self.spins == 2 and (given.ndim < 2 or len(given) != 2)):
            raise ValueError(f"{name} has shape {given.shape}, expected a row of each spin")
        return tuple(given.reshape(self.spins, -1))

    def _real(self, values: Any, name: str) -> NDArray[np.float64]:
        """Give the first rank's numbers on all ranks. Collective."""
        given = np.asarray(values)
        if np.iscomplexobj(given) and np.any(given.imag):
            raise NotImplementedError(f"{name} is complex, expected real numbers")
        own = np.ascontiguousarray(given.real, dtype=np.float64)
        return np.asarray(self.group.broadcast(own)).reshape(own.shape)

    def _by_spin(self, parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
        if not parts:
            return None
        found = np.asarray(parts[0] if self.spins == 1 else np.array(parts)).view(HandedOut)
        found.flags.writeable = False
        return found


def distributed(matrix: NDArray[np.float64], group: atoll.Group) -> atoll.Array:
    """Put the first rank's matrix into an array, some rows at a time. Collective."""
    array = atoll.zeros(matrix.shape, group=group, name="orbitals")
    if group.rank == 0:
        height = max(1, ROWS_BYTES // (8 * max(1, matrix.shape[1])))
        for begin in range(0, len(matrix), height):
            rows = slice(begin, min(begin + height, len(matrix)))
            array[rows] = matrix[rows]
    group.sync()
    return array
